"""Intervals against SciPy, and the coverage they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heats.base.intervals import binomial_interval, mean_interval


@given(st.integers(1, 3000), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.999]))
def test_binomial_interval(trials: int, share: float, confidence: float) -> None:
    """The exact (Clopper-Pearson) interval of SciPy."""
    wins = round(share * trials)
    expected = stats.binomtest(wins, trials).proportion_ci(confidence, method="exact")
    assert binomial_interval(wins, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_shared_wins_are_rounded_outwards() -> None:
    """2.5 wins of 10: low as for 2, high as for 3."""
    low, high = binomial_interval(2.5, 10)
    assert (low, high) == (binomial_interval(2, 10)[0], binomial_interval(3, 10)[1])


def test_mean_interval_is_students() -> None:
    """Against SciPy's distribution."""
    values = np.random.default_rng(2).normal(size=7)
    low, high = mean_interval(values, 0.9)
    expected = stats.t.interval(0.9, 6, values.mean(), stats.sem(values))
    assert (low, high) == pytest.approx(expected)


def test_mean_interval_covers_as_often_as_it_says() -> None:
    """95 % of 4000 intervals from five normal draws hold the true mean, up to three standard errors."""
    draws = np.random.default_rng(1).normal(2.0, 3.0, size=(4000, 5))
    covered = sum(low <= 2.0 <= high for low, high in map(mean_interval, draws))
    assert abs(covered / 4000 - 0.95) < 3 * (0.95 * 0.05 / 4000) ** 0.5
