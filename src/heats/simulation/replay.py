"""Tournaments on a recorded table: how often which arm is found, and what that costs."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from heats.base.checks import whole
from heats.base.intervals import binomial_interval
from heats.engine.baselines import RoundRobin
from heats.engine.feedback import Kind
from heats.environments import Environment, RuntimeTable
from heats.errors import InvalidArgument
from heats.planning.plan import FeedbackHint, Plan
from heats.simulation.simulate import simulate


class Pick(msgspec.Struct, frozen=True):
    """An arm, how often it was found, and its value in the whole table."""

    name: str
    share: float
    low: float
    high: float
    value: float


class Replay(msgspec.Struct, frozen=True):
    """What tournaments on a table found. ``best_by`` says what the best arm is best by, and values are of."""

    rows: int
    arms: int
    feedback: str
    reps: int
    pulls: int
    best: str
    best_by: str
    picks: tuple[Pick, ...]  # the most frequent first, the best arm always among them
    best_share: float  # how often the best arm was found
    found_value: float  # mean value of the arm found
    best_value: float  # and of the best one
    total_seconds: (
        float | None
    )  # of runtimes: mean time of a tournament, its heats run in parallel, the first ends them


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
    if world.best is None or world.quality is None:
        raise InvalidArgument(f"{type(world).__name__} is not a recorded world; use heats.simulate.")
    cost = world.parallel_seconds if isinstance(world, RuntimeTable) else None
    found = simulate(algorithm, world, reps, seed, cost=cost, watch=watch)
    names = world.names or tuple(f"arm {arm}" for arm in range(world.n_arms))
    best_by, values = world.quality
    picks = []
    for arm in dict.fromkeys([*list(found.counts)[:top], world.best]):
        low, high = binomial_interval(found.counts.get(arm, 0), reps)
        picks.append(Pick(names[arm], found.counts.get(arm, 0) / reps, low, high, float(values[arm])))
    return Replay(
        rows=world.n_rows,
        arms=world.n_arms,
        feedback=hint_feedback(world),
        reps=reps,
        pulls=found.pulls,
        best=names[world.best],
        best_by=best_by,
        picks=tuple(picks),
        best_share=found.success_rate,
        found_value=float(values[found.winners].mean()),
        best_value=float(values[world.best]),
        total_seconds=None if found.costs is None else float(np.mean(found.costs)),
    )


def hint_feedback(world: Environment) -> FeedbackHint:
    """Return what a world tells, as plans call it."""
    told: dict[Kind, FeedbackHint] = {Kind.REWARDS: "reward", Kind.RANKING: "ranking"}
    return told.get(world.kind, "winner")
