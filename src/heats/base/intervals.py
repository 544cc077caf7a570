"""Exact and classical confidence intervals: shares of wins, and means."""

from __future__ import annotations

import math

import numpy as np

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

    first, apart = float(values[0]), values - values[0]
    largest = float(np.abs(apart).max()) or 1.0  # taken out, so that no square over- or underflows
    error = float((apart / largest).std(ddof=1)) / math.sqrt(values.size) * largest
    middle, reach = first + float(apart.mean()), float(stdtrit(values.size - 1, (1 + confidence) / 2)) * error
    return middle - reach, middle + reach
