"""A tournament as a drawing: a column per round, a box per heat, lines from those who stay to their next heat.

The last line leads to the winner. Where a row of rounds ends, lines run into the margin and begin there again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from heats.engine.report import RoundReport, say_pulls
from heats.reports.labels import Roster

MOST_ARMS_DRAWN = 32  # arms of a round that is drawn whole; of a larger one, only the heat of the one we follow
STRIP = 5  # rounds side by side, which fits a sheet of paper
STRIPS = 8  # of a long tournament the first and last rounds are drawn
LETTERS, LETTERS_ALONE = 15, 24  # of a label, at most, with and without scores
ROOM = 17  # letters of a label and its score together, in bold
WIDTH, GAP, ROW, PAD, TOP = 172, 36, 19, 6, 58
STUB = 20  # of a line that goes on in the next strip
LETTER = 8  # pixels, in bold


class Box(NamedTuple):
    """Arms that met, best first; the first ``stay`` of them stay. ``scores`` is empty for arms that rested."""

    arms: tuple[int, ...]
    scores: tuple[float, ...]
    stay: int

    @property
    def height(self) -> int:
        """Pixels it takes."""
        return ROW * len(self.arms) + 2 * PAD


class Column(NamedTuple):
    """A round: what it says above, the boxes drawn, and how many heats are left out."""

    above: tuple[str, str, str]
    boxes: list[Box]
    hidden: int

    @property
    def height(self) -> int:
        """Pixels it takes."""
        return sum(box.height + 2 * PAD for box in self.boxes) + (ROW if self.hidden else 0)


class Strip(NamedTuple):
    """Rounds side by side: where every arm of each is, whether the first is there; who has won."""

    columns: list[Column]
    places: list[dict[int, float]]
    height: int
    begins: bool
    winner: int | None

    @property
    def left(self) -> int:
        """Where the first column begins."""
        return 1 if self.begins else STUB


def count_letters(rounds: Sequence[RoundReport]) -> int:
    """Return how long a label may be to fit beside every score; there are none beside batches."""
    if not rounds:
        return LETTERS_ALONE
    scores = [len(number(score)) for each in rounds for row in each.scores or () for score in row]
    return min(LETTERS, ROOM - max([*scores, len("unseen")]))


def draw_bracket(rounds: Sequence[RoundReport], roster: Roster, follow: int | None) -> Iterator[str]:
    """Yield the finished rounds as SVG, in strips; the way of the arm to ``follow``, the best, is set apart."""
    columns = [_column(number, each, follow) for number, each in enumerate(rounds, 1)]
    starts = range(0, len(columns), STRIP)
    winner = follow if rounds and rounds[-1].survivors == (follow,) else None
    strips = [_lay_out(columns, start, winner if start == starts[-1] else None) for start in starts]
    if len(strips) <= STRIPS:
        yield from (_strip(strip, roster, follow) for strip in strips)
        return
    hidden = strips[STRIPS // 2 : -STRIPS // 2]
    yield from (_strip(strip, roster, follow) for strip in strips[: STRIPS // 2])
    yield f'<p class="soft">… {sum(len(strip.columns) for strip in hidden):,} rounds not drawn …</p>'
    yield from (_strip(strip, roster, follow) for strip in strips[-STRIPS // 2 :])


def _lay_out(columns: list[Column], start: int, winner: int | None) -> Strip:
    mine = columns[start : start + STRIP]
    height = TOP + max(ROW + 2 * PAD, *(column.height for column in mine)) + PAD
    middle = not any(column.hidden for column in mine)  # else little boxes would float in a large void
    tops = [TOP + (height - TOP - PAD - column.height) / 2 if middle else TOP for column in mine]
    places = [_places(column, top) for column, top in zip(mine, tops, strict=True)]
    return Strip(mine, places, height, begins=start == 0, winner=winner)


def _strip(strip: Strip, roster: Roster, follow: int | None) -> str:
    right = strip.left + len(strip.columns) * (WIDTH + GAP)  # where a winner stands
    last = STUB - GAP if strip.winner is None else _winner_width(roster.labels[strip.winner]) + 1
    width = right + last
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{strip.height}" '
        f'viewBox="0 0 {width} {strip.height}" class="drawing" '
        'role="img" aria-label="Who met whom in every round, and who stayed">',
        *_paths(strip, follow),
    ]
    for number, (column, where) in enumerate(zip(strip.columns, strip.places, strict=True)):
        parts += _drawn_column(column, where, strip.left + number * (WIDTH + GAP), roster, follow)
    if strip.winner is not None:
        parts += _winner(strip, right, roster, strip.winner)
    return "\n".join([*parts, "</svg>"])


def _winner_width(label: str) -> int:
    return max(24 + LETTER * len(label) + PAD, LETTER * len("winner"))


def _winner(strip: Strip, x: int, roster: Roster, arm: int) -> Iterator[str]:
    """Draw the winner level with its row in the last heat, if that is drawn."""
    y = strip.places[-1].get(arm, TOP + PAD + ROW / 2)
    label, top = roster.labels[arm], y - ROW / 2 - PAD
    yield f'<text x="{x}" y="14" class="best">winner</text>'
    yield f'<rect class="box" x="{x}" y="{top:g}" width="{_winner_width(label)}" height="{ROW + 2 * PAD}" rx="7"/>'
    yield f'<g class="best"><title>{escape(roster.names[arm])}: the winner</title>'
    yield f'<circle class="best" cx="{x + 13}" cy="{y:g}" r="4"/>'
    yield f'<text x="{x + 24}" y="{y + 4:g}">{escape(label)}</text></g>'


def _column(number: int, each: RoundReport, follow: int | None) -> Column:
    scores: Sequence[tuple[float, ...]] = each.scores or [()] * len(each.heats)
    boxes = [Box(arms, row, each.keep) for arms, row in zip(each.heats, scores, strict=True)]
    if each.byes:
        boxes.append(Box(each.byes, (), len(each.byes)))
    arms = sum(len(box.arms) for box in boxes)
    drawn = (
        boxes
        if arms <= MOST_ARMS_DRAWN
        else [box for box in boxes if follow in box.arms and len(box.arms) <= MOST_ARMS_DRAWN]
    )
    met = f"{len(each.heats):,} {_plural('heat', len(each.heats))} × {say_pulls(each)} {_plural('pull', each.pulls)}"
    above = f"round {number}", f"{arms:,} arms → {len(each.survivors):,}", met
    return Column(above, drawn, len(each.heats) - sum(box.stay < len(box.arms) for box in drawn))


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _places(column: Column, y: float) -> dict[int, float]:
    """Return the middle of every drawn arm's row, the first box beginning at ``y``."""
    where = {}
    for box in column.boxes:
        for row, arm in enumerate(box.arms):
            where[arm] = y + PAD + ROW * (row + 0.5)
        y += box.height + 2 * PAD
    return where


