"""A winner is among the best of its space at least as often as its report says."""

from __future__ import annotations

import numpy as np
import pytest

import heats
from heats.theory import candidates_needed, sampling_error
from tests.race.among_the_best import list_lines, race_once
from tests.theory.places import SPACES, Places

RUNS = 10_000


@pytest.mark.parametrize("space", ["all nearly alike", "a few spots"])
def test_both_errors_together_are_an_upper_bound(space: str) -> None:
    """Ten thousand races of 59 drawn anew: in the best 5 % at least as often as drawing and racing leave it."""
    needed = candidates_needed(0.05, 0.05)
    places = np.random.default_rng(5).random((RUNS, needed))
    plan = heats.plan(needed, 4, 200, "csh", feedback="winner")
    winners = np.asarray(heats.simulate(plan, Places(places, SPACES[space]), reps=RUNS, seed=1).winners)
    is_among_best = np.take_along_axis(places, winners[:, None], axis=1)[:, 0] <= 0.05
    tournament_error = np.mean(winners != places.argmin(axis=1))
    assert is_among_best.mean() >= 1 - sampling_error(0.05, needed) - tournament_error
    assert abs(np.mean(places.min(axis=1) > 0.05) - sampling_error(0.05, needed)) < 0.009  # four standard errors


def test_a_race_that_cannot_err_is_as_sure_as_was_asked() -> None:
    """Then only drawing may miss: 95.15 % of ten thousand winners are in the best 5 %, give or take 0.9 %."""
    places = np.random.default_rng(6).random((RUNS, candidates_needed(0.05, 0.05)))
    world = Places(places, lambda place: -1e9 * place)
    winners = np.asarray(heats.simulate(heats.plan(59, 4, 60, "csws", blind=True), world, reps=RUNS, seed=2).winners)
    share = np.mean(np.take_along_axis(places, winners[:, None], axis=1) <= 0.05)
    assert abs(share - (1 - 0.95**59)) < 0.009
    assert (winners == places.argmin(axis=1)).all()


def test_reports_state_no_more_than_is_true() -> None:
    """Races of a small space, read as a report reads them: over the runs, what is stated is at most what is true."""
    outcomes = [race_once(number, share=0.3, confidence=0.9) for number in range(24)]
    stated = np.mean([each.stated for each in outcomes])
    truth = np.mean([each.is_among_best for each in outcomes])
    assert stated <= truth + 3 * np.sqrt(truth * (1 - truth) / len(outcomes))
    assert len(list(list_lines(outcomes))) == len(SPACES) + 2


@pytest.mark.slow
def test_reports_of_the_best_five_percent_state_no_more_than_is_true() -> None:
    """As above, 59 candidates each; docs/racing.md has ten thousand of them."""
    outcomes = [race_once(number, share=0.05, confidence=0.95) for number in range(600)]
    truth = np.mean([each.is_among_best for each in outcomes])
    assert np.mean([each.stated for each in outcomes]) <= truth + 2 * np.sqrt(truth * (1 - truth) / len(outcomes))
