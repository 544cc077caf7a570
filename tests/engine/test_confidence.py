"""Intervals against SciPy, and the coverage they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heats.base.intervals import beta_cdf, binomial_interval, mean_interval, student_quantile


@given(st.floats(0.001, 0.999), st.floats(0.5, 500), st.floats(0.5, 500))
def test_incomplete_beta(x: float, a: float, b: float) -> None:
    """Against SciPy over four orders of magnitude."""
    assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-9, abs=1e-13)


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


@given(st.floats(0.5001, 0.9999), st.integers(1, 1000))
def test_student_quantile(p: float, freedom: int) -> None:
    """Against SciPy."""
    assert student_quantile(p, freedom) == pytest.approx(stats.t.ppf(p, freedom), rel=1e-6, abs=1e-9)


def test_mean_interval_covers_as_often_as_it_says() -> None:
    """95 % of 4000 intervals from five normal draws hold the true mean, up to three standard errors."""
    draws = np.random.default_rng(1).normal(2.0, 3.0, size=(4000, 5))
    covered = sum(low <= 2.0 <= high for low, high in map(mean_interval, draws))
    assert abs(covered / 4000 - 0.95) < 3 * (0.95 * 0.05 / 4000) ** 0.5
