"""A simulated problem to show find_best: solver configurations raced side by side, the first finisher wins."""

from __future__ import annotations

import random
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from heats.engine.feedback import Race
from heats.engine.machine import Query
from heats.journal import JournalFile
from heats.journal.origin import DemoOrigin
from heats.running.find_best import find_best
from heats.running.found import Found
from heats.running.strategies import choose_heat_size

if TYPE_CHECKING:
    from concurrent.futures import Executor


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


def race_slowly(pause: float, heat: tuple[Configuration, ...], query: Query) -> Race:
    """Race after a pause, so that it can be watched."""
    time.sleep(pause)
    return race(heat, query)


def play(
    n_arms: int,
    heat_size: int | None,
    budget: int,
    strategy: str | None,
    seed: int,
    pause: float,
    *,
    blind: bool = False,
    sure: float | None = None,
    journal: str | None = None,
    executor: Executor | None = None,
) -> tuple[Found, Configuration]:
    """Race the solvers; also return the truly fastest. A journal says how to go on with the same ones."""
    solvers = configurations(n_arms, seed)
    origin = DemoOrigin(
        n_arms=n_arms,
        heat_size=choose_heat_size(heat_size, n_arms),
        budget=budget,
        strategy=strategy,
        seed=seed,
        pause=pause,
        blind=blind,
        sure=sure,
    )
    found = find_best(
        solvers,
        partial(race_slowly, pause if sys.stderr is not None and sys.stderr.isatty() else 0.0),
        budget=budget,
        heat_size=heat_size,
        strategy=strategy,
        feedback="winner",
        blind=blind,
        sure=sure,
        seed=seed,
        names=[solver.name for solver in solvers],
        progress=True,
        journal=None if journal is None else JournalFile(journal, command=origin),
        executor=executor,
    )
    return found, min(solvers, key=lambda solver: solver.typical)
