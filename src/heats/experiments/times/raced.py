"""A table of times → heats raced on it: the first to finish stops the others, so that their times are lower bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.environments import RuntimeTable
from heats.environments.protocol import Rng

LEAST_TIME = 1e-5  # of the cutoff: a clock that says 0 has not looked closely

Look = Callable[["Raced"], Array]  # heats → how good every arm looks (races, n_arms), larger is better


@dataclass(frozen=True)
class Raced:
    """The heats of many races at once: all arrays are (races, pulls, size)."""

    arms: Indices
    times: Array  # until the first finished, or the cutoff
    done: Mask  # who finished then
    alone: Array  # what each would have taken, had nobody been stopped before the cutoff
    n_arms: int
    cutoff: float

    @cached_property
    def _places(self) -> Indices:
        return self.arms + (np.arange(len(self.arms)) * self.n_arms)[:, None, None]

    def add_up(self, values: Array | Mask) -> Array:
        """Return sums by arm (races, n_arms) of values that every run has."""
        every = np.broadcast_to(values, self.arms.shape).astype(np.float64)
        sums = np.bincount(self._places.ravel(), every.ravel(), len(self.arms) * self.n_arms)
        return sums.astype(np.float64, copy=False).reshape(-1, self.n_arms)

    def look_up(self, by_arm: Array) -> Array:
        """Return for every run the value of its arm, of values (races, n_arms)."""
        found: Array = by_arm.ravel().take(self._places)
        return found

    def sort_runs(self) -> tuple[Indices, Indices]:
        """Return the order of all runs by arm, then by time, those that finished first; and the arms in that order."""
        places = self._places.ravel()
        order = np.lexsort((~self.done.ravel(), self.times.ravel(), places))
        return order, places[order]

    def join(self, later: Raced) -> Raced:
        """Return these heats and later ones of the same races."""
        arms, times, done, alone = (
            np.concatenate([getattr(self, name), getattr(later, name)], axis=1)
            for name in ("arms", "times", "done", "alone")
        )
        return Raced(arms, times, done, alone, self.n_arms, self.cutoff)


class Track:
    """A table to race on; every pull draws a row."""

    def __init__(self, world: RuntimeTable) -> None:
        self.n_arms = world.n_arms
        self._cutoff = world.cutoff
        self._times = np.maximum(world.seconds, LEAST_TIME * world.cutoff)

    def race(self, arms: Indices, rng: Rng) -> Raced:
        """Race heats."""
        rows = rng.integers(len(self._times), size=(*arms.shape[:2], 1))
        alone = self._times[rows, arms]
        first = np.minimum(alone.min(axis=-1, keepdims=True), self._cutoff)
        times, done = np.broadcast_to(first, arms.shape), alone <= first
        return Raced(arms, times, done, np.minimum(alone, self._cutoff), self.n_arms, self._cutoff)

    def race_all(self, races: int, size: int, pulls: int, rng: Rng) -> Raced:
        """Race heats of all arms, which take turns."""
        return self.race(deal(self._line_up(races), size, pulls, rng), rng)

    def race_halving(self, look: Look, races: int, size: int, pulls: int, rng: Rng) -> tuple[Raced, Indices]:
        """Race in stages of equally many pulls; the half that looks best by all heats so far stays.

        Return all heats, and the arms that are left (races, size).
        """
        left = self._line_up(races)
        counts = list_stages(self.n_arms, size)
        raced: Raced | None = None
        for stage, count in enumerate(counts):
            left = left if raced is None else choose(look(raced), left, count)
            part = pulls * (stage + 1) // len(counts) - pulls * stage // len(counts)
            more = self.race(deal(left, size, part, rng), rng)
            raced = more if raced is None else raced.join(more)
        assert raced is not None  # there is a stage, however few arms there are
        return raced, left

    def _line_up(self, races: int) -> Indices:
        return np.tile(np.arange(self.n_arms), (races, 1))


def list_stages(n_arms: int, size: int) -> list[int]:
    """Return how many arms race in every stage: half as many as before, until one heat holds them all."""
    counts = [n_arms]
    while counts[-1] > size:
        counts.append(max(size, -(-counts[-1] // 2)))
    return counts


def deal(left: Indices, size: int, pulls: int, rng: Rng) -> Indices:
    """Deal heats (races, pulls, size) of the arms left (races, arms): nobody again before all others had a turn."""
    races, count = left.shape
    at_once = count // size
    turns = -(-pulls // at_once)
    order = rng.random((races, turns, count)).argsort(axis=-1)[..., : at_once * size]
    seats = order.reshape(races, turns * at_once * size)[:, : pulls * size]
    return np.take_along_axis(left, seats, axis=1).reshape(races, pulls, size)


def choose(looks: Array, left: Indices, count: int) -> Indices:
    """Return those of the arms left that look best, best first."""
    order = np.argsort(-np.take_along_axis(looks, left, axis=1), axis=1, kind="stable")[:, :count]
    return np.take_along_axis(left, order, axis=1)
