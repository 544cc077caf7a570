"""Randomness: fixed for good, spread evenly, and never shared between two uses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import InvalidArgument

GOLDEN = [187343882734981026, 17139680726901467583, 3021066771237109095]


def test_hashes_never_change() -> None:
    """Golden values: a new one would give every recorded run another deal."""
    assert [
        int(word) for word in randomness.draw_bits(randomness.fold_seed(7), Purpose.DEAL, 0, np.arange(3))
    ] == GOLDEN
    assert int(randomness.fold_seed(0)) != int(randomness.fold_seed(2**64)) != int(randomness.fold_seed(2**64 + 1))


def test_below_is_uniform() -> None:
    """Chi-square over 13 values."""
    words = randomness.draw_bits(randomness.fold_seed(3), Purpose.SETS, np.arange(130_000), 5)
    counts = np.bincount(randomness.pick_below(13, words), minlength=13)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_every_order_of_four_is_equally_likely() -> None:
    """Chi-square over the 24 permutations, one shuffle per seed."""
    seeds = np.array([randomness.fold_seed(seed) for seed in range(24_000)])[:, None]
    orders = randomness.shuffle(seeds, Purpose.DEAL, 2, np.arange(4))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert counts.size == 24
    assert stats.chisquare(counts).pvalue > 1e-3


def test_neighbouring_seeds_rounds_and_purposes_are_unrelated() -> None:
    """The rank correlation of two shuffles of 2000 arms is that of chance."""
    arms = np.arange(2000)
    first = randomness.draw_bits(randomness.fold_seed(1), Purpose.DEAL, 0, arms)
    for other in (
        randomness.draw_bits(randomness.fold_seed(2), Purpose.DEAL, 0, arms),
        randomness.draw_bits(randomness.fold_seed(1), Purpose.DEAL, 1, arms),
        randomness.draw_bits(randomness.fold_seed(1), Purpose.PRESENT, 0, arms),
    ):
        assert stats.spearmanr(first, other).pvalue > 1e-3


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_seeds_are_whole_numbers(seed: object) -> None:
    """Anything else is refused."""
    with pytest.raises(InvalidArgument, match="seed"):
        randomness.fold_seed(seed)


def test_no_two_purposes_share_a_number() -> None:
    """Python's enums would take a second name for an alias."""
    assert len(Purpose) == len(Purpose.__members__) == len({int(each) for each in Purpose})


def test_sorting_along_is_argsort() -> None:
    """Also where words agree in all bits but those that carry the numbers."""
    words = randomness.draw_bits(3, np.arange(40)).reshape(4, 10)
    for each in (
        words,
        words >> np.uint64(60) << np.uint64(2) | np.arange(10, dtype=np.uint64) % 4,
        words & np.uint64(7),
    ):
        expected = np.argsort(each, axis=-1, kind="stable")
        assert np.array_equal(randomness.sort_order(each), expected) or len(set(each[0].tolist())) < 10
    numbers = np.arange(10)[::-1] * 5
    assert np.array_equal(randomness.sort_along(words, numbers), numbers[np.argsort(words, axis=-1)])


def test_bits_can_be_drawn_in_steps() -> None:
    """The rest of the coordinates may follow later."""
    begun = randomness.draw_bits(5, Purpose.DEAL)
    assert np.array_equal(
        randomness.draw_bits(5, Purpose.DEAL, np.arange(9)), randomness.draw_more_bits(begun, np.arange(9))
    )
