"""The survival model: against exact sums, integrals and simulation; smooth, monotone and honest in the tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from heats.environments import Gaussian, PlackettLuce
from heats.planning import survival

PULLS = survival.pull_grid(1e5)
ANEW = (survival.rewards, survival.wins, survival.fitted_wins, survival.ranks)
KEPT = (survival.kept_rewards, survival.kept_wins, survival.kept_fitted_wins, survival.kept_ranks)
SIZES = (2, 3, 4, 7, 10, 16, 33, 64)


def tables(size: int) -> list[tuple[str, np.ndarray]]:
    anew = [(world.__name__, world(size, None, PULLS)) for world in ANEW]
    kept = [(f"{world.__name__} of {n}", world(size, None, PULLS, n, 200)) for world in KEPT for n in (size, 200)]
    return [(name, survival.log_failure(companies, size, PULLS)) for name, companies in anew + kept]


@pytest.mark.parametrize("size", SIZES)
def test_failure_falls_with_pulls_and_with_the_number_kept(size: int) -> None:
    for name, logs in tables(size):
        assert logs.shape == (size - 1, PULLS.size), name
        assert np.isfinite(logs).all(), name
        assert (np.diff(logs, axis=1) <= 0).all(), name
        assert (np.diff(logs, axis=0) <= 0).all(), name
        np.testing.assert_allclose(np.exp(logs[:, 0]), 1 - np.arange(1, size) / size)


@pytest.mark.parametrize("size", SIZES)
def test_the_logarithm_of_failure_does_not_saturate(size: int) -> None:
    for name, logs in tables(size):
        many = logs[:, 16:]  # a few pulls more may say nothing: two of a pair say no more than one
        steps = many[:, 4:] - many[:, :-4]
        assert (steps[many[:, :-4] > -599] < 0).all(), name
        assert (logs[:, -1] < -100).all(), name


def test_rewards_of_a_pair_against_the_integral() -> None:
    logs = survival.log_failure(survival.rewards(2, None, PULLS), 2, PULLS)[0]
    for place in (1, 3, 10, 20, 26):
        pulls = PULLS[place]

        def overtaken(a: float, b: float, pulls: float = pulls) -> float:
            return float(special.ndtr(-0.1 * math.sqrt(pulls / (a * a + b * b)))) / 0.15**2

        exact, _ = integrate.dblquad(overtaken, 0.05, 0.2, 0.05, 0.2)
        assert math.exp(logs[place]) == pytest.approx(exact, rel=0.02 if exact > 1e-3 else 0.3)


@pytest.mark.parametrize("size", [3, 6, 20])
def test_rewards_against_simulation_in_the_papers_family(size: int) -> None:
    logs = survival.log_failure(survival.rewards(size, None, PULLS), size, PULLS)
    world = Gaussian(size, seed=3, redraw=True).block(0, 8000)
    heats = np.broadcast_to(np.arange(size), (8000, 1, size))
    for pulls in (1, 4, 12):
        means = world.sample_mean(heats, pulls, np.random.default_rng(pulls))[:, 0]
        ahead = (means > means[:, [world.best]]).sum(axis=1)
        for keep in {1, size // 2, size - 1}:
            assert np.mean(ahead >= keep) == pytest.approx(math.exp(logs[keep - 1, pulls]), abs=0.02)


@pytest.mark.parametrize("edge", [0.6, 0.72, 0.9])
def test_wins_of_a_pair_against_the_binomial(edge: float) -> None:
    company = survival._counted(1.0, 1.0, np.full(2, math.log(edge / (1 - edge))), 2, PULLS)
    logs = survival.log_failure([company], 2, PULLS)[0]
    for pulls in (1, 2, 5, 6, 15):
        law = stats.binom(pulls, edge)
        exact = law.cdf((pulls - 1) // 2) + (0 if pulls % 2 else -0.5 * law.pmf(pulls // 2) + law.pmf(pulls // 2))
        assert math.exp(logs[pulls]) == pytest.approx(exact, rel=0.06, abs=0.004)


@pytest.mark.parametrize("size", [3, 4, 10])
def test_wins_against_simulated_plackett_luce_heats(size: int) -> None:
    leads = 1.2 * np.arange(1, size) / size + 0.5
    company = survival._counted(1.0, 1.0, np.append(leads[0], leads[1:] if size > 2 else leads), size, PULLS)
    logs = survival.log_failure([company], size, PULLS)
    world = PlackettLuce(np.exp(-np.append(0, leads)))
    heats = np.broadcast_to(np.arange(size), (20_000, size))
    for pulls in (1, 4, 12):
        rng = np.random.default_rng(pulls)
        shares = world.sample_mean(heats, pulls, rng) + 1e-6 * rng.random(heats.shape)
        ahead = (shares[:, 1:] > shares[:, :1]).sum(axis=1)
        for keep in {1, size // 2, size - 1}:
            assert np.mean(ahead >= keep) == pytest.approx(math.exp(logs[keep - 1, pulls]), abs=0.045)


def test_an_edge_makes_it_easier() -> None:
    for world in ANEW:
        close, given_, clear = (
            survival.log_failure(world(4, edge, PULLS), 4, PULLS)[:, 1:10] for edge in (0.55, None, 0.9)
        )
        assert (close > given_).all(), world.__name__
        assert (given_ > clear).all(), world.__name__


def test_survivors_are_harder_to_beat() -> None:
    for world in KEPT:
        early, late = (survival.log_failure(world(4, None, PULLS, n, 200), 4, PULLS)[0, 8] for n in (200, 8))
        assert early < late, world.__name__


@given(st.floats(-37, 8.9))
def test_normal_distribution_function(x: float) -> None:
    assert math.log(survival._normal(np.array([x]))[0]) == pytest.approx(special.log_ndtr(x), rel=2e-4, abs=2e-5)


@settings(max_examples=300)
@given(st.integers(1, 2000), st.floats(0.01, 0.99), st.data())
def test_camp_paulson_is_close_to_the_binomial(trials: int, chance: float, data: st.DataObject) -> None:
    count = data.draw(st.integers(-1, trials + 2))
    found = survival._at_most(np.array([float(count)]), np.array([float(trials)]), np.array([chance]))[0, 0]
    assert found == pytest.approx(stats.binom.cdf(count, trials, chance), abs=0.03)


@given(st.integers(0, 10**7))
def test_log_factorial(n: int) -> None:
    assert survival._log_factorial(np.array([float(n)]))[0] == pytest.approx(math.lgamma(n + 1), rel=1e-9, abs=1e-7)
