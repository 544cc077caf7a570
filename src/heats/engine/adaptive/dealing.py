"""How good arms look → the heats of a batch: each takes the k best, and counts as if its outcome were as expected.

If company decides, each of the arms in a pull wins with the chance that the softmax of their scores says, and gains by
that: so the champion stays and challengers rotate. If strengths last, a pull makes its arms better known, and so less
promising. Strengths need not last wholly: who is the best among the best may not be who does best in all company. So
once arms had many pulls, some of the places go to *guests*, the arms with the fewest.

To compare arms fast, all that orders them is put into one whole number, a *key*: how good an arm looks to fourteen
binary places, then fewer pulls, then luck. Many runs find the largest keys by partitioning, one run by sorting once and
a heap: the same arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import heappop, heappush
from math import copysign, exp, sqrt
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.company import BETTER, expect_gain
from heats.engine.adaptive.outlook import Outlook
from heats.engine.adaptive.repeats import Repeats, Run

GUESTS = ((12, 4), (40, 2))  # from so many pulls of an arm on average on, one place in so many is a guest's
LEAST_SHARPER = 0.05  # is what a pull makes strengths known: else two that are settled would never make room
FRACTION_BITS = 14  # of a value in a key
UNIT = 2**FRACTION_BITS
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
    pulled, values = pulled.copy(), outlook.values
    sharpness, lasts = outlook.sharpness.copy(), outlook.lasts[:, None]
    heats = np.empty((len(keys), pulls, size), dtype=np.int64)
    guests = count_guests(pulled, size) if lasts.any() else 0
    for pull in range(pulls):
        best = _take_largest(keys, size)
        if guests:
            best = np.where(lasts, _invite(best[:, : size - guests], pulled, luck, guests), best)
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
    is_plain = repeats is None and not outlook.lasts[0]
    pool = min(keys.size, size * pulls) if is_plain else keys.size  # more cannot come to a turn
    front = np.argpartition(-keys[0], pool - 1)[:pool]
    front = front[np.argsort(-keys[0, front])]
    line = _Line((-keys[0, front]).tolist(), np.minimum(pulled[0, front], MOST_PULLS).tolist(), luck[0, front].tolist())
    if is_plain:
        heats = _deal_by_scores(line, outlook.values[0, front].tolist(), pulls, size)
    else:
        run = None if repeats is None else repeats.runs[0].renumber(front.tolist())
        guests = count_guests(pulled, size) if outlook.lasts[0] else 0
        heats = _deal_with_care(line, _Expected(outlook, front), pulls, size, guests, run)
    dealt: Indices = front[np.array(heats)]
    return dealt[None]


def count_guests(pulled: Indices, size: int) -> int:
    """Return how many places of a heat go to the arms with the fewest pulls, where strengths last."""
    some = [size // part for pulls, part in GUESTS if pulled.mean() >= pulls]
    return min(max(some, default=0), size - 2)


class _Line(NamedTuple):
    """Arms of one run, best first; their keys are turned round, and end with their luck, by which it is known whose."""

    keys: list[int]
    times: list[int]
    lucks: list[int]

    def list_owners(self) -> dict[int, int]:
        """Return whose luck it is."""
        return dict(zip(self.lucks, range(len(self.lucks)), strict=True))


def _deal_by_scores(line: _Line, scores: list[float], pulls: int, size: int) -> list[list[int]]:
    """Deal if company decides, fast; those that were not dealt yet wait in order, those that were in a heap."""
    waiting, times, lucks, owners = [*line.keys, NEVER], line.times, line.lucks, line.list_owners()
    won, lost = math.log(size * BETTER), math.log(size * (1 - BETTER) / (size - 1))
    again, fresh = [NEVER], 0  # the heap; the first that was not dealt
    heats = []
    for _ in range(pulls):
        heat = []
        for _ in range(size):
            if again[0] < waiting[fresh]:
                heat.append(owners[heappop(again) % MOST_ARMS])
            else:
                heat.append(fresh)
                fresh += 1
        heats.append(heat)
        top = max([scores[arm] for arm in heat])
        weights = [exp(scores[arm] - top) for arm in heat]
        total = sum(weights)
        for arm, weight in zip(heat, weights, strict=True):
            chance = weight / total
            scores[arm] = score = scores[arm] + chance * won + (1 - chance) * lost
            if not -LARGEST_VALUE < score < LARGEST_VALUE:
                score = copysign(LARGEST_VALUE, score)
            times[arm] += times[arm] < MOST_PULLS
            later = (round(score * UNIT) << PULL_BITS) + MOST_PULLS - times[arm]
            heappush(again, lucks[arm] - (later << LUCK_BITS))  # _make_key, turned round: a call would take its time
    return heats


def _deal_with_care(
    line: _Line, expected: _Expected, pulls: int, size: int, guests: int, run: Run | None
) -> list[list[int]]:
    """Deal with guests, and sets that may not be dealt again; all wait in two heaps, of the best and of the rare."""
    times, lucks, owners = line.times, line.lucks, line.list_owners()
    best = _Heap(line.keys, owners)
    rare = _Heap([often * MOST_ARMS + luck for often, luck in zip(times, lucks, strict=True)], owners)
    heats = []
    for _ in range(pulls):
        heat: list[int] = []
        for place in range(size):
            heat.append((best if place < size - guests else rare).take(heat))
        if run is not None:
            heat = _replace(heat, run, best, rare) if run.is_full(heat) else heat
            run.note(heat)
        heats.append(heat)
        for arm, value in zip(heat, expected.hear(heat), strict=True):
            times[arm] += times[arm] < MOST_PULLS
            best.put(arm, -_make_key(value, times[arm], lucks[arm]))
            rare.put(arm, times[arm] * MOST_ARMS + lucks[arm])
    return heats


def _replace(heat: list[int], run: Run, best: _Heap, rare: _Heap) -> list[int]:
    """Return what may be dealt instead of a heat that was taken; whoever was looked at in vain waits again."""
    looked_at = list(heat)

    def look_on() -> Iterator[int]:
        while len(looked_at) < best.size:
            looked_at.append(best.take(looked_at))
            yield looked_at[-1]

    free = run.find_free(heat, look_on(), best.size)
    for arm in set(looked_at).difference(free):
        best.put_back(arm)
        rare.put_back(arm)
    return free


class _Expected:
    """How good arms look once what is dealt is as expected; by scores or by strengths."""

    def __init__(self, outlook: Outlook, front: Indices) -> None:
        self._lasts, self._ahead, self._sharper = bool(outlook.lasts[0]), outlook.ahead, float(outlook.sharper[0, 0])
        self._looks = (outlook.strengths if self._lasts else outlook.values)[0, front].tolist()
        self._sharpness = outlook.sharpness[0, front].tolist()

    def hear(self, heat: list[int]) -> list[float]:
        """Take in a heat, and return how good its arms look then."""
        looks, sharpness = self._looks, self._sharpness
        top = max([looks[arm] for arm in heat])
        weights = [exp(looks[arm] - top) for arm in heat]
        total = sum(weights)
        chances = [weight / total for weight in weights]
        if not self._lasts:
            won, lost = math.log(len(heat) * BETTER), math.log(len(heat) * (1 - BETTER) / (len(heat) - 1))
            for arm, chance in zip(heat, chances, strict=True):
                looks[arm] += chance * won + (1 - chance) * lost
            return [looks[arm] for arm in heat]
        for arm, chance in zip(heat, chances, strict=True):
            sharpness[arm] += self._sharper or max(chance * (1 - chance), LEAST_SHARPER)
        return [looks[arm] + self._ahead / sqrt(sharpness[arm]) for arm in heat]


class _Heap:
    """Arms by keys that change; keys that arms no longer have are left out when their turn comes."""

    def __init__(self, keys: list[int], owners: dict[int, int]) -> None:
        self._keys, self._heap, self._owners = keys.copy(), sorted(keys), owners

    @property
    def size(self) -> int:
        """How many arms there are."""
        return len(self._keys)

    def take(self, taken: list[int]) -> int:
        """Return the first arm that was not taken yet; those that were are put, or put back, once a heat is dealt."""
        while True:
            key = heappop(self._heap)
            arm = self._owners[key % MOST_ARMS]
            if key == self._keys[arm] and arm not in taken:
                return arm

    def put(self, arm: int, key: int) -> None:
        """Let an arm wait with a new key."""
        self._keys[arm] = key
        heappush(self._heap, key)

    def put_back(self, arm: int) -> None:
        """Let an arm wait with the key that it has."""
        heappush(self._heap, self._keys[arm])


def _take_largest(keys: Indices, size: int) -> Indices:
    """Return the arms with the largest keys ``(reps, size)``, the largest first."""
    best = np.argpartition(keys, keys.shape[1] - size, axis=1)[:, -size:]
    order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)


def _invite(best: Indices, pulled: Indices, luck: Indices, guests: int) -> Indices:
    """Return the best and as many guests as asked for."""
    rare = -(np.minimum(pulled, MOST_PULLS) * MOST_ARMS + luck)
    np.put_along_axis(rare, best, -NEVER, axis=1)
    return np.concatenate([best, _take_largest(rare, guests)], axis=1)


def make_keys(values: Array, pulled: Indices, luck: Indices) -> Indices:
    """Return whole numbers that order arms: the larger, the sooner."""
    rounded = np.rint(np.clip(values, -LARGEST_VALUE, LARGEST_VALUE) * UNIT).astype(np.int64)
    later = (MOST_PULLS - np.minimum(pulled, MOST_PULLS)) * 2**LUCK_BITS - luck
    keys: Indices = rounded * 2 ** (PULL_BITS + LUCK_BITS) + later
    return keys


def _make_key(value: float, pulled: int, luck: int) -> int:
    """Return one of them."""
    if not -LARGEST_VALUE < value < LARGEST_VALUE:
        value = copysign(LARGEST_VALUE, value)
    later: int = (round(value * UNIT) << PULL_BITS) + MOST_PULLS - pulled
    return int(later << LUCK_BITS) - luck


def _expect_sharper(strengths: Array) -> Array:
    """Return how much better a choice makes strengths known: q(1 − q), q the chance to be chosen, or a little."""
    chances = np.exp(strengths - strengths.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    sharper: Array = np.maximum(chances * (1 - chances), LEAST_SHARPER)
    return sharper
