"""How many to draw, and AC-Band's epochs: the formulas, their rounding, and what they promise."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.errors import InvalidArgument
from heats.theory import (
    UserRate,
    ac_band_budget,
    ac_band_epochs,
    candidates_needed,
    sampling_error,
)
from heats.theory.guarantees import smallest_budget
from tests.theory.beside_ac_band import race, race_in_epochs
from tests.theory.places import SPACES

percents = st.integers(1, 99).map(lambda number: Fraction(number, 100))


@given(percents, st.integers(1, 999).map(lambda number: Fraction(number, 1000)))
def test_it_is_the_smallest_number_that_does(share: Fraction, delta: Fraction) -> None:
    """Exactly, in fractions: floating point neither adds a candidate nor leaves one out."""
    needed = candidates_needed(float(share), float(delta))
    assert (1 - share) ** needed <= delta
    assert needed == 1 or (1 - share) ** (needed - 1) > delta


def test_golden_numbers() -> None:
    """59 for 5 % and 95 %; AC-Band's experiments had 5, 2 and 1 % with δ = 5 % or 1 %."""
    assert candidates_needed(0.05, 0.05) == 59
    assert [candidates_needed(share, 0.05) for share in (0.02, 0.01)] == [149, 299]
    assert candidates_needed(0.9, 0.01) == 2  # ⌈ln 0.01 / ln(1 − 0.9)⌉ is 3 in floating point
    assert sampling_error(0.05, 59) == pytest.approx(0.95**59)
    assert sampling_error(1e-12, 10**400) == 0


@pytest.mark.parametrize(("share", "delta"), [(0, 0.05), (1, 0.05), (-0.1, 0.05), (0.05, 0), (0.05, 1), ("5%", 0.05)])
def test_shares_and_chances_lie_between(share: float, delta: float) -> None:
    """Nothing is among none of the best, and nobody is never wrong."""
    with pytest.raises(InvalidArgument):
        candidates_needed(share, delta)


@given(st.floats(0.005, 0.9), st.floats(0.001, 0.9), st.integers(2, 40))
def test_epochs_draw_enough_and_share_the_whole_budget(share: float, delta: float, heat_size: int) -> None:
    """At least N configurations, at most one more per epoch; shares sum to one and fall; heats keep some, not all."""
    epochs = ac_band_epochs(share, delta, heat_size)
    needed = candidates_needed(share, delta)
    assert needed <= sum(each.arms - 1 for each in epochs) <= needed + len(epochs)
    assert len(epochs) == max(1, math.ceil(math.log2(needed + 1)))
    assert sum(each.share for each in epochs) == pytest.approx(1)
    assert all(one.share > other.share > 0 for one, other in itertools.pairwise(epochs))
    for each in epochs:
        assert each.arms >= 2
        assert all(1 <= each.keep(size) < size for size in range(2, heat_size + 1))
    assert epochs[0].keep(heat_size) == 1
    assert all(one.keep(heat_size) <= other.keep(heat_size) for one, other in itertools.pairwise(epochs))


def test_as_printed_the_rule_may_keep_nobody() -> None:
    """⌊x/2^ρ⌋ is 0 for a closing heat of two of sixteen, and with logarithms even for the full heat of fifteen."""
    assert math.floor(2 / 2 ** math.log2(16)) == 0
    assert math.floor(15 / 2 ** math.log2(15)) == 0
    first = ac_band_epochs(0.05, 0.05, 15)[0]
    assert (first.keep(2), first.keep(15)) == (1, 1)


def test_the_shares_are_those_of_the_printed_constants() -> None:
    """1/c_e with C_1, C_2 and C_3 as in the authors' program; for N = 59, E = 6 they sum to exactly one."""
    for heat_size in (2, 4, 16):
        base = 1 + (heat_size - 1) / 6
        c1, c2, c3 = math.log(2, base), 1 + math.log(60 + 4 * 60, base), math.log(heat_size, base)
        for each in ac_band_epochs(0.05, 0.05, heat_size):
            whole = 6 * c1 - (2**6 - 1) * (2 * c1 - c2 - c3)
            printed = whole * 2**each.number / (2**6 * (c2 + c3 - each.number * c1))
            assert each.share == pytest.approx(1 / printed)


def test_the_budget_is_enough_for_every_epoch_and_not_more_than_one_asks_for() -> None:
    """Each epoch's plan resolves the gap with its share; some epoch needs it."""
    rate = UserRate(lambda t: 1 / t)
    budget = ac_band_budget(0.1, 0.1, 4, gap=0.2, rate=rate)
    needs = []
    for each in ac_band_epochs(0.1, 0.1, 4):
        size = min(4, each.arms)
        least = smallest_budget(each.arms, size, each.keep, 0.2, rate)
        assert each.share * budget >= least
        needs.append(math.ceil(least / each.share))
    assert budget == max(needs)


def test_a_planned_race_finds_one_of_the_best_more_often_than_epochs_do() -> None:
    """With 150 heats; docs/theory.md has the table."""
    planned, epochs = (np.mean(play(SPACES["even"], 150, 400) <= 0.05) for play in (race, race_in_epochs))
    assert planned > epochs + 0.1
