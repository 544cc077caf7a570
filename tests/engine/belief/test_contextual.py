"""Scores and log evidence of a contextual world, against the equations in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heats.engine.belief import contextual
from heats.engine.belief.contextual import weigh_contextual
from heats.engine.feedback import Kind
from tests.engine.belief import plain
from tests.engine.belief.plain import KINDS, Comparison, draw_run, gather_runs

CHOICES = [kind for kind in KINDS if kind is not Kind.REWARDS]


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check every arm for decoys."""
    monkeypatch.setattr(contextual, "DECOY_CANDIDATES", 99)


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("ties", [0.0, 0.5])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "sizes"), [(3, [2] * 6), (4, [3] * 9), (5, [2] * 12), (6, [3] * 20), (6, [4, 2] * 6)])
def test_scores_are_those_of_the_equations(kind: Kind, n: int, sizes: list[int], ties: float) -> None:
    """(1), (2) and (3), and the likelihood of the data; of two runs in step, with comparisons that are void."""
    rng = np.random.default_rng(n + len(sizes))
    runs = [draw_run(kind, n, sizes, rng, void=void, ties=ties) for void in (0.0, 0.2)]
    found = weigh_contextual(gather_runs(kind, runs, n))
    for at, run in enumerate(runs):
        scores, log_evidence = plain.weigh_contextual(kind, run, n)
        assert found.scores[at] == pytest.approx(scores, abs=1e-7)
        assert found.log_evidence[at] == pytest.approx(log_evidence, abs=1e-7)


@pytest.mark.usefixtures("exact")
@settings(max_examples=40)
@given(
    st.sampled_from(CHOICES),
    st.integers(3, 6),
    st.lists(st.integers(2, 3), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.5]),
    st.integers(0, 99),
)
def test_scores_of_choices_are_those_of_the_equations(
    kind: Kind, n: int, sizes: list[int], ties: float, seed: int
) -> None:
    """Whatever was compared with whatever, and however often."""
    run = draw_run(kind, n, sizes, np.random.default_rng(seed), void=0.1, ties=ties)
    found = weigh_contextual(gather_runs(kind, [run], n))
    scores, log_evidence = plain.weigh_contextual(kind, run, n)
    assert found.scores[0] == pytest.approx(scores, abs=1e-9)
    assert found.log_evidence[0] == pytest.approx(log_evidence, abs=1e-9)


@settings(max_examples=25)
@given(st.sampled_from(KINDS), st.integers(10, 14), st.integers(1, 60), st.integers(0, 99))
def test_arms_that_may_be_the_best_are_checked_exactly(kind: Kind, n: int, pulls: int, seed: int) -> None:
    """Or nearly: what is left out beside others changes no chance by more than a few points, nor who is first."""
    evidence = gather_runs(kind, [draw_run(kind, n, [3] * pulls, np.random.default_rng(seed))], n)
    rough = weigh_contextual(evidence).chances[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contextual, "DECOY_CANDIDATES", n)
        exact = weigh_contextual(evidence).chances[0]
    assert rough == pytest.approx(exact, abs=0.05)
    assert exact[rough.argmax()] == pytest.approx(exact.max(), abs=0.02)


def win(*pairs: tuple[int, int], times: int = 1) -> list[Comparison]:
    return [Comparison(pair, (1.0, 0.0)) for pair in pairs] * times


def test_who_beats_everybody_is_the_best_though_another_one_won_more() -> None:
    """Arm 1 beat many arms that arm 0 never met, and lost to arm 0: it may be a decoy, the best it is not."""
    run = win((0, 1), times=6) + win((0, 2), (0, 3), times=2) + win(*((1, arm) for arm in range(4, 12)), times=6)
    chances = weigh_contextual(gather_runs(Kind.WINNER, [run], 12)).chances[0]
    assert chances.argmax() == 0
    assert chances[0] > 0.9


def test_a_decoy_does_not_cost_the_best_its_chance() -> None:
    """Who loses to one arm only is believed to be a decoy, however often it won."""
    met = win(*((0, arm) for arm in range(2, 6)), times=5)
    decoy = win(*((1, arm) for arm in range(2, 6)), times=50) + win((0, 1), times=5)
    assert weigh_contextual(gather_runs(Kind.WINNER, [met + decoy], 6)).chances[0, 0] > 0.95


def test_of_two_arms_both_kinds_of_world_say_the_same_of_who_is_first() -> None:
    """The chance is what the grid of win chances says: p⁶(1 − p)² against p²(1 − p)⁶, plus a decoy that cannot be."""
    run = win((0, 1), times=6) + win((1, 0), times=2)
    found = weigh_contextual(gather_runs(Kind.WINNER, [run], 2))
    first, second = (sum(p**a * (1 - p) ** (8 - a) for p in (0.55, 0.65, 0.75, 0.85, 0.95)) for a in (6, 2))
    assert found.chances[0] == pytest.approx([first / (first + second), second / (first + second)])


def test_an_arm_that_always_loses_to_another_is_behind_it() -> None:
    """However many others it has beaten: strong arms are not the best."""
    run = win((0, 1), times=20) + win(*((1, other) for other in range(2, 402)))
    scores = weigh_contextual(gather_runs(Kind.WINNER, [run], 402)).scores[0]
    assert scores[0] > scores[1]


def test_log_densities_do_not_underflow() -> None:
    """Where an arm is hundreds of standard errors behind."""
    leads = np.array([-1e3, -30.0, 0.0, 30.0, 1e3])
    found = contextual._log_density(leads, np.array(1.0), np.array(1e-2))
    assert np.isfinite(found).all()
    assert found[1] < found[2]
    assert math.exp(found[2]) == pytest.approx(math.sqrt(math.pi / 2) * plain.find_density(0.0, 1.0, 0.1), rel=1e-6)
