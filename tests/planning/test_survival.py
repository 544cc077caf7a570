"""The survival model: against exact sums, integrals and simulation; smooth, monotone and honest in the tails."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from heats.environments import Gaussian, PlackettLuce
from heats.planning import model, survival
from heats.planning.survival import Show, log_failure

PULLS = survival.make_pull_grid(1e5)
SIZES = (2, 3, 4, 7, 10, 16, 33, 64)


def tables(size: int) -> list[tuple[str, np.ndarray]]:
    """Every world: strengths that are redrawn, and such that last in a field as small and as large as can be."""
    fields = (None, survival.Field(size, 200), survival.Field(200, 200))
    return [(f"{show} in {field}", log_failure(show, size, PULLS, field)) for show in Show for field in fields]


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
    logs = log_failure(Show.REWARDS, 2, PULLS, None)[0]
    for place in (1, 3, 10, 20, 26):
        pulls = PULLS[place]

        def overtaken(a: float, b: float, pulls: float = pulls) -> float:
            return float(special.ndtr(-0.1 * math.sqrt(pulls / (a * a + b * b)))) / 0.15**2

        exact, _ = integrate.dblquad(overtaken, 0.05, 0.2, 0.05, 0.2)
        assert math.exp(logs[place]) == pytest.approx(exact, rel=0.02 if exact > 1e-3 else 0.3)


@pytest.mark.parametrize("size", [3, 6, 20])
def test_rewards_against_simulation_in_the_papers_family(size: int) -> None:
    logs = log_failure(Show.REWARDS, size, PULLS, None)
    world = Gaussian(size, seed=3, redraw=True).block(0, 8000)
    heats = np.broadcast_to(np.arange(size), (8000, 1, size))
    for pulls in (1, 4, 12):
        means = world.sample_mean(heats, pulls, np.random.default_rng(pulls))[:, 0]
        ahead = (means > means[:, [world.best]]).sum(axis=1)
        for keep in {1, size // 2, size - 1}:
            assert np.mean(ahead >= keep) == pytest.approx(math.exp(logs[keep - 1, pulls]), abs=0.02)


@pytest.mark.parametrize("edge", [0.6, 0.72, 0.9])
def test_wins_of_a_pair_against_the_binomial(edge: float) -> None:
    failure = count_wins(np.full(2, math.log(edge / (1 - edge))), 2)[0]
    for pulls in (1, 2, 5, 6, 15):
        law = stats.binom(pulls, edge)
        exact = law.cdf((pulls - 1) // 2) + (0 if pulls % 2 else -0.5 * law.pmf(pulls // 2) + law.pmf(pulls // 2))
        assert failure[pulls] == pytest.approx(exact, rel=1e-9)  # 0.06 while binomial tails were approximated


@pytest.mark.parametrize("size", [3, 4, 10])
def test_wins_against_simulated_plackett_luce_heats(size: int) -> None:
    leads = 1.2 * np.arange(1, size) / size + 0.5
    failure = count_wins(leads, size)
    world = PlackettLuce(np.exp(-np.append(0, leads)))
    heats = np.broadcast_to(np.arange(size), (20_000, size))
    for pulls in (1, 4, 12):
        rng = np.random.default_rng(pulls)
        shares = world.sample_mean(heats, pulls, rng) + 1e-6 * rng.random(heats.shape)
        ahead = (shares[:, 1:] > shares[:, :1]).sum(axis=1)
        for keep in {1, size // 2, size - 1}:
            assert np.mean(ahead >= keep) == pytest.approx(failure[keep - 1, pulls], abs=0.045)


def count_wins(leads: np.ndarray, size: int) -> np.ndarray:
    """The chance to be dropped from a heat of known leads, (keep - 1, pulls)."""
    opponents = survival.count_wins(survival.Leads(1.0, 1.0, leads), size, PULLS)
    return survival.sum_over_luck(opponents, size).T


def test_an_edge_makes_it_easier() -> None:
    for show in Show:
        close, given_, clear = (log_failure(show, 4, PULLS, None, edge)[:, 1:10] for edge in (0.55, None, 0.9))
        assert (close > given_).all(), show
        assert (given_ > clear).all(), show


def test_survivors_are_harder_to_beat() -> None:
    for show in Show:
        early, late = (log_failure(show, 4, PULLS, survival.Field(n, 200))[0, 8] for n in (200, 8))
        assert early < late, show


def test_fields_of_any_size_have_finite_leads() -> None:
    """The weakest of a trillion is as far from the middle as the strongest."""
    for n in (2, 3, 10**6, 10**12):
        leads = survival._order_leads(2, survival.Field(n, n), None).leads
        assert np.isfinite(leads).all()
        assert leads[-1] == leads.max() == pytest.approx(-2 * special.ndtri(0.625 / (n + 0.25)))


@settings(max_examples=300)
@given(st.integers(0, 2000), st.floats(0.01, 1), st.data())
def test_binomial_laws(trials: int, chance: float, data: st.DataObject) -> None:
    """At and beyond the ends, too: no trial, more wins than trials, a chance of 1."""
    count = data.draw(st.integers(0, trials + 2))
    law, asked = stats.binom(trials, chance), (np.array([float(count)]), np.array([float(trials)]), np.array([chance]))
    assert survival._binomial_tail(*asked)[0, 0] == pytest.approx(law.sf(count - 1), rel=1e-8, abs=1e-300)
    assert survival._binomial_pmf(*asked)[0, 0] == pytest.approx(law.pmf(count), rel=1e-8, abs=1e-300)


@given(st.integers(1, 10**5), st.floats(0.01, 0.99))
def test_the_grid_of_wins_has_the_mean_of_the_law(trials: int, chance: float) -> None:
    counts, weights = survival._weigh_counts(np.array([float(trials)]), chance)
    assert weights.sum() == pytest.approx(1)
    mean, deviation = trials * chance, math.sqrt(trials * chance * (1 - chance))
    assert (counts * weights).sum() == pytest.approx(mean, abs=0.1 * deviation)


@pytest.mark.parametrize("edge", [0.501, 0.55, 0.6, None, 0.9])
@pytest.mark.parametrize("size", [2, 64])
def test_tables_end_where_nothing_is_in_doubt(size: int, edge: float | None) -> None:
    """Whatever is told and wherever strengths come from: more pulls would change no chance that can be told from 1."""
    pulls = model._list_pulls(math.inf, edge)
    for show, field in product(survival.Show, (None, survival.Field(2 * size, 10**6))):
        assert survival.log_failure(show, size, pulls, field, edge)[0, -1] < math.log(1e-15)
