"""Rates: inverses by search, closed forms never below them, and bounds that hold as often as they say."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.errors import InvalidArgument
from heats.theory import Average, Categorical, Slowest, SubGaussian, UserRate


@given(st.floats(0.01, 5), st.floats(0.05, 3))
def test_the_inverse_is_the_first_t_that_is_close_enough(scale: float, alpha: float) -> None:
    """Against count_progress up."""
    rate = UserRate(lambda t: scale / math.sqrt(t))
    first = next(t for t in itertools.count(1) if scale / math.sqrt(t) <= alpha)
    assert rate.pulls_until(alpha) == first
    assert rate(first) == scale / math.sqrt(first)
    below = next(t for t in itertools.count(1) if scale / math.sqrt(t) < alpha)
    assert rate.pulls_below(alpha) == below >= first


def test_the_inverse_of_a_maximum_is_the_maximum_of_the_inverses() -> None:
    """Erratum 8: the paper's minimum would stop before the slow one has settled."""
    fast, slow = UserRate(lambda t: 1 / t), UserRate(lambda t: 4 / t)
    both = Slowest([fast, slow])
    assert (fast.pulls_until(0.5), slow.pulls_until(0.5), both.pulls_until(0.5)) == (2, 8, 8)
    assert both.rate(2) == 2.0 > 0.5  # after the minimum of the inverses it is not settled
    assert Average([fast, slow]).rate(1) == 2.5


@pytest.mark.parametrize("tight", [False, True])
def test_rates_never_increase(tight: bool) -> None:
    """From the first pull on, for failure probabilities from tiny to nearly one."""
    for gamma in (1e-9, 0.01, 0.5, 0.9, 0.999):
        for rate in (SubGaussian(0.3, gamma, tight=tight), Categorical(gamma, tight=tight)):
            values = [rate.rate(t) for t in [*range(1, 200), 10**4, 10**9, 10**15]]
            assert values == sorted(values, reverse=True)


def test_the_printed_constants() -> None:
    """c_γ(t) of Appendix E, written out."""
    gamma, sigma, t = 0.05, 0.4, 17
    inside = 10 ** (2 / 3) * math.log(3 * t / 2) / (gamma ** (2 / 3) * math.log(3 / 2))
    assert SubGaussian(sigma, gamma).rate(t) == pytest.approx(
        2 * (1 + math.sqrt(0.5)) * math.sqrt(3 * sigma**2 / t * math.log(inside))
    )
    assert SubGaussian(sigma, gamma, tight=True).rate(t) == pytest.approx(SubGaussian(sigma, gamma).rate(t) / 2)
    tight = math.sqrt(2 * math.log(math.pi**2 * t**2 / (3 * gamma)) / t)
    assert Categorical(gamma, tight=True).rate(t) == pytest.approx(tight)
    assert Categorical(gamma).rate(t) == pytest.approx(math.sqrt(4 * math.log(2 * math.pi**2 * t**2 / (3 * gamma)) / t))


def test_closed_forms_are_never_below_the_exact_inverse() -> None:
    """Over a grid of (δ, ε, k, R, σ), the awkward corner of large ε/σ included."""
    checked = 0
    for delta, gap, k, rounds in itertools.product(
        (1e-6, 0.01, 0.1, 0.5, 0.99), (1e-3, 0.01, 0.1, 0.5, 1.0, 4.0, 50.0), (2, 5, 64), (1, 4, 50)
    ):
        winner = Categorical(delta / rounds)
        assert winner.closed_form(gap / 2) >= winner.pulls_until(gap / 2)
        for sigma in (0.01, 0.2, 1.0, 10.0):
            reward = SubGaussian(sigma, delta / (k * rounds))
            assert reward.closed_form(gap / 2) >= reward.pulls_until(gap / 2)
            checked += 1
    assert checked == 5 * 7 * 3 * 3 * 4


def test_closed_forms_as_printed() -> None:
    """The two displays at the end of Appendix E, written out."""
    delta, gap, k, rounds, sigma = 0.05, 0.1, 4, 9, 0.3
    front = 48 * (1 + math.sqrt(0.5)) ** 2 * sigma**2 / gap**2
    share = (10 * k * rounds) ** (2 / 3) / (delta ** (2 / 3) * math.log(1.5))
    inner = math.log(72 * (1 + math.sqrt(0.5)) ** 2 * sigma**2 * share / gap**2)
    assert (
        SubGaussian(sigma, delta / (k * rounds)).closed_form(gap / 2)
        == math.ceil(front * math.log(2 * share * inner)) + 1
    )
    ratio = 32 * math.sqrt(2 * rounds / (3 * delta)) * math.pi / gap**2
    expected = math.ceil(32 / gap**2 * (math.log(ratio * math.e) + math.log(math.log(ratio)))) + 1
    assert Categorical(delta / rounds).closed_form(gap / 2) == expected


