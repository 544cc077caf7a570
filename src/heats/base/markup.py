"""Texts and tables as HTML for notebooks: everything escaped, looks left to the notebook."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from heats.base.text import make_printable

WORDS, NUMBERS = "text-align:left", "text-align:right;white-space:nowrap"
MOST_ROWS = 60  # of a table; of a longer one the beginning is shown


def escape_text(text: object) -> str:
    """Return text that stands in HTML as it is, on one line."""
    return escape(make_printable(str(text)))


def make_paragraph(lines: Sequence[object], *, heading: object = "") -> str:
    """Return lines, one below the other, under a heading that stands out, if there is one."""
    head = [f"<b>{escape_text(heading)}</b>"] if heading else []
    return f"<p>{'<br>'.join([*head, *map(escape_text, lines)])}</p>"


def make_html_table(
    titles: Sequence[str], rows: Sequence[Sequence[object]], words: Collection[int] = (), most: int = MOST_ROWS
) -> str:
    """Return a table, at most so many rows of it; columns of ``words`` begin on the left."""
    body = "".join(_make_row("td", row, words) for row in rows[:most])
    more = f"<p>… and {len(rows) - most:,} more</p>" if len(rows) > most else ""
    return f"<table><thead>{_make_row('th', titles, words)}</thead><tbody>{body}</tbody></table>{more}"


def fold(title: str, content: str) -> str:
    """Return content, which is HTML, to be opened under a title."""
    return f"<details><summary>{escape_text(title)}</summary>{content}</details>"


def _make_row(tag: str, cells: Sequence[object], words: Collection[int]) -> str:
    looks = (WORDS if column in words else NUMBERS for column in range(len(cells)))
    made = (f'<{tag} style="{look}">{escape_text(cell)}</{tag}>' for look, cell in zip(looks, cells, strict=True))
    return f"<tr>{''.join(made)}</tr>"
