"""Exact and classical confidence intervals, without SciPy: binomial shares and paired means."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def binomial_interval(wins: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share; wins that are no whole number (ties) are rounded outwards."""
    tail = (1 - confidence) / 2
    fewest, most = math.floor(wins), math.ceil(wins)
    low = 0.0 if fewest == 0 else _solve(lambda p: beta_cdf(p, fewest, trials - fewest + 1), tail)
    high = 1.0 if most == trials else _solve(lambda p: beta_cdf(p, most + 1, trials - most), 1 - tail)
    return low, high


def mean_interval(values: NDArray[np.float64], confidence: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of the mean of independent ``values``, at least two."""
    spread = float(values.std(ddof=1)) / math.sqrt(values.size)
    reach = student_quantile((1 + confidence) / 2, values.size - 1) * spread
    return float(values.mean()) - reach, float(values.mean()) + reach


def student_quantile(p: float, freedom: int) -> float:
    """Return the p-quantile, p ≥ ½, of Student's t: t² / (t² + ν) is beta-distributed."""
    x = _solve(lambda u: beta_cdf(u, freedom / 2, 0.5), 2 * (1 - p))
    return math.sqrt(freedom * (1 - x) / x)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on one side only
        return 1 - beta_cdf(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (modified Lentz method)."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def _solve(increasing: Callable[[float], float], target: float) -> float:
    """Return x in (0, 1) with increasing(x) = target, by bisection to the last bit."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if increasing(middle) < target else (low, middle)
    return middle
