"""How often a set of arms may be dealt: no more often than there are people to see it, say."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from heats.base.arrays import Indices
from heats.base.text import count_things
from heats.engine.adaptive.dealing.keys import NEVER
from heats.errors import InvalidArgument

MOST_BUDGET = 20_000  # pulls: with every one there may be one more set that later ones have to look past


class Repeats:
    """How often every set was dealt in runs in step; ``dealt`` are heats ``(reps, pulls, size)`` of earlier batches."""

    def __init__(self, most: int, reps: int, dealt: Iterable[Indices] = ()) -> None:
        self.runs = [Run(most) for _ in range(reps)]
        for heats in dealt:
            self.note(heats)

    def note(self, heats: Indices) -> None:
        """Count the heats of a batch."""
        for run, those in zip(self.runs, heats.tolist(), strict=True):
            for heat in those:
                run.note(heat)

    def copy(self) -> Repeats:
        """Return the same, to count heats in of which it is not known yet whether they will be told."""
        other = Repeats(0, 0)
        other.runs = [run.copy() for run in self.runs]
        return other

    def deal(self, heats: Indices, keys: Indices) -> Indices:
        """Return one heat of every run ``(reps, size)``: those in ``heats``, or else others by their keys."""
        dealt = heats.tolist()
        for number, (run, heat) in enumerate(zip(self.runs, dealt, strict=True)):
            if run.is_full(heat):
                dealt[number] = run.find_free(heat, keys[number])
            run.note(dealt[number])
        return np.array(dealt)


class Run:
    """How often every set was dealt in one run. Sets that may not be dealt again are *full*: they have numbers.

    ``full_with`` has, by arm, a bit for each full set that it is in: so many sets are counted in no time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: Counter[frozenset[int]] = Counter()
        self._sums = array("q")  # of the arms of each full set: all but one of a set and its sum tell the last
        self._full_with: dict[int, int] = {}

    def copy(self) -> Run:
        """Return one that counts on by itself."""
        other = Run(self._most)
        other._times, other._sums, other._full_with = self._times.copy(), self._sums[:], self._full_with.copy()
        return other

    def note(self, heat: Sequence[int]) -> None:
        """Count a heat that is dealt."""
        arms = frozenset(heat)
        self._times[arms] += 1
        if self._times[arms] == self._most:
            number = 1 << len(self._sums)
            for arm in arms:
                self._full_with[arm] = self._full_with.get(arm, 0) | number
            self._sums.append(sum(arms))

    def is_full(self, heat: Sequence[int]) -> bool:
        """Whether a heat may not be dealt again."""
        return self._times[frozenset(heat)] >= self._most

    def find_free(self, heat: Sequence[int], keys: Indices) -> list[int]:
        """Return what is dealt instead of a heat of the best arms that is full; the others follow by their keys.

        The next best takes the place of the last of them; where they were dealt with everybody, of the last but one,
        and so on. So of all sets in the order of their arms it is the first that is not full: every arm is in it unless
        all sets with it, with those before it that are in, and without those that are not, are full.

        For few arms that has to be counted: the first ones stay in any case, and of those that may be the last, which
        can be all arms, the full sets tell at once which cannot.
        """
        size, keys = len(heat), keys.copy()
        assert len(self._sums) < math.comb(keys.size, size), "all sets are full; check_repeats refuses that"
        keys[heat] = NEVER - 1 - np.arange(size)  # the arms of the heat come first
        found, rejected = list(heat[: self._count_certain(keys.size, size)]), list[int]()
        full = (1 << len(self._sums)) - 1  # of the sets with those that are found, and without those that are rejected
        for arm in found:
            full &= self._full_with.get(arm, 0)
        order = sort_arms(heat, keys, start=len(found))
        while len(found) < size - 1:
            arm = next(order)
            with_it = full & self._full_with.get(arm, 0)
            left = keys.size - len(found) - len(rejected) - 1
            if with_it.bit_count() < math.comb(left, size - len(found) - 1):
                found.append(arm)
                full = with_it
            else:
                rejected.append(arm)
                full ^= with_it
        keys[found + rejected] = -NEVER
        keys[self._find_last(found, full)] = -NEVER
        return [*found, int(keys.argmax())]

    def _count_certain(self, n_arms: int, size: int) -> int:
        """Return how many arms of a heat stay in any case: with these there are more sets than are full in all."""
        others = 1
        while others < size and math.comb(n_arms - size + others, others) <= len(self._sums):
            others += 1
        return size - others

    def _find_last(self, found: list[int], full: int) -> Indices:
        """Return the last arm of each of the full sets whose bits are given, which have all others in common."""
        count = len(self._sums)
        bits = np.frombuffer(full.to_bytes(count // 8 + 1, "little"), dtype=np.uint8)
        is_given = np.unpackbits(bits, count=count, bitorder="little").view(np.bool_)
        last: Indices = np.frombuffer(self._sums, dtype=np.int64)[is_given] - sum(found)
        return last


def sort_arms(heat: Sequence[int], keys: Indices, start: int) -> Iterator[int]:
    """Yield all arms but the first few, best first: the heat, and the others, which are hardly ever needed."""
    yield from heat[start:]
    yield from np.argsort(-keys)[len(heat) :].tolist()


def check_repeats(n_arms: int, heat_size: int, budget: int, most: int | None) -> None:
    """Refuse a budget that cannot be spent without dealing a set too often."""
    if most is None:
        return
    sets = math.comb(n_arms, heat_size)
    if sets * most < budget:
        raise InvalidArgument(
            f"{{budget}} cannot be spent: {n_arms:,} arms make {count_things(sets, 'set')} of {heat_size}, and these "
            f"{count_things(sets * most, 'pull')} with {{most_per_set}}. Give a smaller budget, or let sets be dealt "
            "more often.",
            budget=budget,
            most_per_set=most,
        )
    if budget > MOST_BUDGET:
        raise InvalidArgument(
            f"{{budget}} is more than adaptive play deals where it limits how often a set is compared, up to "
            f"{MOST_BUDGET:,} pulls; give a smaller budget, or play a plan.",
            budget=budget,
        )
