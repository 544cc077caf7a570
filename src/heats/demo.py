"""A simulated problem to show a tournament: solver configurations raced side by side, the first finisher wins."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

from heats.engine.feedback import Race
from heats.engine.machine import Query
from heats.find import Found, find_best


class Configuration(NamedTuple):
    """An imaginary solver: its typical seconds per instance, and how much they vary."""

    name: str
    typical: float
    spread: float


def configurations(n: int, seed: int) -> list[Configuration]:
    """Return ``n`` imaginary solvers; which one is the fastest depends on the seed."""
    draw = random.Random(seed)
    return [Configuration(f"solver {i + 1}", draw.uniform(1, 10), draw.uniform(0.2, 0.6)) for i in range(n)]


def race(heat: tuple[Configuration, ...], query: Query) -> Race:
    """Run all of a heat on one simulated instance and stop when the first has finished."""
    draw = random.Random(query.seed)
    seconds = [solver.typical * draw.lognormvariate(0, solver.spread) for solver in heat]
    fastest = min(seconds)
    return Race([(heat[seconds.index(fastest)], fastest)])


def play(
    n_arms: int, heat_size: int, budget: int, strategy: str, seed: int, pause: float, *, blind: bool = False
) -> tuple[Found, Configuration]:
    """Race the solvers, with a pause after each heat so that it can be watched; also return the truly fastest."""
    solvers = configurations(n_arms, seed)

    def compare(heat: tuple[Configuration, ...], query: Query) -> Race:
        time.sleep(pause)
        return race(heat, query)

    found = find_best(
        solvers,
        compare,
        budget=budget,
        heat_size=heat_size,
        strategy=strategy,
        blind=blind,
        seed=seed,
        names=[solver.name for solver in solvers],
        progress=True,
    )
    return found, min(solvers, key=lambda solver: solver.typical)
