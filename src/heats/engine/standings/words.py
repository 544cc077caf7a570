"""Standings in people's words: a table, chances as percentages, and which kind of world a run looked like."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

from heats.base.text import format_table, make_printable
from heats.engine.standings.row import Standing

MOST_ROWS = 10  # of the table in a text


class Table(Protocol):
    """Standings, as far as words need to know them."""

    @property
    def rows(self) -> Sequence[Standing]:
        """A row per arm, best first."""


def say_chance(chance: float) -> str:
    """Return a chance in percent, as far as draws can tell."""
    if chance <= 0.005:
        return "under 1%"
    return "over 99%" if chance >= 0.995 else f"{chance:.0%}"


def explain_world(contextual: float) -> Iterator[str]:
    """Say which kind of world a run looked like, by the chance of a contextual one, and what strength means there."""
    if contextual > 0.5:
        yield f"results depended on who was compared with whom ({say_chance(contextual)})"
        yield "so strengths are averages over the company a candidate was seen in: a strong one may lose to the winner"
    else:
        yield f"candidates did alike in any company ({say_chance(1 - contextual)})"


def choose_digits(rows: Sequence[Standing]) -> str:
    """Return the format of strengths that shows as much of them as their intervals allow."""
    widths = sorted(row.high - row.low for row in rows if row.low is not None and row.high is not None)
    largest = max((abs(row.strength) for row in rows if row.strength is not None), default=0.0)
    scale = (widths[len(widths) // 2] if widths else 0.0) or largest or 1.0
    if not 1e-5 < scale < 1e6 or largest >= 1e9:
        return ".3g"
    return f".{max(0, 2 - math.floor(math.log10(scale)))}f"


def say_strength(strength: float, digits: str) -> str:
    """Return a strength, without a sign if it is shown as 0."""
    text = f"{strength:{digits}}"
    return text.removeprefix("-") if float(text) == 0 else text


def tabulate(standings: Table, names: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the titles and the rows of a table of all standings."""
    measure, title = next(
        (pair for pair in _MEASURES if any(getattr(row, pair[0]) is not None for row in standings.rows)), _MEASURES[0]
    )
    titles: tuple[str, ...] = ("place", "candidate", "chance", "strength", "95% interval", "pulls", title, "left in")
    if all(row.left is None for row in standings.rows):  # nobody ever leaves adaptive play
        titles = titles[:-1]
    digits = choose_digits(standings.rows)
    return titles, [_row(row, names, measure, digits)[: len(titles)] for row in standings.rows]


_MEASURES = (("wins", "wins"), ("mean_place", "mean place"), ("mean_lead", "mean lead"))


def _row(row: Standing, names: Sequence[str], measure: str, digits: str) -> tuple[str, ...]:
    interval = "–"
    if row.low is not None and row.high is not None:
        interval = f"{say_strength(row.low, digits)} to {say_strength(row.high, digits)}"
    return (
        str(row.place),
        make_printable(names[row.arm]),
        "–" if row.chance is None else say_chance(row.chance),
        "–" if row.strength is None else say_strength(row.strength, digits),
        interval,
        f"{row.pulls:,}",
        "–" if getattr(row, measure) is None else f"{getattr(row, measure):.4g}",
        "" if row.left is None else f"round {row.left}",
    )


def describe_standings(standings: Table, names: Sequence[str], most: int = MOST_ROWS) -> Iterator[str]:
    """Yield the lines of the table, at most so many rows of it."""
    titles, rows = tabulate(standings, names)
    yield from format_table(titles, rows[:most], words=(1,))
    if len(rows) > most:
        yield f"… and {len(rows) - most:,} more"
