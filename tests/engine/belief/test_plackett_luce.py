"""The most likely strengths, against an optimiser of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from heats.engine.belief.consistent import EFFORT, take_firsts
from heats.engine.belief.evidence import Choices
from heats.engine.belief.plackett_luce import Columns, find_chances, fit_strengths
from heats.engine.feedback import Kind
from tests.engine.belief.plain import Run, draw_run, gather_runs, log_choices, log_field


def gather_firsts(kind: Kind, runs: list[Run], n: int) -> list[Columns]:
    evidence = gather_runs(kind, runs, n)
    assert isinstance(evidence, Choices)
    return [take_firsts(part) for part in evidence.parts]


def find_mode(kind: Kind, run: Run, n: int, nu: float) -> np.ndarray:
    """Return the most likely log-strengths."""

    def loss(theta: np.ndarray) -> float:
        found = log_choices(kind, run, theta[:, None])[0] + log_field(theta, nu).sum()
        return -float(found)

    mode: np.ndarray = minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-7}).x
    return mode


@settings(max_examples=25)
@given(
    st.sampled_from([Kind.WINNER, Kind.RANKING, Kind.BEST_WORST]),
    st.integers(2, 7),
    st.lists(st.integers(2, 4), min_size=1, max_size=30),
    st.sampled_from([0.75, 3.0, 12.0]),
    st.integers(0, 99),
)
def test_strengths_are_the_most_likely_ones(kind: Kind, n: int, sizes: list[int], nu: float, seed: int) -> None:
    """Of who was first, under every prior, with comparisons of several sizes, ties, and some without a verdict."""
    rng = np.random.default_rng(seed)
    sizes = [min(size, n) for size in sizes]
    runs = [draw_run(kind, n, sizes, rng, void=void, ties=0.3) for void in (0.0, 0.2)]
    parts = gather_firsts(kind, runs, n)
    found = np.log(fit_strengths(parts, np.full((2, 1), nu), np.ones((2, n)), EFFORT))
    for row, run in zip(found, runs, strict=True):
        assert row == pytest.approx(find_mode(kind, run, n, nu), abs=0.01)


def test_a_fit_may_begin_anywhere() -> None:
    """And ends at the same place, run by run: runs that are done do not hold up others, nor change meanwhile."""
    rng = np.random.default_rng(4)
    runs = [draw_run(Kind.WINNER, 6, [3] * pulls + [2] * (40 - pulls), rng) for pulls in (20, 20)]
    parts = gather_firsts(Kind.WINNER, runs, 6)
    prior = np.array([[0.75], [12.0]])
    start = np.exp(rng.normal(0, 5, (2, 6)))
    one = np.log(fit_strengths(parts, prior, np.ones((2, 6)), EFFORT))
    assert np.log(fit_strengths(parts, prior, start, EFFORT)) == pytest.approx(one, abs=0.01)
    for run in range(2):
        alone = [part.take(np.arange(2) == run) for part in parts]
        found = np.log(fit_strengths(alone, prior[run : run + 1], np.ones((1, 6)), EFFORT))[0]
        assert found == pytest.approx(one[run], abs=1e-9)


@pytest.mark.parametrize("nu", [0.75, 3.0, 50.0])
def test_strengths_stay_finite_however_lopsided_choices_are(nu: float) -> None:
    """One that wins a million times is strong, not infinitely so; and as far above the prior as the other is below."""
    parts = [Columns(np.array([[0], [1]]), np.array([0]), np.array([[1e6], [0.0]]), np.array([1e6]))]
    found = np.log(fit_strengths(parts, np.full((1, 1), nu), np.ones((1, 2)), EFFORT))[0]

    def loss(theta: float) -> float:
        return 1e6 * float(np.logaddexp(0, -2 * theta)) - 2 * float(log_field(np.array(theta), nu))

    expected = minimize_scalar(loss, bracket=(1.0, 5.0)).x
    assert found == pytest.approx([expected, -expected], abs=0.02)


def test_the_mean_strength_is_found_however_many_comparisons_there_are() -> None:
    """Choices only know how arms differ, so steps hardly move all strengths together; the log evidence needs that."""
    rng = np.random.default_rng(2)
    theta = rng.normal(0, 2, 10)
    one, other = np.triu_indices(10, 1)
    won = 1000 / (1 + np.exp(theta[other] - theta[one]))
    choices = Columns(np.stack([one, other]), np.zeros(45, dtype=int), np.stack([won, 1000 - won]), np.full(45, 1e3))
    found = np.log(fit_strengths([choices], np.full((1, 1), 0.75), np.ones((1, 10)), EFFORT))[0]
    balance = (1 / (1 + np.exp(-found)) - 0.5).sum()
    assert balance == pytest.approx(0, abs=0.01)
    assert found - found.mean() == pytest.approx(theta - theta.mean(), abs=0.05)


def test_chances_of_a_set_are_its_shares_of_strength() -> None:
    """Part by part, run by run."""
    parts = [Columns(np.array([[0, 1], [2, 2]]), np.array([0, 1]), np.zeros((2, 2)), np.zeros(2))]
    (found,) = find_chances(parts, np.array([[1.0, 5.0, 3.0], [7.0, 2.0, 6.0]]))
    assert found.tolist() == [[0.25, 0.25], [0.75, 0.75]]