def test_a_shared_confidence_may_be_beyond_floating_point() -> None:
    """One set among C(2000, 1000): the logarithm is all that counts."""
    among = math.comb(2000, 1000)
    assert Categorical(0.05, among=100).rate(9) == pytest.approx(Categorical(0.0005).rate(9))
    assert SubGaussian(1, 0.05, among=100).rate(9) == pytest.approx(SubGaussian(1, 0.0005).rate(9))
    for rate in (Categorical(0.05, among=among), SubGaussian(1, 0.05, among=among)):
        assert rate.closed_form(0.1) >= rate.pulls_until(0.1) > 10_000
        assert rate.closed_form(1e40) >= rate.pulls_until(1e40) == 1


@pytest.mark.parametrize("tight", [False, True])
def test_the_law_of_the_iterated_logarithm_holds(tight: bool) -> None:
    """10⁴ Gaussian paths of 1000 pulls: at most a share γ ever leaves the band, with room for the finite sample."""
    gamma, paths = 0.1, 10_000
    rate = SubGaussian(1.0, gamma, tight=tight)
    band = np.array([rate.rate(t) for t in range(1, 1001)])
    rng = np.random.default_rng(5)
    left = 0
    for _ in range(10):
        means = np.cumsum(rng.normal(size=(paths // 10, 1000)), axis=1) / np.arange(1, 1001)
        left += int((np.abs(means) > band).any(axis=1).sum())
    assert left / paths <= gamma + 3 * math.sqrt(gamma * (1 - gamma) / paths)
    assert (np.abs(means) > 0.2 * band).any(axis=1).mean() > gamma  # the check can fail: a band a fifth as wide does


@pytest.mark.parametrize("tight", [False, True])
def test_the_categorical_bound_holds(tight: bool) -> None:
    """10⁴ paths of 500 winners among four: at most a share γ ever has some arm outside the band."""
    gamma, paths, shares = 0.1, 10_000, np.array([0.4, 0.3, 0.2, 0.1])
    rate = Categorical(gamma, tight=tight)
    band = np.array([rate.rate(t) for t in range(1, 501)])[:, None]
    rng = np.random.default_rng(6)
    left = 0
    for _ in range(10):
        winners = rng.choice(4, size=(paths // 10, 500), p=shares)
        seen = np.cumsum(winners[..., None] == np.arange(4), axis=1) / np.arange(1, 501)[:, None]
        left += int((np.abs(seen - shares) > band).any(axis=(1, 2)).sum())
    assert left / paths <= gamma + 3 * math.sqrt(gamma * (1 - gamma) / paths)
    assert (np.abs(seen - shares) > 0.2 * band).any(axis=(1, 2)).mean() > gamma  # a band a fifth as wide fails


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SubGaussian(0, 0.1), "sigma=0"),
        (lambda: SubGaussian(-1, 0.1), "sigma=-1"),
        (lambda: SubGaussian(math.inf, 0.1), "sigma=inf"),
        (lambda: SubGaussian(1e-200, 0.1), "sigma=1e-200"),
        (lambda: SubGaussian(1, 0), "gamma=0"),
        (lambda: SubGaussian(1, 1e-320), "gamma=1e-320"),
        (lambda: SubGaussian(1, 1), r"gamma=1 must be a number in \[1e-300, 1\)"),
        (lambda: UserRate(lambda t: "1").rate(1), "finite number"),
        (lambda: Average([]), "no rates"),
        (lambda: Categorical(2), "gamma=2"),
        (lambda: Categorical(True), "gamma=True"),
        (lambda: Categorical(0.1).rate(0), "t=0"),
        (lambda: Categorical(0.1).pulls_until(0), "alpha=0"),
        (lambda: Categorical(0.1).pulls_until(math.nan), "alpha=nan"),
        (lambda: Categorical(0.1).pulls_until(1e-12), "2\\^62 pulls"),
        (lambda: UserRate(5), "rate=5"),
        (lambda: UserRate(lambda t: t).pulls_until(0.5), "the rate increases from 1 at t=1 to 2 at t=2"),
        (lambda: UserRate(lambda t: math.nan).rate(1), "finite"),
        (lambda: UserRate(lambda t: -1.0).rate(1), "not below 0"),
        (lambda: UserRate(lambda t: 1.0).pulls_until(0.5), "2\\^62"),
        (lambda: Slowest([]), "no rates"),
    ],
)
def test_impossible_rates_are_refused(make: Any, message: str) -> None:
    """δ, σ, α out of range, a rate that increases or never gets there: one sentence."""
    with pytest.raises(InvalidArgument, match=message):
        make()
