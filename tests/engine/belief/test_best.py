"""Chances to be the best, against Monte Carlo of the same normal numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from heats.engine.belief.best import Marginals, find_chances, find_independent_chances, order_leading


def of_field(means: np.ndarray, deviations: np.ndarray) -> Marginals:
    """Return what is known of arms of which none is an outlier."""
    return Marginals(np.stack([means, means]), np.stack([deviations, deviations]), np.zeros(means.shape))


def sample(means: np.ndarray, roots: np.ndarray, draws: int = 50_000) -> np.ndarray:
    """Return how often each of normal numbers was the largest."""
    points = means + np.random.default_rng(0).normal(size=(draws, roots.shape[1])) @ roots.T
    found: np.ndarray = np.bincount(points.argmax(axis=1), minlength=means.size) / draws
    return found


@pytest.mark.parametrize(("n", "spread"), [(2, 1.0), (5, 0.3), (5, 3.0), (40, 1.0), (100, 0.5)])
def test_independent_chances_are_those_of_draws(n: int, spread: float) -> None:
    """(8) is a sum over thirty intervals: good to less than a percentage point, as are the draws."""
    rng = np.random.default_rng(n)
    means, deviations = rng.normal(0, spread, n), rng.uniform(0.3, 2, n)
    found = find_independent_chances(of_field(means[None], deviations[None]))[0]
    assert found == pytest.approx(sample(means, np.diag(deviations)), abs=0.006)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize(("ratio", "error"), [(1.0, 0.001), (3.0, 0.003), (10.0, 0.006), (100.0, 0.03), (1000.0, 0.05)])
def test_of_two_arms_the_chance_is_a_normal_tail(ratio: float, error: float) -> None:
    """The intervals of (8) are coarse beside an arm that is known a hundred times better than another."""
    leads = np.linspace(-3, 3, 25)
    means, deviations = np.stack([leads, 0 * leads], axis=1), np.array([[1.0, 1 / ratio]])
    found = find_independent_chances(of_field(means, np.repeat(deviations, 25, axis=0)))[:, 0]
    assert found == pytest.approx(norm.cdf(leads / np.hypot(1, 1 / ratio)), abs=error)


def draw_joint(n: int, seed: int, common: float) -> tuple[np.ndarray, np.ndarray]:
    """Return means and a root of a covariance; what is common is large where arms were compared with each other."""
    rng = np.random.default_rng(seed)
    own = np.diag(rng.uniform(0.4, 1.2, n))
    return rng.normal(0, 0.7, n), np.hstack([own, common * rng.normal(size=(n, 3))])


@pytest.mark.parametrize(("n", "common", "error"), [(3, 0.0, 0.01), (3, 0.7, 0.04), (8, 0.5, 0.05), (30, 0.5, 0.05)])
def test_correlated_chances_are_near_those_of_draws(n: int, common: float, error: float) -> None:
    """Given an arm others are taken as independent of each other, which costs up to five percentage points."""
    for seed in range(3):
        means, roots = draw_joint(n, seed, common)
        covariance = roots @ roots.T
        deviations = np.sqrt(np.diagonal(covariance))
        front = order_leading(find_independent_chances(of_field(means[None], deviations[None])))
        inner = covariance[np.ix_(front[0], front[0])]
        found = find_chances(of_field(means[None], deviations[None]), front, inner[None])[0]
        exact = sample(means, roots)
        assert found == pytest.approx(exact, abs=error)
        assert found.sum() == pytest.approx(1)


def test_correlations_matter() -> None:
    """Two that are nearly one number, one ahead of the other: as independent numbers they would have equal chances."""
    covariance = np.array([[1.0, 0.99], [0.99, 1.0]])
    means = np.array([[0.3, 0.0]])
    found = find_chances(of_field(means, np.ones((1, 2))), np.array([[0, 1]]), covariance[None])[0]
    exact = norm.cdf(0.3 / np.sqrt(0.02))
    assert found[0] == pytest.approx(exact, abs=0.01)
    assert find_independent_chances(of_field(means, np.ones((1, 2))))[0, 0] < 0.6


def test_who_is_the_same_as_another_has_its_chance() -> None:
    """To the last bit, whatever their numbers; also with others that are correlated."""
    means = np.array([[0.1, 0.5, 0.1, 0.1, 0.5]])
    deviations = np.array([[1.0, 0.6, 1.0, 1.0, 0.6]])
    covariance = np.diag(deviations[0] ** 2) + 0.01
    front = order_leading(find_independent_chances(of_field(means, deviations)))
    inner = covariance[np.ix_(front[0], front[0])]
    found = find_chances(of_field(means, deviations), front, inner[None])[0]
    assert len(set(found[[0, 2, 3]].tolist())) == 1
    assert found[1] == found[4]


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6)), min_size=1, max_size=40).map(
        lambda rows: np.array(rows).T
    )
)
def test_chances_sum_to_one_whatever_is_known(known: np.ndarray) -> None:
    """Numbers a million deviations apart, and deviations that differ by twelve orders."""
    means, deviations = known[0][None], known[1][None]
    chances = find_independent_chances(of_field(means, deviations))
    front = order_leading(chances)
    covariances = np.diag(deviations[0, front[0]] ** 2)[None]
    for found in (chances, find_chances(of_field(means, deviations), front, covariances)):
        assert found.sum() == pytest.approx(1)
        assert (found >= 0).all()
        assert (found <= 1 + 1e-12).all()


@pytest.mark.parametrize(("n", "weight", "error"), [(3, 0.2, 0.02), (5, 0.2, 0.03), (10, 0.2, 0.04), (20, 9.0, 0.02)])
def test_what_all_arms_have_in_common_does_not_matter(n: int, weight: float, error: float) -> None:
    """Comparisons tell differences, and a weak prior leaves the mean of all strengths unknown."""
    rng = np.random.default_rng(n)
    precision = 0.375 * np.eye(n)
    for _ in range(8 * n):
        one, other = rng.choice(n if rng.random() < 0.4 else min(n, 4), 2, replace=False)
        precision[[one, other], [one, other]] += weight
        precision[[one, other], [other, one]] -= weight
    covariance = np.linalg.inv(precision)
    apart = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    means = rng.normal(0, apart, n) - 2 * apart * (np.arange(n) >= 4)
    exact = sample(means, np.linalg.cholesky(covariance))
    for common in (0.0, 5.0):
        deviations = np.sqrt(np.diagonal(covariance + common))[None]
        front = order_leading(find_independent_chances(of_field(means[None], deviations)))
        inner = (covariance + common)[np.ix_(front[0], front[0])][None]
        assert find_chances(of_field(means[None], deviations), front, inner)[0] == pytest.approx(exact, abs=error)


@pytest.mark.parametrize(("common", "error"), [(0.0, 0.005), (0.5, 0.03)])
def test_arms_that_may_be_outliers_have_the_chances_of_draws_of_both_kinds(common: float, error: float) -> None:
    """A wider normal number instead would be off by up to four points here."""
    n, draws = 8, 200_000
    rng = np.random.default_rng(4)
    means, roots = draw_joint(n, 4, common)
    covariance, outlier = roots @ roots.T, np.array([0.9, 0.5, 0.1, 0.05, 0.05, 0.0, 0.02, 0.3])
    farther, wider = np.array([2.0, 1.0, 3.0, 2.0, -2.0, 0.0, 4.0, 1.0]), np.full(n, 1.5)
    variances = np.diagonal(covariance)
    arms = Marginals(
        np.stack([means, means + farther])[:, None], np.sqrt([variances, variances + wider])[:, None], outlier[None]
    )
    front = order_leading(find_independent_chances(arms))
    found = find_chances(arms, front, covariance[np.ix_(front[0], front[0])][None])[0]
    field = means + rng.normal(size=(draws, roots.shape[1])) @ roots.T
    far = farther + rng.normal(size=(draws, n)) * np.sqrt(wider)
    exact = np.bincount((field + (rng.random((draws, n)) < outlier) * far).argmax(axis=1), minlength=n) / draws
    assert found == pytest.approx(exact, abs=error)


def test_arms_that_were_never_seen_do_not_make_leaders_blurred() -> None:
    """Leaders are known far better than arms of which nothing is known, and these may be outliers."""
    n, unseen, draws = 60, 20, 100_000
    rng = np.random.default_rng(8)
    means = np.concatenate([np.zeros(unseen), np.sort(rng.normal(0, 1, n - unseen))])
    field = np.concatenate([np.ones(unseen), np.full(n - unseen, 0.05)])
    far = np.concatenate([np.full(unseen, 4.0), field[unseen:]])
    outlier = np.concatenate([np.full(unseen, 1 / n), np.zeros(n - unseen)])
    arms = Marginals(np.stack([means, means])[:, None], np.stack([field, far])[:, None], outlier[None])
    wide = np.where(rng.random((draws, n)) < outlier, far, field)
    exact = np.bincount((means + wide * rng.normal(size=(draws, n))).argmax(axis=1), minlength=n) / draws
    assert find_independent_chances(arms)[0] == pytest.approx(exact, abs=0.008)
