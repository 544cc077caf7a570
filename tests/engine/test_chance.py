"""Randomness: fixed for good, spread evenly, and never shared between two uses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.engine.elimination import deal
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


def test_a_deal_is_a_partition_and_rested_arms_play() -> None:
    """Everybody is dealt once; those who rested are in a heat, and not all in the same one."""
    arms = np.arange(100, 123)
    rested = np.isin(arms, [101, 107, 122])
    together = 0
    for seed in range(200):
        heats, byes = deal(randomness.fold_seed(seed), 4, arms, rested, 5, 4)
        assert heats.shape == (5, 4)
        assert sorted([*heats.ravel(), *byes]) == arms.tolist()
        assert not set(byes) & {101, 107, 122}
        together += any({101, 107, 122} <= set(heat) for heat in heats.tolist())
    assert together < 20


def test_a_batch_of_deals_is_the_deals_one_by_one() -> None:
    """The simulator deals many tournaments in one go, by the same code."""
    roots = np.array([randomness.fold_seed(seed) for seed in range(5)])
    arms = np.tile(np.arange(11), (5, 1))
    rested = np.zeros(arms.shape, dtype=bool)
    rested[:, 3] = True
    heats, byes = deal(roots[:, None], 1, arms, rested, 3, 3)
    for i in range(5):
        one, rest = deal(roots[i], 1, arms[i], rested[i], 3, 3)
        assert np.array_equal(one, heats[i])
        assert np.array_equal(rest, byes[i])
