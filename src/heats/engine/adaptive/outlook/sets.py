"""Pulls → the sets of arms that they were of: what is said of a set does not depend on when it was pulled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.randomness import draw_bits
from heats.engine.adaptive.outlook.heard import add_up


class Sets(NamedTuple):
    """The sets that were pulled, those of a run in a row; ``which`` of them every pull was of."""

    arms: Indices  # (size, sets), increasing
    runs: Indices  # (sets,)
    which: Indices  # (reps, pulls)

    def add_up(self, values: Array) -> Array:
        """Return the sums over the pulls ``(size, reps, pulls)`` of every set ``(size, sets)``."""
        return np.stack([add_up(self.which, each, self.runs.shape) for each in values])

    def count_pulls(self, some: Mask) -> Array:
        """Return how many of some pulls ``(reps, pulls)`` every set had."""
        return add_up(self.which, some, self.runs.shape)

    def add_runs(self, values: Array | Mask) -> Array:
        """Return the sums over the sets ``(sets,)`` of every run ``(reps,)``."""
        return add_up(self.runs, values, self.which.shape[:1])

    def find(self, runs: Indices) -> tuple[Sets, Indices]:
        """Return the sets of some runs, which increase, and where among all they are."""
        place = np.full(len(self.which), -1)
        place[runs] = np.arange(runs.size)
        theirs = np.flatnonzero(place[self.runs] >= 0)
        number = np.empty(self.runs.size, dtype=np.int64)
        number[theirs] = np.arange(theirs.size)
        return Sets(self.arms.take(theirs, axis=1), place[self.runs[theirs]], number[self.which[runs]]), theirs


def group_sets(heats: Indices) -> Sets:
    """Find pulls of the same set among heats ``(size, reps, pulls)``, whose arms are increasing."""
    size, reps, pulls = heats.shape
    bits = draw_bits(0, *heats)  # two sets of a million share theirs once in 10⁷ runs
    order = np.argsort(bits, axis=1)
    bits = np.take_along_axis(bits, order, axis=1)
    is_first = np.ones(bits.shape, dtype=bool)
    is_first[:, 1:] = bits[:, 1:] != bits[:, :-1]
    which = np.empty(bits.shape, dtype=np.int64)
    np.put_along_axis(which, order, np.cumsum(is_first).reshape(bits.shape) - 1, axis=1)
    firsts = (order + np.arange(reps)[:, None] * pulls)[is_first]
    return Sets(heats.reshape(size, -1).take(firsts, axis=1), np.nonzero(is_first)[0], which)
