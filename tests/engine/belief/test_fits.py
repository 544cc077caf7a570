"""Outliers among strengths: against integrals over a prior with two components."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from heats.engine.belief.fits import Fit, allow_outliers
from heats.engine.belief.matrices import Roots
from heats.engine.belief.settings import FARTHEST_OUTLIER, FURTHER_APART


def know(middles: np.ndarray, errors: np.ndarray, variance: float, noise: float) -> Fit:
    """Return a fit of one run of which the data say normal numbers, by the field alone."""
    precision = 1 / errors + 1 / variance
    strengths = middles / errors / precision
    log_evidence = norm.logpdf(middles, 0, np.sqrt((errors + variance) * noise)).sum(keepdims=True)
    spread, prior, (third, *nobody) = (
        np.sqrt([variance * noise]),
        np.array([[variance]]),
        np.zeros((4, 1, middles.size)),
    )
    return Fit(strengths[None], precision[None], third, [], np.array([noise]), log_evidence, spread, prior, *nobody)


@pytest.mark.parametrize("noise", [1.0, 0.01, 25.0])
@pytest.mark.parametrize("variance", [0.1, 1.0, 4.0])
def test_outliers_are_weighed_as_an_integral_says(variance: float, noise: float) -> None:
    """Means, variances and log evidence of a field in which each arm has chance 1/n to be from a wider one."""
    errors = np.array([0.05, 2.0, 0.3, 1.0, 0.1])
    middles = np.array([0.2, -1.0, 6.0, 3.5, -2.0]) * math.sqrt(noise)
    fit = know(middles, errors, variance, noise)
    found = allow_outliers(fit, fit.strengths / variance, np.array([[variance]]))
    near = math.sqrt(variance * noise)
    grid = np.linspace(-20, 20, 40_001) * math.sqrt(noise)
    prior = 0.8 * norm.pdf(grid, 0, near) + 0.2 * norm.pdf(grid, 0, near * FURTHER_APART)
    weights = prior * norm.pdf(middles[:, None], grid, np.sqrt(errors * noise)[:, None]) * (grid[1] - grid[0])
    total = weights.sum(axis=1)
    means = weights @ grid / total
    assert found.strengths[0] == pytest.approx(means, abs=1e-5 * math.sqrt(noise))
    assert 1 / found.precision[0] == pytest.approx(weights @ grid**2 / total - means**2, rel=1e-3)
    assert found.log_evidence[0] == pytest.approx(np.log(total).sum(), abs=1e-6)


def test_one_far_ahead_is_an_outlier_and_not_drawn_back() -> None:
    """Others stay what they were, and know no more of each other."""
    middles = np.array([0.3, -0.5, 0.1, 8.0])
    fit = know(middles, np.full(4, 0.1), 0.5, 1.0)
    found = allow_outliers(fit, fit.strengths / 0.5, np.array([[0.5]]))
    assert found.strengths[0, :3] == pytest.approx(fit.strengths[0, :3], abs=0.02)
    assert fit.strengths[0, 3] < 6.7
    assert found.strengths[0, 3] > 7.9
    assert found.log_evidence[0] > fit.log_evidence[0] + 10


def test_what_choices_say_of_an_outlier_is_near_the_mode() -> None:
    """A fit that ended early, of an arm that won all, leaves a slope where the data have next to no precision."""
    precision, slope, mode = (
        np.array([[0.2 + 1e-12, 3.0, 3.0]]),
        np.array([[0.75, 0.0, 0.0]]),
        np.array([[7, 0.1, -0.2]]),
    )
    rest = np.ones(1), np.zeros(1), np.array([math.sqrt(5)]), np.array([[0.75]])
    third, *nobody = np.zeros((4, 1, 3))
    fit = Fit(mode, precision, third, [], *rest, *nobody)
    found = allow_outliers(fit, slope, np.array([[5.0]]), FARTHEST_OUTLIER)
    assert found.strengths[0, 0] <= 7.0 + FARTHEST_OUTLIER
    assert found.strengths[0, 1:] == pytest.approx([0.1, -0.2], abs=0.05)


def test_some_runs_of_a_fit_are_what_they_were() -> None:
    """With their columns, renumbered."""
    rng = np.random.default_rng(1)
    runs = np.array([0, 1, 1, 2, 4])
    columns = [Roots(np.array([[0, 1, 0, 0, 1], [1, 2, 2, 2, 2]]), runs, rng.uniform(0, 0.3, (2, 5)))]
    fit = Fit(
        mode=rng.normal(size=(5, 3)),
        diagonal=rng.uniform(1, 2, (5, 3)),
        third=rng.normal(size=(5, 3)),
        columns=columns,
        noise=rng.uniform(1, 2, 5),
        log_evidence=rng.normal(size=5),
        spread=rng.uniform(1, 2, 5),
        prior=np.ones((5, 1)),
        outlier=rng.uniform(0, 1, (5, 3)),
        farther=rng.normal(size=(5, 3)),
        wider=rng.uniform(0, 0.1, (5, 3)),
    )
    some = np.array([1, 3, 4])
    taken = fit.take(some)
    every = np.broadcast_to(np.arange(3), (5, 3))
    assert taken.find_covariances(every[some]) == pytest.approx(fit.find_covariances(every)[some])
    assert taken.precision == pytest.approx(fit.precision[some])
    for name in ("mode", "third", "strengths", "noise", "log_evidence", "spread", "prior"):
        assert getattr(taken, name).tolist() == getattr(fit, name)[some].tolist()
