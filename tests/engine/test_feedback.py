"""Feedback: each kind by hand, and everything that cannot be the outcome of a pull."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats import BestWorst, Race, Ranking, Winner
from heats.engine.feedback import Named, rewards
from heats.errors import BadFeedback

ARMS = (7, 3, 5, 9)


@pytest.mark.parametrize(
    ("feedback", "row"),
    [
        (Winner(3), (0, 1, 0, 0)),
        (Winner(3, 9), (0, 0.5, 0, 0.5)),
        (Winner(None), (0, 0, 0, 0)),
        (Ranking([9, 7, 3, 5]), (2 / 3, 1 / 3, 0, 1)),
        (Ranking([9]), (1 / 3, 1 / 3, 1 / 3, 1)),
        (Ranking([9, 7]), (2 / 3, 1 / 6, 1 / 6, 1)),
        (Ranking([]), (0.5, 0.5, 0.5, 0.5)),
        (BestWorst(5, 7), (0, 0.5, 1, 0.5)),
        (Winner(np.int64(3)), (0, 1, 0, 0)),
    ],
)
def test_observations_by_hand(feedback: Named, row: tuple[float, ...]) -> None:
    """The table of the design, in the order the arms were shown."""
    assert feedback.row(ARMS) == pytest.approx(row)


def test_a_race_tells_shares_and_times() -> None:
    """The fastest wins, ties share, whoever is not named was stopped."""
    row = Race({5: 2.5, 7: 2.5, 3: 4}).row(ARMS)
    assert row[:4] == (0.5, 0, 0.5, 0)
    assert row[4:7] == (2.5, 4.0, 2.5)
    assert math.isnan(row[7])
    assert Race([(9, 1)]).row(ARMS)[:4] == (0, 0, 0, 1)
    assert Race({}).row(ARMS)[:4] == (0, 0, 0, 0)


@given(st.permutations(ARMS), st.integers(0, 4))
def test_a_ranking_gives_away_half_of_the_pairs(order: list[int], named: int) -> None:
    """However partial, the shares of a heat of m add up to m/2: each pair has one point to give."""
    assert sum(Ranking(order[:named]).row(ARMS)) == pytest.approx(len(ARMS) / 2)


@pytest.mark.parametrize(
    ("told", "row"),
    [
        ([1.0, 2.0, 3.0, 4.0], (1, 2, 3, 4)),
        ((1, 2, 3, 4), (1, 2, 3, 4)),
        (np.arange(4), (0, 1, 2, 3)),
        (np.array([0.5, 1, 2, -1], dtype=np.float32), (0.5, 1, 2, -1)),
        ([Fraction(1, 2), Decimal("0.25"), np.float64(3), np.int8(4)], (0.5, 0.25, 3, 4)),
    ],
)
def test_rewards_may_be_any_numbers(told: Any, row: tuple[float, ...]) -> None:
    """Lists, tuples, arrays, exact fractions: as told."""
    assert rewards(told, ARMS) == row


def test_a_single_arm_may_be_told_a_bare_number() -> None:
    """Successive Halving pulls single arms."""
    assert rewards(3, (7,)) == (3.0,)


def test_passed_or_failed_is_one_or_nothing() -> None:
    """A row of truth values only; mixed with numbers they are a mistake, see below."""
    assert rewards([True, False], (7, 3)) == (1.0, 0.0)
    assert rewards(np.array([False, True]), (7, 3)) == (0.0, 1.0)
    assert rewards(True, (7,)) == (1.0,)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ([1.0, 2.0, 3.0], "3 rewards for a heat of 4;"),
        ([1.0], "1 reward for a heat of 4;"),
        (np.zeros((4, 1)), "reward"),
        ([1.0, 2.0, 3.0, math.nan], "nan of arm 9"),
        ([1.0, math.inf, 3.0, 4.0], "inf of arm 3"),
        ([1.0, 2.0, 1e101, 4.0], "arm 5"),
        ([1.0, 2.0, True, 4.0], "True of arm 5"),
        (np.array([True, False, True]), "3 rewards for a heat"),
        ([1.0, 2.0, None, 4.0], "None of arm 5"),
        ([1.0, 2.0, "3", 4.0], "'3' of arm 5"),
        ([1.0, 2.0, 1j, 4.0], "arm 5 is not a number"),
        ([1.0, 2.0, np.complex128(1), 4.0], "arm 5 is not a number"),
        ([1, 2, 10**400, 4], "arm 5"),
        (None, "is not feedback"),
        (1.0, "is not feedback"),
        ("1234", "is not feedback"),
        ({7: 1.0, 3: 1.0, 5: 1.0, 9: 1.0}, "is not feedback"),
    ],
)
def test_impossible_rewards_are_refused(told: Any, message: str) -> None:
    """The error names the value and the arm."""
    with pytest.raises(BadFeedback, match=message):
        rewards(told, ARMS)


@pytest.mark.parametrize(
    ("feedback", "message"),
    [
        (Winner(4), "4 is not in this heat"),
        (Winner(True), "True is not in this heat"),
        (Winner("7"), "'7' is not in this heat"),
        (Winner(3.0), "3.0 is not in this heat"),
        (Winner(-1), "-1 is not in this heat"),
        (Winner(np.array([3, 5])), "not in this heat"),
        (Winner(3, None), "None is not in this heat"),
        (Winner(3, 3), "arm 3 is named twice"),
        (Ranking([3, 5, 3]), "arm 3 is named twice"),
        (Ranking([3, 4]), "4 is not in this heat"),
        (BestWorst(3, 3), "named twice"),
        (BestWorst(3, 4), "4 is not in this heat"),
        (Race({4: 1.0}), "4 is not in this heat"),
        (Race({3: -1.0}), r"time -1.0 of arm 3"),
        (Race({3: math.nan}), "time nan"),
        (Race({3: True}), "time True"),
        (Race([(3, 1.0), (3, 2.0)]), "named twice"),
    ],
)
def test_impossible_outcomes_are_refused(feedback: Named, message: str) -> None:
    """Arms that are not there, named twice, times that are none."""
    with pytest.raises(BadFeedback, match=message):
        feedback.row(ARMS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Winner(),
        lambda: Ranking("abc"),
        lambda: Ranking(3),
        lambda: Ranking({2, 1}),  # it has no order
        lambda: Ranking({1: 0.5, 2: 0.7}),  # its order is not that of its scores
        lambda: Race([1, 2]),
    ],
)
def test_malformed_feedback_is_refused_when_made(make: Any) -> None:
    """No later than that."""
    with pytest.raises(BadFeedback):
        make()


def test_feedback_compares_and_prints_by_what_it_says() -> None:
    """Two equal outcomes are equal; unhashable candidates may be named."""
    assert Winner(1) == Winner(1) != Winner(2)
    assert Winner(1) != Ranking([1])
    assert repr(Winner(None)) == "Winner(None)"
    assert repr(Race({1: 2.0})) == "Race([(1, 2.0)])"
    assert repr(Ranking([[1], [2]])) == "Ranking([[1], [2]])"
