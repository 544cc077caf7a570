"""Random tables of limits and rates for the theory tests, in numbers that floating point holds exactly."""

from __future__ import annotations

import random

from heats.theory import Limits
from heats.theory.limits import Heat

GRAIN = 4096  # all values are multiples of 1/4096, so that sums and means over pulls are exact


def random_limits(draw: random.Random, n: int, k: int, best: int | None = 0) -> Limits:
    """Distinct random limits in every heat; ``best``, if given, is on top of every heat it is in."""
    table: dict[Heat, list[float]] = {}
    for heat in Limits(n, k, {}).heats():
        values = [value / GRAIN for value in draw.sample(range(GRAIN), len(heat))]
        if best in heat:
            top = values.index(max(values))
            mine = heat.index(best)
            values[mine], values[top] = values[top], values[mine]
        table[heat] = values
    return Limits(n, k, table)


def random_rate(draw: random.Random, longest: int = 64) -> list[float]:
    """Return strictly decreasing values of β(1), β(2), …, so many."""
    largest = draw.choice([GRAIN, GRAIN // 8, GRAIN // 32])  # some worlds are easy, some are hard
    return [value / GRAIN for value in sorted(draw.sample(range(1, largest), longest), reverse=True)]
