"""Standings in people's words: a table, and chances as percentages."""

from __future__ import annotations

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

    @property
    def approximate(self) -> bool:
        """Whether there were too many arms to draw them all together."""


def say_chance(chance: float) -> str:
    """Return a chance in percent, as far as draws can tell."""
    if chance < 0.005:
        return "under 1%"
    return "over 99%" if chance > 0.995 else f"{chance:.0%}"


def tabulate(standings: Table, names: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the titles and the rows of a table of all standings."""
    measure, title = next(
        (pair for pair in _MEASURES if any(getattr(row, pair[0]) is not None for row in standings.rows)), _MEASURES[0]
    )
    titles = ("place", "candidate", "chance", "strength", "95% interval", "pulls", title, "left in")
    return titles, [_row(row, names, measure) for row in standings.rows]


_MEASURES = (("wins", "wins"), ("mean_place", "mean place"), ("mean_lead", "mean lead"))


def _row(row: Standing, names: Sequence[str], measure: str) -> tuple[str, ...]:
    interval = "–" if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}"
    return (
        str(row.place),
        make_printable(names[row.arm]),
        "–" if row.chance is None else say_chance(row.chance),
        "–" if row.strength is None else f"{row.strength:.2f}",
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
    if standings.approximate:
        yield "(so many candidates that strengths and chances are approximate)"
