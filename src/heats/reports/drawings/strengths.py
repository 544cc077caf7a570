"""Strengths as drawings: of every candidate the interval and the middle, all on one axis."""

from __future__ import annotations

from heats.engine.standings import Standing, Standings, choose_digits, say_strength

WIDTH, HEIGHT, ROOM = 150, 16, 6  # pixels


class Axis:
    """The range of all intervals of a run."""

    def __init__(self, standings: Standings) -> None:
        known = [row for row in standings.rows if row.low is not None and row.high is not None]
        self._low = min((row.low for row in known if row.low is not None), default=0.0)
        self._high = max((row.high for row in known if row.high is not None), default=1.0)
        self._digits = choose_digits(standings.rows)

    def draw(self, row: Standing, *, best: bool) -> str:
        """Return the interval of a candidate as SVG; nothing where it is not known."""
        if row.low is None or row.high is None or row.strength is None:
            return ""
        low, middle, high, zero = (self._place(value) for value in (row.low, row.strength, row.high, 0.0))
        mark = f'<path class="axis" d="M{zero:.1f} 1V{HEIGHT - 1}"/>' if ROOM <= zero <= WIDTH - ROOM else ""
        said = [say_strength(value, self._digits) for value in (row.strength, row.low, row.high)]
        return (
            f'<svg class="strength{" first" if best else ""}" width="{WIDTH}" height="{HEIGHT}" role="img" '
            f'aria-label="{said[0]}, from {said[1]} to {said[2]}">{mark}'
            f'<path class="reach" d="M{low:.1f} {HEIGHT / 2}H{high:.1f}"/>'
            f'<circle cx="{middle:.1f}" cy="{HEIGHT / 2}" r="4"/></svg>'
        )

    def _place(self, value: float) -> float:
        return ROOM + (WIDTH - 2 * ROOM) * (value - self._low) / ((self._high - self._low) or 1.0)
