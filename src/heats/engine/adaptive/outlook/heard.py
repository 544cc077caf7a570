"""All that many runs were told so far, run by run and pull by pull."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import AnyArray, Array, Indices, Mask
from heats.engine.adaptive.outlook.gains import gain
from heats.engine.feedback import Kind


class Heard(NamedTuple):
    """Pulls of runs in step. The arms of a pull stand in a column: NumPy is slow along short rows."""

    kind: Kind | None  # while nothing is told it is not known
    heats: Indices  # (size, reps, pulls), increasing
    rows: Array  # (size, reps, pulls); 0 where there was no verdict
    gains: Array  # (size, reps, pulls), what is said of each arm if company decides
    told: Mask  # (reps, pulls), which had a verdict

    @property
    def reps(self) -> int:
        """How many runs there are."""
        return len(self.told)

    def of(self, runs: Indices) -> Heard:
        """Return what some of the runs heard."""
        if runs.size == self.reps:
            return self
        rows, gains = self.rows.take(runs, axis=1), self.gains.take(runs, axis=1)
        return Heard(self.kind, self.heats.take(runs, axis=1), rows, gains, self.told[runs])

    def keep(self, told: Mask) -> Heard:
        """Return what is left where some verdicts are void."""
        rows, gains = (np.where(told, each, 0.0) for each in (self.rows, self.gains))
        return Heard(self.kind, self.heats, rows, gains, told)


def hear_pulls(kind: Kind | None, heats: Indices, rows: Array, told: Mask) -> Heard:
    """Take in pulls: their heats and what was observed, both ``(reps, pulls, size)``, and which had a verdict."""
    order = np.argsort(heats, axis=-1)
    columns = np.where(told, _stand(rows, order), 0.0)
    return Heard(kind, _stand(heats, order), columns, gain(kind, columns), told)


def _stand(rows: AnyArray, order: Indices) -> AnyArray:
    """Return what was in rows ``(reps, pulls, size)`` in columns ``(size, reps, pulls)``, each in its order."""
    return np.ascontiguousarray(np.moveaxis(np.take_along_axis(rows, order, axis=-1), -1, 0))


def join(kind: Kind, batches: Sequence[Heard]) -> Heard:
    """Return all that batches heard, one after the other."""
    _, *parts = zip(*batches, strict=True)
    return Heard(kind, *(np.concatenate(part, axis=-1) for part in parts))


def place_arms(heats: Indices, n_arms: int) -> Indices:
    """Return where in a flat row of the arms of all runs those of heats ``(size, reps, pulls)`` are."""
    return heats + np.arange(heats.shape[1])[:, None] * n_arms


def add_up(places: Indices, values: Array | Mask, shape: tuple[int, ...]) -> Array:
    """Return the sum of the values at each place of an array of that shape."""
    sums = np.bincount(places.ravel(), weights=values.ravel(), minlength=math.prod(shape))
    return sums.astype(np.float64, copy=False).reshape(shape)  # of no values at all it counts in whole numbers