def _paths(strip: Strip, follow: int | None) -> Iterator[str]:
    """Draw the followed one last, so that it lies on top."""
    ways = sorted(_ways(strip), key=lambda way: way[0] == follow)
    for arm, x, end_x, start, end in ways:
        middle, kind = (x + end_x) / 2, "bestpath" if arm == follow else "path"
        yield f'<path class="{kind}" d="M{x} {start:g}C{middle:g} {start:g} {middle:g} {end:g} {end_x} {end:g}"/>'


def _ways(strip: Strip) -> Iterator[tuple[int, int, int, float, float]]:
    """Yield every line: its arm, from where to where across, from where to where down."""
    if not strip.begins:
        yield from ((arm, 0, strip.left, y, y) for arm, y in strip.places[0].items())
    last = len(strip.columns) - 1
    for number, (column, here) in enumerate(zip(strip.columns, strip.places, strict=True)):
        x = strip.left + number * (WIDTH + GAP) + WIDTH
        for arm in (arm for box in column.boxes for arm in box.arms[: box.stay]):
            if number < last and arm in strip.places[number + 1]:
                yield arm, x, x + GAP, here[arm], strip.places[number + 1][arm]
            elif number == last:
                yield arm, x, x + (STUB if strip.winner is None else GAP), here[arm], here[arm]


def _drawn_column(column: Column, where: dict[int, float], x: int, roster: Roster, follow: int | None) -> Iterator[str]:
    title, arms, met = column.above
    yield f'<text x="{x}" y="14" font-weight="700">{title}</text>'
    yield f'<text x="{x}" y="31" class="out">{arms}</text>'
    yield f'<text x="{x}" y="46" class="out">{met}</text>'
    for box in column.boxes:
        top = where[box.arms[0]] - ROW / 2 - PAD
        rest = "" if box.scores or box.stay < len(box.arms) else " rest"
        yield f'<rect class="box{rest}" x="{x}" y="{top:g}" width="{WIDTH}" height="{box.height}" rx="7"/>'
        for row, arm in enumerate(box.arms):
            score = number(box.scores[row]) if box.scores else "rests" if rest else "unseen"
            yield from _arm(x, where[arm], roster, arm, score, stays=row < box.stay, best=arm == follow)
    if column.hidden:
        y = TOP + column.height - PAD
        yield f'<text x="{x + PAD}" y="{y:g}" class="out">and {column.hidden:,} heats not drawn</text>'


def number(value: float) -> str:
    """Return a score in four digits, or in whole numbers where that would need powers of ten."""
    text = f"{value:.4g}"
    return f"{value:,.0f}" if "e+0" in text else text


def _arm(x: int, y: float, roster: Roster, arm: int, score: str, *, stays: bool, best: bool) -> Iterator[str]:
    kind = "best" if best and stays else "in" if stays else "out"
    mark = "best" if best and stays else "dot" if stays else "gone"
    yield f'<g class="{kind}"><title>{escape(roster.names[arm])}: {score}, {"stays" if stays else "leaves"}</title>'
    yield f'<circle class="{mark}" cx="{x + 13}" cy="{y:g}" r="4"/>'
    yield f'<text x="{x + 24}" y="{y + 4:g}">{escape(roster.labels[arm])}</text>'
    yield f'<text x="{x + WIDTH - 9}" y="{y + 4:g}" text-anchor="end">{score}</text></g>'
