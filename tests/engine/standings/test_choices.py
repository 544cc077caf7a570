"""Every kind of feedback as choices: their likelihood is the one written down in plain Python."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.engine.feedback import BestWorst, Kind, Race, Ranking, Winner
from heats.engine.standings.choices import Choices, find_choices
from tests.engine.standings.pulls import draw_winners, tell

THETA = np.array([0.3, -1.2, 0.8, 0.1])
ARMS = (2, 0, 3, 1)


def log_choice(taken: int, among: list[int], sign: int = 1) -> float:
    """Plackett and Luce, as they are written down."""
    return math.log(math.exp(sign * THETA[taken]) / sum(math.exp(sign * THETA[arm]) for arm in among))


def log_likelihood(kind: Kind, row: tuple[float, ...], arms: tuple[int, ...] = ARMS) -> float:
    choices = find_choices(kind, [tell([arms], [row])], 4)
    assert choices is not None
    return float(choices.likelihood(THETA[:, None])[0][0])


def test_a_winner_is_one_choice() -> None:
    """Out of the heat; two that tie share it; in a race it is who was first."""
    everybody = list(ARMS)
    assert log_likelihood(Kind.WINNER, Winner(3).row(ARMS)) == pytest.approx(log_choice(3, everybody))
    tied = (log_choice(0, everybody) + log_choice(1, everybody)) / 2
    assert log_likelihood(Kind.WINNER, Winner(0, 1).row(ARMS)) == pytest.approx(tied)
    assert log_likelihood(Kind.RACE, Race({3: 1.0, 2: 2.0}).row(ARMS)[:4]) == pytest.approx(log_choice(3, everybody))
    assert log_likelihood(Kind.REWARDS, (0.0, 5.0, 1.0, 5.0)) == pytest.approx(tied)


def test_a_ranking_is_choices_out_of_those_left() -> None:
    """And stops where no more places are given; all orders together are certain."""
    whole = log_choice(1, [0, 1, 2, 3]) + log_choice(3, [0, 2, 3]) + log_choice(0, [0, 2])
    assert log_likelihood(Kind.RANKING, Ranking([1, 3, 0, 2]).row(ARMS)) == pytest.approx(whole)
    part = log_choice(1, [0, 1, 2, 3]) + log_choice(3, [0, 2, 3])
    assert log_likelihood(Kind.RANKING, Ranking([1, 3]).row(ARMS)) == pytest.approx(part)
    total = sum(math.exp(log_likelihood(Kind.RANKING, Ranking(order).row(ARMS))) for order in permutations(range(4)))
    assert total == pytest.approx(1)


def test_best_and_worst_are_two_choices() -> None:
    """The best out of all, then the worst out of the rest; of two arms there is only one."""
    expected = log_choice(2, [0, 1, 2, 3]) + log_choice(1, [0, 1, 3], sign=-1)
    assert log_likelihood(Kind.BEST_WORST, BestWorst(2, 1).row(ARMS)) == pytest.approx(expected)
    of_two = log_likelihood(Kind.BEST_WORST, BestWorst(2, 1).row((2, 1)), (2, 1))
    assert of_two == pytest.approx(log_choice(2, [2, 1]))


@pytest.mark.parametrize(("kind", "row"), [(Kind.WINNER, (0.0,) * 4), (Kind.RANKING, Ranking([]).row(ARMS))])
def test_nobody_is_no_choice(kind: Kind, row: tuple[float, ...]) -> None:
    """A pull that nobody won, or that ranks nobody, says nothing."""
    assert find_choices(kind, [tell([ARMS], [row])], 4) is None


@given(st.integers(0, 999), st.integers(2, 4))
def test_equal_sets_are_merged(seed: int, size: int) -> None:
    """However often a heat is pulled, the likelihood is the sum over its pulls, and its gradient is its slope."""
    rng = np.random.default_rng(seed)
    told = draw_winners(rng.normal(size=5), 40, size, rng)
    together = find_choices(Kind.WINNER, [told], 5)
    parts = [find_choices(Kind.WINNER, [tell([a], [o])], 5) for a, o in zip(told.arms, told.observations, strict=True)]
    assert together is not None
    theta = rng.normal(size=(5, 1))
    value, slope = together.likelihood(theta)
    assert value == pytest.approx(sum(part.likelihood(theta)[0] for part in parts if part is not None))
    assert slope[:, 0] == pytest.approx(find_slope(together, theta[:, 0]), abs=1e-4)
    diagonal, rows = together.curvature(theta[:, 0])
    assert np.diag(diagonal) - rows.T @ rows == pytest.approx(find_curvature(together, theta[:, 0]), abs=1e-4)


def find_slope(choices: Choices, theta: np.ndarray, step: float = 1e-6) -> np.ndarray:
    steps = step * np.eye(theta.size)
    up, down = (choices.likelihood(theta[:, None] + sign * steps)[0] for sign in (1, -1))
    return (up - down) / (2 * step)


def find_curvature(choices: Choices, theta: np.ndarray, step: float = 1e-5) -> np.ndarray:
    steps = step * np.eye(theta.size)
    up, down = (choices.likelihood(theta[:, None] + sign * steps)[1] for sign in (1, -1))
    return -(up - down) / (2 * step)


@given(st.integers(0, 99))
def test_arms_may_be_held(seed: int) -> None:
    """The likelihood of some arms is that of all, as a function of theirs, up to a constant."""
    rng = np.random.default_rng(seed)
    told = draw_winners(rng.normal(size=6), 30, 3, rng)
    choices = find_choices(Kind.WINNER, [told], 6)
    assert choices is not None
    middle, free = rng.normal(size=6), rng.permutation(6)[:3]
    some = choices.hold_all_but(free, middle)
    values = []
    for _ in range(2):
        moved = middle.copy()
        moved[free] = rng.normal(size=3)
        values.append((choices.likelihood(moved[:, None])[0], some.likelihood(moved[free][:, None])[0]))
    assert values[0][0] - values[1][0] == pytest.approx(values[0][1] - values[1][1])
