"""What a page is made of, as HTML: sentences, tables, what can be folded, and the candidates in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from heats.base.text import make_printable, set_off
from heats.reports.labels import Roster

MOST_NAMES_LISTED = 12  # of a heat; the others are counted
MOST_ROWS_OPEN = 8  # of a table about details; a longer one is folded until somebody wants it
MOST_ROWS_SHOWN = 30  # of a long table, from its beginning and from its end
LONGEST_LINE = 16  # letters of a candidate in a table; a longer one may be broken into lines
WIDE = '<div class="wide" tabindex="0">'  # what may be wider than a phone scrolls by keys, too


def make_sentence(text: str) -> str:
    """Return a text as a sentence."""
    return escape(f"{text[0].upper()}{text[1:]}.")


def fold(title: str, content: Iterable[str], rows: int) -> Iterator[str]:
    """Yield a section that can be folded, and is if it is long."""
    yield f"<details{'' if rows > MOST_ROWS_OPEN else ' open'}><summary><h2>{title}</h2></summary>"
    yield from content
    yield "</details>"


def make_table(
    titles: Sequence[str], rows: Sequence[Sequence[object]], *, words: int | None = None, first: int | None = None
) -> Iterator[str]:
    """Yield a table of cells that are HTML already; the column ``words`` holds text, the row ``first`` stands out."""
    yield f"{WIDE}<table><thead>"
    yield _row("th", titles, words)
    yield "</thead><tbody>"
    long = len(rows) > 3 * MOST_ROWS_SHOWN
    for row in rows[:MOST_ROWS_SHOWN] if long else rows:
        yield _row("td", row, words, ' class="first"' if row is rows[0] and first == 0 else "")
    if long:
        yield _row("td", [f"… {len(rows) - 2 * MOST_ROWS_SHOWN:,} more …", *[""] * (len(titles) - 1)], words)
        yield from (_row("td", row, words) for row in rows[-MOST_ROWS_SHOWN:])
    yield "</tbody></table></div>"


def _row(kind: str, cells: Sequence[object], words: int | None, mark: str = "") -> str:
    kinds = [kind if cell else "td" for cell in cells]  # what heads a column says something
    classes = [' class="text"' if column == words else "" for column in range(len(cells))]
    written = zip(kinds, classes, cells, strict=True)
    return f"<tr{mark}>{''.join(f'<{each}{marked}>{cell}</{each}>' for each, marked, cell in written)}</tr>"


def show_name(names: Sequence[str], arm: int) -> str:
    """Return a whole name."""
    return escape(make_printable(names[arm]))


def show_text(roster: Roster, arm: int, *, in_list: bool = False) -> str:
    """Return what a candidate is called, which shows the whole name when pointed at."""
    text, name = roster.texts[arm], roster.names[arm]
    shown = escape(set_off(text) if in_list else text)
    return shown if text == name else f'<span title="{escape(name)}">{shown}</span>'


def show_candidate(roster: Roster, arm: int) -> str:
    """Return what a candidate is called, for a cell of a table, where long texts have several lines."""
    said = show_text(roster, arm)
    return f'<div class="long">{said}</div>' if len(roster.texts[arm]) > LONGEST_LINE else said


def show_titles(roster: Roster) -> list[str]:
    """Return what stands above the parameters."""
    return [escape(title) for title in roster.titles]


def show_cells(roster: Roster, arm: int) -> list[str]:
    """Return the parameters of a candidate."""
    return [escape(text) for text in roster.cells(arm)]


def list_texts(roster: Roster, arms: Sequence[int]) -> str:
    """Return what some are called, and how many others there are."""
    more = f" and {len(arms) - MOST_NAMES_LISTED:,} more" if len(arms) > MOST_NAMES_LISTED else ""
    return ", ".join(show_text(roster, arm, in_list=True) for arm in arms[:MOST_NAMES_LISTED]) + more
