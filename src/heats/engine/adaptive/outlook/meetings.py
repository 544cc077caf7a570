"""Rewards → whether the arm that looks best is behind another whenever the two meet.

A fit of all rewards cannot be right everywhere: how far hopeless arms are behind counts up to a limit, and the more of
them an arm met, the less it seems to be ahead. What two arms got in the pulls that both were in needs no fit. If the
mean of these differences is beyond doubt, in standard errors of what such differences vary by, the two change places.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.outlook.heard import Heard, add_up, place_arms
from heats.engine.adaptive.outlook.rewards import scale_rows

BEYOND_DOUBT = 4.0  # standard errors
FEWEST_MEETINGS = 3
MOST_CHANGES = 5


def find_better(heard: Heard, best: Indices, merits: Array) -> Indices:
    """Return, run by run, the arm that is ahead of the best one beyond doubt, by merits if there are several, or it."""
    ahead = measure_lead(heard, best, merits.shape[1])
    candidates = np.where(ahead >= BEYOND_DOUBT, merits, -np.inf)
    better: Indices = np.where(np.isfinite(candidates).any(axis=1), candidates.argmax(axis=1), best)
    return better


def measure_lead(heard: Heard, other: Indices, n_arms: int) -> Array:
    """Return by how many standard errors arms are ahead of another one in the pulls with both ``(reps, n_arms)``."""
    shape = (heard.reps, n_arms)
    is_other = heard.heats == other[:, None]
    both = is_other.any(axis=0) & heard.told
    rows = np.where(both, heard.rows, 0.0)
    leads = scale_rows(np.where(both, rows - (rows * is_other).sum(axis=0), 0.0))
    met = both & ~is_other
    places = place_arms(heard.heats, n_arms)
    met, sums, squares = (add_up(places, each, shape) for each in (met.astype(float), leads, leads**2))
    left = np.maximum(squares - sums**2 / np.maximum(met, 1), 0.0).sum(axis=1, keepdims=True)
    noise = np.sqrt(left / np.maximum((met - 1).clip(0).sum(axis=1, keepdims=True), 1))
    error = np.maximum(noise, np.finfo(float).eps) * np.sqrt(met)
    return np.where(met >= FEWEST_MEETINGS, sums / np.maximum(error, np.finfo(float).tiny), 0.0)
