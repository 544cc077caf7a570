"""The worlds as data, and as environments that are drawn anew for every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.environments import Environment, Gaussian, Normal, PlackettLuce, Winners
from heats.environments.protocol import Rng

KINDS = ("winner", "reward")
ARMS = (8, 20, 50)
HEAT_SIZES = (2, 4)
SMALL, LARGE = 3, 15  # pulls per arm
LUCK = 2.0  # standard deviation of what the rewards of a pull share; that of their noise is 1

ADAPTIVE_ARMS = (50, 100)
ADAPTIVE_SIZES = (2, 4, 8)
ADAPTIVE_BUDGETS = (100, 200, 500)

FAMILY_ARMS = 50
FAMILY_SIZES = (2, 4, 10)
FAMILY_BUDGETS = (100, 500)

SHAPES: dict[str, Callable[[int, Rng], Array]] = {
    "sd 0.3": lambda n, rng: rng.normal(0, 0.3, n),
    "sd 1": lambda n, rng: rng.normal(0, 1, n),
    "sd 2": lambda n, rng: rng.normal(0, 2, n),
    "spaced": lambda n, rng: rng.permutation(np.linspace(-1, 1, n) * 3**0.5),
    "outlier": lambda n, rng: _set_apart(n, 2, rng),
    "near outlier": lambda n, rng: _set_apart(n, 1, rng),
}
PROMISED = ("sd 0.3", "sd 1", "sd 2", "spaced", "outlier")
FAMILY = {"paper": False, "paper, decoy": True}
SHARES = {"kept": 1, "adaptive": 2 / 3}  # of the runs; of other groups a quarter is played


class World(NamedTuple):
    """What is told in a world of which shape; its repr is part of what all its numbers are drawn from."""

    group: str  # one of GROUPS
    kind: str  # what is told: winner, reward or ranking
    shape: str  # one of SHAPES or FAMILY
    n_arms: int
    heat_size: int
    budget: int

    def count_runs(self, reps: int) -> int:
        """Return how many runs are played: fewer where they take long, and where nothing is promised."""
        share = SHARES.get(self.group, 1 / 4)
        return max(1, int(reps * share / (2 if self.group == "kept" and self.n_arms == ARMS[-1] else 1)))


def list_worlds() -> list[World]:
    """Return all worlds, group by group."""
    return [World(group, *each) for group, listed in GROUPS.items() for each in listed()]


Listed = Iterator[tuple[str, str, int, int, int]]


def _list_kept() -> Listed:
    for times, kind, shape, n, k in product((SMALL, LARGE), KINDS, PROMISED, ARMS, HEAT_SIZES):
        yield kind, shape, n, k, times * n


def _list_adaptive() -> Listed:
    yield from product(KINDS, FAMILY, ADAPTIVE_ARMS, ADAPTIVE_SIZES, ADAPTIVE_BUDGETS)


def _list_family() -> Listed:
    for kind, shape, k, budget in product(KINDS, FAMILY, FAMILY_SIZES, FAMILY_BUDGETS):
        yield kind, shape, FAMILY_ARMS, k, budget


def _list_near_outliers() -> Listed:
    for kind, n, k, times in product(KINDS, (8, 20), HEAT_SIZES, (SMALL, LARGE)):
        yield kind, "near outlier", n, k, times * n


def _list_tiny_budgets() -> Listed:
    for kind, shape, n, (k, times) in product(KINDS, ("sd 0.3", "sd 1", "sd 2"), ARMS, ((2, 2), (4, 1))):
        yield kind, shape, n, k, times * n


def _list_round_robin() -> Listed:
    for kind, shape, n, times in product(KINDS, ("sd 0.3", "sd 1"), (8, 20), (SMALL, LARGE)):
        yield kind, shape, n, 4, times * n


def _list_rankings() -> Listed:
    for shape, n, times in product(("sd 0.3", "sd 1", "sd 2"), (8, 20), (SMALL, LARGE)):
        yield "ranking", shape, n, 4, times * n


GROUPS: dict[str, Callable[[], Listed]] = {
    "kept": _list_kept,
    "adaptive": _list_adaptive,
    "family": _list_family,
    "near outlier": _list_near_outliers,
    "tiny budget": _list_tiny_budgets,
    "round-robin": _list_round_robin,
    "ranking": _list_rankings,
}


def draw_world(world: World, seed: int, rng: Rng) -> Environment:
    """Draw an environment of that shape."""
    if world.shape in FAMILY:
        drawn = Gaussian(world.n_arms, decoy=FAMILY[world.shape], seed=seed)
        return Winners(drawn) if world.kind == "winner" else drawn
    strengths = SHAPES[world.shape](world.n_arms, rng)
    if world.kind == "reward":
        return LuckyNormal(strengths, 1.0)
    return PlackettLuce(np.exp(strengths), "ranking" if world.kind == "ranking" else "winner")


class LuckyNormal(Normal):
    """Normal rewards, plus a luck that all arms of a pull share."""

    at_once = False

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw the rewards, then the luck of every pull."""
        rewards = super().sample(heats, pulls, rng)
        return rewards + LUCK * rng.standard_normal((*rewards.shape[:-1], 1))


def _set_apart(n_arms: int, lead: float, rng: Rng) -> Array:
    strengths = np.zeros(n_arms)
    strengths[rng.integers(n_arms)] = lead
    return strengths
