"""All that many runs were told so far, run by run and pull by pull."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.feedback import Kind


class Heard(NamedTuple):
    """Pulls of runs in step; ``told`` says which had a verdict: the rows of the others say nothing."""

    kind: Kind
    heats: Indices  # (reps, pulls, size), arms increasing
    rows: Array  # (reps, pulls, size)
    told: Mask  # (reps, pulls)

    @property
    def reps(self) -> int:
        """How many runs there are."""
        return len(self.heats)

    def of(self, runs: Indices) -> Heard:
        """Return what some of the runs heard."""
        return Heard(self.kind, self.heats[runs], self.rows[runs], self.told[runs])


def sort_heats(heats: Indices, rows: Array) -> tuple[Indices, Array]:
    """Return heats with their arms increasing, and what they said in the same order."""
    order = np.argsort(heats, axis=-1)
    return np.take_along_axis(heats, order, axis=-1), np.take_along_axis(rows, order, axis=-1)


def place_arms(heats: Indices, n_arms: int) -> Indices:
    """Return where in a flat row of the arms of all runs those of heats ``(reps, ...)`` are."""
    runs = np.arange(len(heats)).reshape(-1, *(1,) * (heats.ndim - 1))
    return heats + runs * n_arms


def add_up(places: Indices, values: Array, shape: tuple[int, int]) -> Array:
    """Return the sum of the values at each place of a matrix."""
    sums = np.bincount(places.ravel(), weights=values.ravel(), minlength=shape[0] * shape[1])
    return sums.astype(np.float64, copy=False).reshape(shape)
