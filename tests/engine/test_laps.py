"""Laps: everybody is dealt equally often, in company that differs, and no set more often than it may be."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.base.randomness import fold_seed
from heats.engine.adaptive.dealing.laps import deal_laps
from heats.engine.adaptive.dealing.repeats import Repeats

ROOTS = np.array([fold_seed(seed) for seed in range(3)])


@given(st.integers(2, 30), st.integers(2, 10), st.integers(1, 100))
def test_after_every_pull_all_were_dealt_as_often_or_once_more(n: int, size: int, pulls: int) -> None:
    """And a heat has no arm twice; fewer pulls are the first of more."""
    size = min(n, size)
    for heats_, fewer in zip(
        deal_laps(ROOTS, n, size, pulls, None), deal_laps(ROOTS, n, size, pulls // 2 + 1, None), strict=True
    ):
        assert np.array_equal(heats_[: len(fewer)], fewer[:pulls])
        times = np.zeros(n, dtype=int)
        for heat in heats_:
            assert len(set(heat)) == size
            times[heat] += 1
            assert times.max() - times.min() <= 1


@given(st.integers(2, 8), st.integers(2, 4), st.integers(1, 5), st.data())
def test_no_set_is_dealt_more_often_than_it_may(n: int, size: int, most: int, data: st.DataObject) -> None:
    """Up to every set as often as it may be."""
    size = min(n, size)
    pulls = data.draw(st.integers(1, math.comb(n, size) * most))
    for heats_ in deal_laps(ROOTS, n, size, pulls, Repeats(most, len(ROOTS), [])):
        assert len(heats_) == pulls
        assert max(Counter(frozenset(heat) for heat in heats_.tolist()).values()) <= most


def test_everybody_meets_everybody() -> None:
    """A batch of all says of every two arms, straight or by others, who is the stronger."""
    pairs = Counter(frozenset(pair) for heat in deal_laps(ROOTS, 6, 3, 60, None)[0] for pair in combinations(heat, 2))
    assert len(pairs) == 15  # of 180 meetings each should have 12
    assert min(pairs.values()) >= 4


@settings(max_examples=20)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 200), st.integers(0, 99))
def test_a_run_of_one_batch_finds_the_best_without_noise(n: int, k: int, spare: int, seed: int) -> None:
    """As soon as laps are many enough that all have met the best, or somebody who has."""
    k = min(n, k)
    machine = heats.Adaptive(n, k, 4 * n + spare, batches=1, seed=seed)
    for query in machine.ask(machine.total):
        machine.tell(query, heats.Winner(max(query.arms)))
    assert machine.winner == n - 1
