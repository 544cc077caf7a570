"""Comparisons of many runs in step → what every set of arms did: all that the posterior knows.

What is said of a set does not depend on when it was compared, so equal sets are merged. Comparisons of one size stand
together: the arms of a comparison in a column, since NumPy is slow along short rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import AnyArray, Array, Indices, Mask
from heats.base.randomness import draw_bits


class Comparisons(NamedTuple):
    """Comparisons of equal size, by run and in the order of their ids."""

    arms: Indices  # (size, reps, pulls), increasing
    rows: Array  # (size, reps, pulls), what was observed; 0 without a verdict
    told: Mask  # (reps, pulls), which had a verdict

    def of(self, runs: Indices) -> Comparisons:
        """Return those of some of the runs."""
        if runs.size == len(self.told):
            return self
        return Comparisons(self.arms.take(runs, axis=1), self.rows.take(runs, axis=1), self.told[runs])

    def keep(self, told: Mask) -> Comparisons:
        """Return what is left where some verdicts are void."""
        return Comparisons(self.arms, np.where(told, self.rows, 0.0), told)


def collect(heats: Indices, rows: Array, told: Mask) -> Comparisons:
    """Return comparisons given as heats and observations, both ``(reps, pulls, size)``."""
    order = np.argsort(heats, axis=-1)
    return Comparisons(_stand(heats, order), np.where(told, _stand(rows, order), 0.0), told)


def _stand(rows: AnyArray, order: Indices) -> AnyArray:
    """Return rows ``(reps, pulls, size)`` as columns ``(size, reps, pulls)``, each in its order."""
    return np.ascontiguousarray(np.moveaxis(np.take_along_axis(rows, order, axis=-1), -1, 0))


def join(batches: Sequence[Comparisons]) -> Comparisons:
    """Return the comparisons of several batches, one after the other."""
    return Comparisons(*(np.concatenate(part, axis=-1) for part in zip(*batches, strict=True)))


def add_up(places: Indices, values: Array | Mask, shape: tuple[int, ...]) -> Array:
    """Return the sum of the values at each place of an array of that shape."""
    sums = np.bincount(places.ravel(), weights=values.ravel(), minlength=math.prod(shape))
    return sums.astype(np.float64, copy=False).reshape(shape)  # of no values at all it counts in whole numbers


class Sets(NamedTuple):
    """The different sets among comparisons, those of a run in a row; ``which`` of them each comparison was of."""

    arms: Indices  # (size, sets), increasing
    runs: Indices  # (sets,)
    which: Indices  # (reps, pulls)

    @property
    def size(self) -> int:
        """How many arms a set has."""
        return len(self.arms)

    def add_up(self, values: Array) -> Array:
        """Return the sums over the comparisons ``(size, reps, pulls)`` of every set ``(size, sets)``."""
        return np.stack([add_up(self.which, each, self.runs.shape) for each in values])

    def count_told(self, some: Mask) -> Array:
        """Return how many of some comparisons ``(reps, pulls)`` every set had."""
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


def group_sets(arms: Indices) -> Sets:
    """Find the different sets among comparisons ``(size, reps, pulls)``, whose arms are increasing."""
    size, reps, pulls = arms.shape
    bits = draw_bits(0, *arms)  # two sets of a million share theirs once in 10⁷ runs
    order = np.argsort(bits, axis=1)
    bits = np.take_along_axis(bits, order, axis=1)
    is_first = np.ones(bits.shape, dtype=bool)
    is_first[:, 1:] = bits[:, 1:] != bits[:, :-1]
    which = np.empty(bits.shape, dtype=np.int64)
    np.put_along_axis(which, order, np.cumsum(is_first).reshape(bits.shape) - 1, axis=1)
    firsts = (order + np.arange(reps)[:, None] * pulls)[is_first]
    return Sets(arms.reshape(size, -1).take(firsts, axis=1), np.nonzero(is_first)[0], which)
