"""Pulls → the sets of arms that they were of: what is said of a set does not depend on when it was pulled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.randomness import draw_bits
from heats.engine.adaptive.heard import add_up


class Sets(NamedTuple):
    """The sets that were pulled, those of a run in a row; ``which`` of them every pull was of.

    What is known of them stands column by column: NumPy is slow along short rows.
    """

    arms: Indices  # (size, sets), increasing
    runs: Indices  # (sets,)
    which: Indices  # (reps, pulls)

    def add_up(self, values: Array) -> Array:
        """Return the sums over the pulls ``(reps, pulls, size)`` of every set ``(size, sets)``."""
        size, sets = self.arms.shape
        return add_up(self.which[..., None] + np.arange(size) * sets, values, (size, sets))

    def count_pulls(self, some: Mask) -> Array:
        """Return how many of some pulls ``(reps, pulls)`` every set had."""
        counts: Array = add_up(self.which, some.astype(np.float64), (1, self.runs.size))[0]
        return counts


def group_sets(heats: Indices) -> Sets:
    """Find pulls of the same set among heats ``(reps, pulls, size)``, whose arms are increasing."""
    reps, pulls, size = heats.shape
    bits = draw_bits(0, *np.moveaxis(heats, -1, 0))  # two sets of a million share theirs once in 10⁷ runs
    order = np.argsort(bits, axis=1)
    bits = np.take_along_axis(bits, order, axis=1)
    is_first = np.ones(bits.shape, dtype=bool)
    is_first[:, 1:] = bits[:, 1:] != bits[:, :-1]
    which = np.empty(bits.shape, dtype=np.int64)
    np.put_along_axis(which, order, np.cumsum(is_first).reshape(bits.shape) - 1, axis=1)
    firsts = (order + np.arange(reps)[:, None] * pulls)[is_first]
    return Sets(np.ascontiguousarray(heats.reshape(-1, size)[firsts].T), np.nonzero(is_first)[0], which)
