"""Tournaments on a recorded table: how often which arm is found, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from heats.engine.baselines import RoundRobin
from heats.engine.checks import whole
from heats.engine.confidence import binomial_interval
from heats.engine.plan import Plan
from heats.environments import Environment, RuntimeTable
from heats.simulation import simulate


class Pick(msgspec.Struct, frozen=True):
    """An arm and how often it was found; for runtimes, its mean seconds per instance."""

    name: str
    share: float
    low: float
    high: float
    seconds: float | None


class Replay(msgspec.Struct, frozen=True):
    """What so many tournaments on a table found."""

    rows: int
    arms: int
    reps: int
    pulls: int
    best: str
    picks: tuple[Pick, ...]  # the most frequent first, the best arm always among them
    best_share: float  # how often the best arm was found
    pick_seconds: float | None  # mean seconds of the arm found
    best_seconds: float | None  # and of the best one
    total_seconds: float | None  # mean time of a whole tournament, its heats run in parallel and stopped at the first


def replay(
    world: Environment,
    algorithm: Plan | RoundRobin,
    reps: int,
    seed: int = 0,
    top: int = 5,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Replay:
    """Play an algorithm on a recorded world."""
    whole("top", top, 1)
    runtimes = world if isinstance(world, RuntimeTable) else None
    found = simulate(algorithm, world, reps, seed, cost=runtimes.parallel_seconds if runtimes else None, watch=watch)
    names = world.names or tuple(f"arm {arm}" for arm in range(world.n_arms))
    best = world.best
    assert best is not None  # every recorded world knows its best arm
    shown = list(found.counts)[:top]
    picks = [_pick(arm, names, found.counts.get(arm, 0), reps, runtimes) for arm in dict.fromkeys([*shown, best])]
    seconds = None if runtimes is None else runtimes.mean_seconds
    return Replay(
        rows=getattr(world, "n_rows", 0),
        arms=world.n_arms,
        reps=reps,
        pulls=found.pulls,
        best=names[best],
        picks=tuple(picks),
        best_share=found.success_rate,
        pick_seconds=None if seconds is None else float(seconds[found.winners].mean()),
        best_seconds=None if seconds is None else float(seconds[best]),
        total_seconds=None if found.costs is None else float(np.mean(found.costs)),
    )


def _pick(arm: int, names: Sequence[str], count: int, reps: int, runtimes: RuntimeTable | None) -> Pick:
    low, high = binomial_interval(count, reps)
    return Pick(names[arm], count / reps, low, high, None if runtimes is None else float(runtimes.mean_seconds[arm]))
