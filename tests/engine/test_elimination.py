"""One round: who is dealt where, who ranks before whom; for one repetition and for many alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.base.randomness import fold_seed
from heats.engine.tournament.elimination import LARGEST_SMALL_HEAT, deal, rank


def test_a_deal_is_a_partition_and_rested_arms_play() -> None:
    """Everybody is dealt once; those who rested are in a heat, and not all in the same one."""
    rested = [101, 107, 122]
    arms = np.array([[arm for arm in range(100, 123) if arm not in rested] + rested])
    together = 0
    for seed in range(200):
        (heats,), (byes,) = deal(np.array([[fold_seed(seed)]]), 4, arms, 3, 5, 4)
        assert heats.shape == (5, 4)
        assert sorted([*heats.ravel(), *byes]) == sorted(arms[0].tolist())
        assert not set(byes) & set(rested)
        together += any(set(rested) <= set(heat) for heat in heats.tolist())
    assert together < 20


def test_more_rest_than_may_play() -> None:
    """A plan made by hand may let almost everybody rest, twice in a row if need be."""
    (heats,), (byes,) = deal(np.array([[fold_seed(1)]]), 1, np.arange(9)[None], 7, 1, 2)
    assert set(heats.ravel()) <= set(range(2, 9))
    assert sorted([*heats.ravel(), *byes]) == list(range(9))


def test_a_batch_of_deals_is_the_deals_one_by_one() -> None:
    """The simulator deals many tournaments in one go, whatever the order in which it holds their arms."""
    roots = np.array([fold_seed(seed) for seed in range(5)])[:, None]
    arms = np.random.default_rng(1).permuted(np.tile(np.arange(10), (5, 1)), axis=1)
    arms = np.concatenate([arms, np.full((5, 1), 10)], axis=1)
    heats, byes = deal(roots, 1, arms, 1, 3, 3)
    for i in range(5):
        one, rest = deal(roots[i : i + 1], 1, np.arange(11)[None], 1, 3, 3)
        assert np.array_equal(one[0], heats[i])
        assert np.array_equal(rest[0], byes[i])


@given(
    st.integers(2, LARGEST_SMALL_HEAT + 3).flatmap(
        lambda size: st.lists(st.lists(st.integers(0, 3), min_size=2 * size, max_size=2 * size), min_size=1, max_size=5)
    ),
    st.booleans(),
)
def test_ranks_are_those_of_sorting(rows: list[list[int]], deciding: bool) -> None:
    """By score, then by the tie-break, then as dealt; with ``keep`` at least as to who is kept. Against sorted()."""
    both = np.array(rows, dtype=float)
    size = both.shape[1] // 2
    scores, second = both[None, :, :size], both[None, :, size:]
    for keep in range(1, size):
        ranks = rank(scores, lambda which: second[which], keep if deciding else None)
        for heat in range(len(rows)):
            order = sorted(range(size), key=lambda arm: (-scores[0, heat, arm], -second[0, heat, arm], arm))
            if deciding:
                assert set(np.flatnonzero(ranks[0, heat] < keep)) == set(order[:keep])
            else:
                assert np.argsort(ranks[0, heat]).tolist() == order


@pytest.mark.parametrize("size", [4, LARGEST_SMALL_HEAT + 4])
def test_nobody_asks_for_records_where_nothing_is_tied(size: int) -> None:
    """Records that nobody reads cost nothing."""

    def never(which: object) -> np.ndarray:
        raise AssertionError("asked")

    assert rank(np.arange(size * 6.0).reshape(2, 3, size), never)[0, 0].tolist() == list(range(size))[::-1]
