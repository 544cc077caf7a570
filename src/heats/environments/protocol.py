"""What a world must say to be simulated in, one pull at a time or ten thousand tournaments at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from heats.base.arrays import Array, Indices
from heats.base.checks import refuse
from heats.engine.feedback import Arms, Kind, NoVerdict, Ranking, Winner
from heats.engine.machine import Machine
from heats.errors import InvalidArgument

Rng = np.random.Generator


class Environment(ABC):
    """A world of ``n_arms`` arms. ``best`` is the arm to find, if it is known; ``kind`` what its observations mean."""

    n_arms: int
    kind: Kind = Kind.REWARDS
    best: int | None = None
    names: tuple[str, ...] | None = None
    n_rows: int = 0  # of a recorded table
    quality: tuple[str, Array] | None = None  # what ``best`` is best by, and its value for every arm, where recorded
    ties: bool = True  # whether two arms of a pull may observe the same
    at_once: bool = False  # whether sample_mean draws the mean itself instead of all pulls
    fixed: bool = False  # whether nothing is random: the t-th pull of a heat always says the same
    silent: bool = False  # whether a pull may come to no verdict: then its observations are all NaN

    @abstractmethod
    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return observations ``(..., pulls, size)`` of the heats ``(..., size)``."""

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return the mean over all pulls ``(..., size)``; drawn from its own law where that is known."""
        observations = self.sample(heats, pulls, rng)
        mean: Array = np.mean(observations, axis=-2) if np.ndim(observations) > 1 else np.asarray(observations)
        return mean

    def block(self, start: int, reps: int) -> Environment:
        """Return the world of repetitions start..start+reps-1 of a simulation; their axis comes first in heats."""
        return self

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return what the mean observation of every arm of a heat tends to, where that is known."""
        raise InvalidArgument(f"{type(self).__name__} does not know its limits.")

    def win_shares(self, heat_size: int) -> Array:
        """Return every arm's mean share of wins over all heats of that size it is in, ties shared, where it is known.

        That is its exact Borda score by winners.
        """
        raise InvalidArgument(f"{type(self).__name__} does not know its win shares.")

    def feedback(self, arms: Arms, row: Sequence[float]) -> Any:
        """Return one pull's observations as what would be told."""
        if self.silent and np.isnan(row).all():
            return NoVerdict()
        if self.kind is Kind.REWARDS:
            return list(row)
        if self.kind is Kind.RANKING:
            return Ranking([arms[i] for i in np.argsort(-np.asarray(row), kind="stable")])
        winners = [arm for arm, share in zip(arms, row, strict=True) if share > 0]
        return Winner(*winners) if winners else Winner(None)


def play(machine: Machine, environment: Environment) -> Machine:
    """Play a machine to its end, pull by pull; each pull draws from the query's own seed."""
    check_world("environment", environment)
    pulled: Counter[tuple[int, ...]] = Counter()  # how often each set was pulled, for worlds in which that counts
    while query := machine.ask():
        _check_arms(query.arms, environment)
        rng = np.random.Generator(np.random.SFC64(query.seed))
        pulled[tuple(sorted(query.arms))] += 1
        pulls = pulled[tuple(sorted(query.arms))] if environment.fixed else 1
        row = environment.sample(np.array(query.arms), pulls, rng)[-1]
        machine.tell(query, environment.feedback(query.arms, row.tolist()))
    return machine


def check_world(name: str, value: Any) -> Environment:
    """Return ``value`` if it is a world, or refuse it."""
    if not isinstance(value, Environment):
        raise refuse(name, value, "is not a world; take one of heats.environments, or a subclass of Environment")
    return value


def _check_arms(arms: Arms, environment: Environment) -> None:
    if max(arms) >= environment.n_arms:
        raise InvalidArgument(
            f"the machine compares arm {max(arms)}, but the world has only {environment.n_arms} arms, counted from 0; "
            "make both for the same number of arms."
        )
