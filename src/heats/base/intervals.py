"""Exact and classical confidence intervals: shares of wins, and means."""

from __future__ import annotations

import math

from heats.base.arrays import Array


def binomial_interval(wins: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share; wins that are not a whole number (ties) are rounded outwards."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    fewest, most = math.floor(wins), math.ceil(wins)
    low = 0.0 if fewest == 0 else float(betaincinv(fewest, trials - fewest + 1, tail))
    high = 1.0 if most == trials else float(betaincinv(most + 1, trials - most, 1 - tail))
    return low, high


def mean_interval(values: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of the mean of independent ``values``, at least two."""
    from scipy.special import stdtrit

    spread = float(values.std(ddof=1)) / math.sqrt(values.size)
    reach = float(stdtrit(values.size - 1, (1 + confidence) / 2)) * spread
    return float(values.mean()) - reach, float(values.mean()) + reach
