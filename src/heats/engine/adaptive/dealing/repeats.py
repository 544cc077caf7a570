"""How often a set of arms may be dealt: no more often than there are people to see it, say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from heats.base.arrays import Indices
from heats.base.text import count_things
from heats.errors import InvalidArgument

MOST_BUDGET = 20_000  # pulls: with every one there may be one more set that later ones have to look past


class Repeats:
    """How often every set was dealt in runs in step; ``dealt`` are heats ``(reps, pulls, size)`` of earlier batches."""

    def __init__(self, most: int, reps: int, dealt: Iterable[Indices]) -> None:
        self.runs = [Run(most) for _ in range(reps)]
        for heats in dealt:
            for run, those in zip(self.runs, heats.tolist(), strict=True):
                for heat in those:
                    run.note(heat)

    def deal(self, heats: Indices, keys: Indices) -> Indices:
        """Return one heat of every run ``(reps, size)``: those in ``heats``, or else others by their keys."""
        dealt = heats.tolist()
        for number, (run, heat) in enumerate(zip(self.runs, dealt, strict=True)):
            if run.is_full(heat):
                order = np.argsort(-keys[number]).tolist()
                dealt[number] = run.find_free(heat, (arm for arm in order if arm not in heat), len(order))
            run.note(dealt[number])
        return np.array(dealt)


class Run:
    """How often every set was dealt in one run. Sets that may not be dealt again are *full*: they have numbers.

    ``full_with`` has, by arm, a bit for each full set that it is in: so many sets are counted in no time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: Counter[frozenset[int]] = Counter()
        self._full = 0  # how many are
        self._full_with: dict[int, int] = {}

    def renumber(self, arms: Sequence[int]) -> Run:
        """Return the same with arms known by their places among ``arms``, which are all."""
        places, other = {arm: place for place, arm in enumerate(arms)}, Run(self._most)
        other._times.update({frozenset(places[arm] for arm in each): times for each, times in self._times.items()})
        other._full = self._full
        other._full_with = {places[arm]: sets for arm, sets in self._full_with.items()}
        return other

    def note(self, heat: Sequence[int]) -> None:
        """Count a heat that is dealt."""
        arms = frozenset(heat)
        self._times[arms] += 1
        if self._times[arms] == self._most:
            for arm in arms:
                self._full_with[arm] = self._full_with.get(arm, 0) | 1 << self._full
            self._full += 1

    def is_full(self, heat: Sequence[int]) -> bool:
        """Whether a heat may not be dealt again."""
        return self._times[frozenset(heat)] >= self._most

    def find_free(self, heat: Sequence[int], others: Iterator[int], n_arms: int) -> list[int]:
        """Return what is dealt instead of a heat of the best arms that is full; ``others`` follow them, best first.

        The next best takes the place of the last of them; where they were dealt with everybody, of the last but one,
        and so on. So of all sets in the order of their arms it is the first that is not full: every arm is in it unless
        all sets with it, with those before it that are in, and without those that are not, are full.
        """
        found: list[int] = []
        full = (1 << self._full) - 1  # of the sets with those that are in, and without those that are not
        for left, arm in zip(range(n_arms - 1, -1, -1), chain(heat, others), strict=False):
            with_it = full & self._full_with.get(arm, 0)
            if not with_it or with_it.bit_count() < math.comb(left, len(heat) - len(found) - 1):
                found.append(arm)
                full = with_it
                if len(found) == len(heat):
                    return found
            else:
                full ^= with_it
        raise AssertionError("all sets are full; check_repeats refuses that")


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
