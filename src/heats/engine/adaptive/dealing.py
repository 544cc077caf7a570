"""How good arms look → the heats of a batch: each takes the k best, and counts as if its outcome were as expected.

If company decides, each of the arms in a pull wins with the chance that the softmax of their scores says, and gains by
that: so the champion stays and challengers rotate. If strengths last, a pull makes its arms better known, and so less
promising.

To compare arms fast, all that orders them is put into one whole number, a *key*: how good an arm looks to fourteen
binary places, then fewer pulls, then luck. Many runs find the largest keys by partitioning, one run by sorting once and
a heap: the same arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import heappop, heappush
from math import exp

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.company import BETTER, expect_gain
from heats.engine.adaptive.outlook import Outlook
from heats.engine.adaptive.repeats import Repeats, Run

LEAST_SHARPER = 0.05  # is what a pull makes strengths known: else two that are settled would never make room
FRACTION_BITS = 14  # of a value in a key
PULL_BITS = 11
LARGEST_VALUE = 8000.0  # in a key: beyond, nothing will ever be equal again
LUCK_BITS = 63 - FRACTION_BITS - PULL_BITS - math.ceil(math.log2(LARGEST_VALUE)) - 1
MOST_ARMS = 2**LUCK_BITS  # that luck tells apart
ENDS = 2 ** (62 - LUCK_BITS)  # of what comes before luck in a key, on both sides
NEVER = 2**63  # comes after all keys, which are turned round where the smallest is wanted
MOST_PULLS = 2**PULL_BITS - 1  # that are told apart


def deal_many(
    outlook: Outlook,
    pulled: Indices,
    luck: Indices,
    keys: Indices,
    pulls: int,
    size: int,
    repeats: Repeats | None = None,
) -> Indices:
    """Return the heats of a batch ``(reps, pulls, size)``; ``keys`` are those of all arms, and are changed."""
    n_arms, pulled, values = keys.shape[1], pulled.copy(), outlook.values
    sharpness, lasts = outlook.sharpness.copy(), outlook.lasts[:, None]
    heats = np.empty((len(keys), pulls, size), dtype=np.int64)
    for pull in range(pulls):
        best = np.argpartition(keys, n_arms - size, axis=1)[:, n_arms - size :]
        order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
        best = np.take_along_axis(best, order, axis=1)
        heats[:, pull] = best = best if repeats is None else repeats.deal(best, keys)
        there = np.take_along_axis(values, best, axis=1)
        there = there + expect_gain(there)
        if lasts.any():
            strengths, sharp = (np.take_along_axis(each, best, axis=1) for each in (outlook.strengths, sharpness))
            sharp = sharp + np.where(outlook.sharper > 0, outlook.sharper, _expect_sharper(strengths))
            np.put_along_axis(sharpness, best, sharp, axis=1)
            there = np.where(lasts, outlook.reach(strengths, sharp), there)
        times = np.take_along_axis(pulled, best, axis=1) + 1
        np.put_along_axis(values, best, there, axis=1)
        np.put_along_axis(pulled, best, times, axis=1)
        np.put_along_axis(keys, best, make_keys(there, times, np.take_along_axis(luck, best, axis=1)), axis=1)
    return heats


def deal_one(
    outlook: Outlook,
    pulled: Indices,
    luck: Indices,
    keys: Indices,
    pulls: int,
    size: int,
    repeats: Repeats | None = None,
) -> Indices:
    """Do the same for one run, which does not look at all arms for every pull; arms are known by their first places."""
    pool = keys.size if repeats is not None else min(keys.size, size * pulls)  # more cannot come to a turn
    front = np.argpartition(-keys[0], pool - 1)[:pool]
    front = front[np.argsort(-keys[0, front])]
    known = (outlook.values, pulled, luck, outlook.strengths, outlook.sharpness)
    values, times, lucks, strengths, sharpness = (each[0, front].tolist() for each in known)
    line = _Line((-keys[0, front]).tolist(), lucks)
    run = None if repeats is None else repeats.runs[0].renumber(front.tolist())
    lasts, sharper = bool(outlook.lasts[0]), float(outlook.sharper[0, 0])
    looks = strengths if lasts else values
    won, lost = math.log(size * BETTER), math.log(size * (1 - BETTER) / (size - 1))
    heats: list[int] = []
    for _ in range(pulls):
        heat = [line.take() for _ in range(size)]
        if run is not None:
            heat = line.take_free(heat, run) if run.is_full(heat) else heat
            run.note(heat)
        heats += heat
        top = max([looks[arm] for arm in heat])
        weights = [exp(looks[arm] - top) for arm in heat]
        total = sum(weights)
        for arm, weight in zip(heat, weights, strict=True):
            chance = weight / total
            if lasts:
                sharpness[arm] += sharper or max(chance * (1 - chance), LEAST_SHARPER)
                values[arm] = strengths[arm] + outlook.ahead / math.sqrt(sharpness[arm])
            else:
                values[arm] += chance * won + (1 - chance) * lost
            times[arm] += 1
            line.put(arm, -_make_key(values[arm], times[arm], lucks[arm]))
    dealt: Indices = front[np.array(heats)].reshape(1, pulls, size)
    return dealt


class _Line:
    """Arms in the order of their keys, turned round, so that the smallest comes first.

    Arms that were not dealt yet wait in order, those that were in a heap. Luck is the end of a key, and no two arms
    have the same: so it says whose key it is.
    """

    def __init__(self, keys: list[int], lucks: list[int]) -> None:
        self._keys = [*keys, NEVER]
        self._fresh = 0  # the first that was not dealt
        self._again = [NEVER]  # the heap
        self._owner = dict(zip(lucks, range(len(lucks)), strict=True))

    def take(self) -> int:
        """Return who comes first, and let the next one do so."""
        if self._again[0] < self._keys[self._fresh]:
            return self._owner[heappop(self._again) % MOST_ARMS]
        self._fresh += 1
        return self._fresh - 1

    def put(self, arm: int, key: int) -> None:
        """Let an arm that was taken wait again, with that key."""
        self._keys[arm] = key
        heappush(self._again, key)

    def take_free(self, heat: list[int], run: Run) -> list[int]:
        """Return what may be dealt instead of a heat that was taken; whoever was looked at in vain waits again."""
        looked_at = list(heat)

        def look_on() -> Iterator[int]:
            while self._again[0] < NEVER or self._fresh < len(self._keys) - 1:
                looked_at.append(self.take())
                yield looked_at[-1]

        free = run.find_free(heat, look_on(), len(self._keys) - 1)
        for arm in set(looked_at).difference(free):
            heappush(self._again, self._keys[arm])
        return free


def make_keys(values: Array, pulled: Indices, luck: Indices) -> Indices:
    """Return whole numbers that order arms: the larger, the sooner."""
    rounded = np.rint(np.clip(values, -LARGEST_VALUE, LARGEST_VALUE) * 2**FRACTION_BITS).astype(np.int64)
    later = (MOST_PULLS - np.minimum(pulled, MOST_PULLS)) * 2**LUCK_BITS - luck
    keys: Indices = rounded * 2 ** (PULL_BITS + LUCK_BITS) + later
    return keys


def _make_key(value: float, pulled: int, luck: int) -> int:
    """Return one of them."""
    if not -LARGEST_VALUE < value < LARGEST_VALUE:
        value = math.copysign(LARGEST_VALUE, value)
    rounded: int = (round(value * 2**FRACTION_BITS) << PULL_BITS) + MOST_PULLS - min(pulled, MOST_PULLS)
    return int(rounded << LUCK_BITS) - luck


def _expect_sharper(strengths: Array) -> Array:
    """Return how much better a choice makes strengths known: q(1 − q), q the chance to be chosen, or a little."""
    chances = np.exp(strengths - strengths.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    sharper: Array = np.maximum(chances * (1 - chances), LEAST_SHARPER)
    return sharper
