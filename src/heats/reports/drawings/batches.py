"""Adaptive play as a drawing: a row per candidate, a column per batch, a ring for how often it was compared there."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from heats.engine.evidence.told import Told
from heats.engine.report import Report
from heats.reports.labels import Roster

MOST_ROWS = 12  # candidates
MOST_COLUMNS = 30  # of more batches, several share a column
RADIUS, ROW, COLUMN, TOP = 11, 26, 30, 24
LETTER, LEAST_LEFT, GAP = 8, 60, 8  # pixels: of a label in bold, of all of them, and beside them


class Cell(NamedTuple):
    """Of the comparisons of a column, in how many a candidate was, and in how many of these nobody was above it."""

    compared: int
    first: int


def draw_batches(report: Report, roster: Roster, follow: int | None) -> Iterator[str]:
    """Yield the batches that are over as SVG, with the best candidates; the one to ``follow`` is set apart.

    A ring is as large as the share of a batch's comparisons that a candidate was in, and filled by the share it topped.
    """
    columns = _share_columns(report)
    arms = [row.arm for row in report.standings.rows[:MOST_ROWS]]
    left = max([LEAST_LEFT, *(LETTER * len(roster.labels[arm]) for arm in arms)]) + GAP
    width, height = left + COLUMN * len(columns) + 1, TOP + ROW * len(arms) + 1
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'class="drawing" role="img" aria-label="Who was compared in every batch, and came first">'
    )
    for number, batches in enumerate(columns):
        x, total = left + COLUMN * number + COLUMN // 2, sum(len(each.arms) for each in batches)
        yield f'<text x="{x}" y="14" class="out" text-anchor="middle">{batches[0].round + 1}</text>'
        for row, arm in enumerate(arms):
            yield from _draw_cell(x, row, _count(batches, arm), total, best=arm == follow)
    for row, arm in enumerate(arms):
        look = ' class="best"' if arm == follow else ""
        place = f'x="{left - GAP}" y="{_middle(row) + 4}" text-anchor="end"'
        yield f"<text {place}{look}>{escape(roster.labels[arm])}</text>"
    yield "</svg>"


def _share_columns(report: Report) -> list[list[Told]]:
    """Return what was told in every column: in a batch, or, where there are too many, in several."""
    count = len(report.batches)
    starts = [part[0] for part in np.array_split(np.arange(count), min(count, MOST_COLUMNS))]
    columns: list[list[Told]] = [[] for _ in starts]
    for each in report.standings.recall() or ():
        if each.round < count:
            columns[bisect_right(starts, each.round) - 1].append(each)
    return [sorted(column, key=lambda each: each.round) for column in columns if column]


def _count(batches: Sequence[Told], arm: int) -> Cell:
    compared = first = 0
    for each in batches:
        there = (each.arms == arm).any(axis=1)
        observed = each.observations[there]
        ours = observed[each.arms[there] == arm]
        compared += int(there.sum())
        first += int(((ours == observed.max(axis=1)) & (ours > observed.min(axis=1))).sum()) if observed.size else 0
    return Cell(compared, first)


def _draw_cell(x: int, row: int, cell: Cell, total: int, *, best: bool) -> Iterator[str]:
    if not cell.compared:
        return
    y, look = _middle(row), "best" if best else "dot"
    yield f"<g><title>compared in {cell.compared:,} of {total:,}, first in {cell.first:,}</title>"
    yield f'<circle class="gone" cx="{x}" cy="{y}" r="{_size(cell.compared / total):.1f}"/>'
    if cell.first:
        yield f'<circle class="{look}" cx="{x}" cy="{y}" r="{_size(cell.first / total):.1f}"/>'
    yield "</g>"


def _size(share: float) -> float:
    """Return the radius of a circle whose area is that share of the largest, but never too small to be seen."""
    return max(1.5, RADIUS * math.sqrt(share))


def _middle(row: int) -> int:
    return TOP + ROW * row + ROW // 2
