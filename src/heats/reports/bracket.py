"""A tournament as a drawing: a column per round, a box per heat, lines from those who stay to their next heat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from heats.base.text import make_printable
from heats.engine.report import RoundReport

MOST_ARMS_DRAWN = 32  # arms of a round that is drawn whole; of a larger one, only the heat of the one we follow
STRIP = 5  # rounds side by side, which fits a sheet of paper
STRIPS = 8  # of a long tournament the first and last rounds are drawn
LETTERS = 15  # of a name, at most
ROOM = 17  # letters of a name and its score together, in bold
WIDTH, GAP, ROW, PAD, TOP = 172, 44, 19, 6, 58


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


def draw_bracket(rounds: Sequence[RoundReport], names: Sequence[str], follow: int | None) -> Iterator[str]:
    """Yield the finished rounds as SVG, in strips; the way of the arm to ``follow``, the best, is set apart."""
    columns = [_column(number, each, follow) for number, each in enumerate(rounds, 1)]
    strips = [columns[start : start + STRIP] for start in range(0, len(columns), STRIP)]
    if len(strips) <= STRIPS:
        yield from (_strip(strip, names, follow) for strip in strips)
        return
    hidden = strips[STRIPS // 2 : -STRIPS // 2]
    yield from (_strip(strip, names, follow) for strip in strips[: STRIPS // 2])
    yield f'<p class="soft">… {sum(map(len, hidden)):,} rounds not drawn …</p>'
    yield from (_strip(strip, names, follow) for strip in strips[-STRIPS // 2 :])


def _strip(columns: list[Column], names: Sequence[str], follow: int | None) -> str:
    height = TOP + max(column.height for column in columns) + PAD
    width = len(columns) * (WIDTH + GAP) - GAP + 2
    middle = not any(column.hidden for column in columns)  # else little boxes would float in a large void
    tops = [TOP + (height - TOP - PAD - column.height) / 2 if middle else TOP for column in columns]
    places = [_places(column, top) for column, top in zip(columns, tops, strict=True)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="Who met whom in every round, and who stayed">',
        *_paths(columns, places, follow),
    ]
    for number, (column, where) in enumerate(zip(columns, places, strict=True)):
        parts += _drawn_column(column, where, number * (WIDTH + GAP) + 1, names, follow)
    return "\n".join([*parts, "</svg>"])


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
    met = f"{len(each.heats):,} {_plural('heat', len(each.heats))} × {each.pulls:,} {_plural('pull', each.pulls)}"
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


def _paths(columns: list[Column], places: list[dict[int, float]], follow: int | None) -> Iterator[str]:
    """Draw the followed one last, so that it lies on top."""
    ways = []
    for number, column in enumerate(columns[:-1]):
        for box in column.boxes:
            ways += [(number, arm) for arm in box.arms[: box.stay] if arm in places[number + 1]]
    for number, arm in sorted(ways, key=lambda way: way[1] == follow):
        x = number * (WIDTH + GAP) + WIDTH + 1
        middle, start, end = x + GAP / 2, places[number][arm], places[number + 1][arm]
        kind = "bestpath" if arm == follow else "path"
        yield f'<path class="{kind}" d="M{x} {start:g}C{middle:g} {start:g} {middle:g} {end:g} {x + GAP} {end:g}"/>'


def _drawn_column(
    column: Column, where: dict[int, float], x: int, names: Sequence[str], follow: int | None
) -> Iterator[str]:
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
            yield from _arm(x, where[arm], names[arm], score, stays=row < box.stay, best=arm == follow)
    if column.hidden:
        y = TOP + column.height - PAD
        yield f'<text x="{x + PAD}" y="{y:g}" class="out">and {column.hidden:,} heats not drawn</text>'


def number(value: float) -> str:
    """Return a score in four digits, or in whole numbers where that would need powers of ten."""
    text = f"{value:.4g}"
    return f"{value:,.0f}" if "e+0" in text else text


def _arm(x: int, y: float, name: str, score: str, *, stays: bool, best: bool) -> Iterator[str]:
    name = make_printable(name)
    letters = min(LETTERS, ROOM - len(score))
    short = name if len(name) <= letters else f"{name[: letters - 1]}…"
    kind = "best" if best and stays else "in" if stays else "out"
    mark = "best" if best and stays else "dot" if stays else "gone"
    yield f'<g class="{kind}"><title>{escape(name)}: {score}, {"stays" if stays else "leaves"}</title>'
    yield f'<circle class="{mark}" cx="{x + 13}" cy="{y:g}" r="4"/>'
    yield f'<text x="{x + 24}" y="{y + 4:g}">{escape(short)}</text>'
    yield f'<text x="{x + WIDTH - 9}" y="{y + 4:g}" text-anchor="end">{score}</text></g>'
