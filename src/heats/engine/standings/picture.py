"""The standings as a picture: strengths with their intervals, best first, chances at the right."""

from __future__ import annotations

from collections.abc import Sequence

from heats.base.plots import Axes, Bar, plot_bars, shorten_labels
from heats.engine.standings.assessment import Method
from heats.engine.standings.table import Standings
from heats.engine.standings.words import say_chance

MOST_ROWS = 30
AXES: dict[Method, str] = {
    "choices": "strength with 95% interval\n(in log odds; 0 is the mean of all)",
    "effects": "strength with 95% interval\n(in units of reward; 0 is the mean of all)",
    "resampling": "the statistic of all rewards, with 95% interval",
    "none": "strength\n(nothing that was told sets candidates apart)",
}


def plot_standings(standings: Standings, names: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw the best of them and return the Axes."""
    labels = shorten_labels(names)
    bars = [
        Bar(labels[row.arm], row.strength, row.low, row.high, "–" if row.chance is None else say_chance(row.chance))
        for row in standings.rows[:MOST_ROWS]
    ]
    left_out = len(standings.rows) > MOST_ROWS
    title = f"the first {MOST_ROWS} of {len(standings.rows):,}" if left_out else ""
    zero = standings.method != "resampling"
    return plot_bars(bars, axis=AXES[standings.method], remarks="chance", title=title, zero=zero, ax=ax)
