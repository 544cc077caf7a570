"""How often arms were chosen → log-likelihood ratios of "this arm is the best of all" to "no arm of the set is".

In a set of m arms whose shares of choices are unknown, with a Dirichlet prior of shape a, an arm is chosen w of W times
with a probability of Γ(a + w) Γ((m − 1)a + W − w) / Γ(ma + W), up to a constant; the best arm with p^w (1 − p)^(W − w).
"""

from __future__ import annotations

import math

import numpy as np

from heats.base.arrays import Array
from heats.engine.belief.settings import SHARES_SHAPE


def compare_tallies(wins: Array, times: Array, size: int) -> Array:
    """Return R of equation (1) as weights of log p and log(1 − p) and a constant ``(3, …)``."""
    others = times - wins
    log_usual = log_rising(wins) + log_rising(others, size - 1) - log_rising(times, size)
    return np.stack([wins, others, -log_usual])


def log_rising(counts: Array, arms: int = 1) -> Array:
    """Return log Γ(s + count) − log Γ(s), s the shape of so many arms; counts are whole numbers unless arms tied."""
    from scipy.special import gammaln

    whole, start = counts.astype(np.int64), arms * SHARES_SHAPE
    if (whole == counts).all():
        known = np.cumsum(np.concatenate([[0.0], np.log(start + np.arange(int(whole.max(initial=0))))]))
        return known.take(whole)
    rising: Array = gammaln(start + counts) - math.lgamma(start)
    return rising
