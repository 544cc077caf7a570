"""Dealing for one run, which does not look at all arms for every pull: they wait in line, in heaps of their keys.

Heaps want the smallest first, so keys are turned round in them.
"""

from __future__ import annotations

from collections.abc import Container
from heapq import heapify, heappop, heappush
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Indices
from heats.engine.adaptive.dealing.keys import (
    LARGEST_UNITS,
    MOST_ARMS,
    MOST_PULLS,
    NEVER,
    ONE_PULL,
    UNIT,
    VALUE_AT,
    make_key,
    make_keys,
)
from heats.engine.adaptive.dealing.many import Deal, count_rivals
from heats.engine.adaptive.dealing.pending import LEAST_GAIN, find_gains
from heats.engine.adaptive.dealing.repeats import Run
from heats.engine.adaptive.priorities import Priorities


def deal_one(deal: Deal) -> Indices:
    """Return the heats of a batch ``(1, pulls, size)``: those that ``deal_many`` deals."""
    priorities, pulled, luck, keys, pulls, size, repeats = deal
    is_plain = repeats is None and not priorities.is_consistent[0]
    front = np.arange(keys.size)
    if is_plain:
        pool = min(keys.size, size * pulls)  # more cannot come to a turn
        front = np.argpartition(-keys[0], pool - 1)[:pool]
        front = front[np.argsort(-keys[0, front])]
    owners = np.zeros(keys.size, dtype=np.int64)
    owners[luck[0, front]] = np.arange(front.size)
    known = -keys, np.minimum(pulled, MOST_PULLS), luck
    first, times, lucks = (each[0, front].tolist() for each in known)
    line = _Line(first, times, lucks, owners.tolist())
    if is_plain:
        heats = _deal_by_scores(line, priorities.values[0, front].tolist(), pulls, size)
    else:
        run = None if repeats is None else repeats.runs[0]
        rivals = int(count_rivals(priorities, pulled, size)[0, 0])
        heats = _deal_by_keys(line, _Expected(priorities, front), pulls, size, rivals, run)
    dealt: Indices = front[np.array(heats)]
    return dealt[None]


class _Line(NamedTuple):
    """Arms of one run by their numbers here; their keys are turned round."""

    keys: list[int]
    times: list[int]
    lucks: list[int]
    owners: list[int]  # whose luck it is


def _deal_by_scores(line: _Line, scores: list[float], pulls: int, size: int) -> list[list[int]]:
    """Deal in a contextual world, fast; those that were not dealt yet wait in order, those that were in a heap.

    Of a key, ``later`` is all but the score, which is put into it here: a call would take longer.
    """
    waiting, owners = [*line.keys, NEVER], line.owners
    later = (-make_keys(np.zeros(len(scores)), np.array(line.times), np.array(line.lucks))).tolist()
    won, lost = map(float, find_gains(np.array(size)))
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
        there = [scores[arm] for arm in heat]
        top = max(there)
        weights = [exp(score - top) for score in there]
        share = (won - lost) / sum(weights)
        for arm, before, weight in zip(heat, there, weights, strict=True):
            units = round((before + lost + share * weight) * UNIT)
            scores[arm] = units / UNIT
            if not -LARGEST_UNITS < units < LARGEST_UNITS:
                units = LARGEST_UNITS if units > 0 else -LARGEST_UNITS
            if later[arm] < 0:  # else it had as many pulls as are told apart
                later[arm] += ONE_PULL
            heappush(again, later[arm] - (units << VALUE_AT))
    return heats


def _deal_by_keys(
    line: _Line, expected: _Expected, pulls: int, size: int, rivals: int, run: Run | None
) -> list[list[int]]:
    """Deal in a consistent world, or where some sets may not be dealt again, from heaps of the best and of the rare."""
    times, lucks, owners = line.times, line.lucks, line.owners
    best = _Heap(line.keys, owners)
    heaps = [best]
    if rivals < size:
        heaps.append(_Heap([often * MOST_ARMS + luck for often, luck in zip(times, lucks, strict=True)], owners))
    keys = -np.array(line.keys)
    heats = []
    for _ in range(pulls):
        taken: dict[int, None] = {}  # a set that keeps its order
        for place in range(size):
            taken[heaps[place >= rivals].take(taken)] = None
        heat = list(taken)
        if run is not None:
            if run.is_full(heat):
                free = run.find_free(heat, keys)
                for arm in set(heat).difference(free):  # rejected arms return to the queue
                    for heap in heaps:
                        heap.put_back(arm)
                heat = free
            run.note(heat)
        heats.append(heat)
        for arm, value in zip(heat, expected.count(heat), strict=True):
            times[arm] += times[arm] < MOST_PULLS
            keys[arm] = key = make_key(value, times[arm], lucks[arm])
            for heap, order in zip(heaps, (-key, times[arm] * MOST_ARMS + lucks[arm]), strict=False):
                heap.put(arm, order)
    return heats


class _Expected:
    """Values of arms once the heats that are dealt were answered as expected."""

    def __init__(self, priorities: Priorities, front: Indices) -> None:
        self._is_consistent, self._bonus = bool(priorities.is_consistent[0]), priorities.bonus
        self._gain = float(priorities.gain[0, 0])
        self._looks = (priorities.strengths if self._is_consistent else priorities.values)[0, front].tolist()
        self._precision = priorities.precision[0, front].tolist()

    def count(self, heat: list[int]) -> list[float]:
        """Count a pending heat, and return the values of its arms then."""
        looks, precision = self._looks, self._precision
        top = max([looks[arm] for arm in heat])
        weights = [exp(looks[arm] - top) for arm in heat]
        total = sum(weights)
        shares = [weight / total for weight in weights]
        if not self._is_consistent:
            won, lost = map(float, find_gains(np.array(len(heat))))
            for arm, share in zip(heat, shares, strict=True):
                looks[arm] = round((looks[arm] + lost + share * (won - lost)) * UNIT) / UNIT
            return [looks[arm] for arm in heat]
        for arm, share in zip(heat, shares, strict=True):
            precision[arm] += self._gain or max(share * (1 - share), LEAST_GAIN)
        return [looks[arm] + self._bonus / sqrt(precision[arm]) for arm in heat]


class _Heap:
    """Arms by keys that change; keys that arms no longer have are left out when their turn comes."""

    def __init__(self, keys: list[int], owners: list[int]) -> None:
        self._keys, self._heap, self._owners = keys.copy(), keys.copy(), owners
        heapify(self._heap)

    def take(self, taken: Container[int]) -> int:
        """Return the first arm that was not taken yet; those that were are put, or put back, once a heat is dealt."""
        while True:
            key = heappop(self._heap)
            arm: int = self._owners[key % MOST_ARMS]
            if key == self._keys[arm] and arm not in taken:
                return arm

    def put(self, arm: int, key: int) -> None:
        """Let an arm wait with a new key."""
        self._keys[arm] = key
        heappush(self._heap, key)

    def put_back(self, arm: int) -> None:
        """Let an arm wait with the key that it has."""
        heappush(self._heap, self._keys[arm])
