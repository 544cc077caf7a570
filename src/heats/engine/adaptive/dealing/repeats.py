"""How often a set of arms may be dealt: no more often than there are people to see it, say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from heats.base.arrays import Indices
from heats.base.text import count_things
from heats.errors import InvalidArgument

MOST_BUDGET = 20_000  # pulls: every one may have to look past all sets that were dealt as often as they may


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
    """How often every set was dealt in one run; ``full`` are those that may not be dealt again, by arm."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: Counter[frozenset[int]] = Counter()
        self._full: Counter[int] = Counter()

    def renumber(self, arms: Sequence[int]) -> Run:
        """Return the same with arms known by their places among ``arms``, which are all."""
        places, other = {arm: place for place, arm in enumerate(arms)}, Run(self._most)
        other._times.update({frozenset(places[arm] for arm in each): times for each, times in self._times.items()})
        other._full.update({places[arm]: times for arm, times in self._full.items()})
        return other

    def note(self, heat: Sequence[int]) -> None:
        """Count a heat that is dealt."""
        arms = frozenset(heat)
        self._times[arms] += 1
        if self._times[arms] == self._most:
            self._full.update(arms)

    def is_full(self, heat: Sequence[int]) -> bool:
        """Whether a heat may not be dealt again."""
        return self._times[frozenset(heat)] >= self._most

    def find_free(self, heat: Sequence[int], others: Iterator[int], n_arms: int) -> list[int]:
        """Return what is dealt instead of a heat of the best arms that is full; ``others`` follow them, best first.

        The next best takes the place of the last of them; where they were dealt with everybody, of the last but one,
        and so on. So of all sets in the order of their arms it is the first that is not full.
        """
        with_it = math.comb(n_arms - 1, len(heat) - 1)  # sets that an arm is in
        known, those = list[int](), (arm for arm in chain(heat, others) if self._full[arm] < with_it)
        for places in _combine(len(heat), lambda place: _reach(known, those, place)):
            found = [known[place] for place in places]
            if not self.is_full(found):
                return found
        raise AssertionError("all sets are full; check_repeats refuses that")


def _reach(known: list[int], others: Iterator[int], place: int) -> bool:
    """Whether there is an arm at that place; it is known then."""
    known.extend(islice(others, max(0, place + 1 - len(known))))
    return place < len(known)


def _combine(size: int, is_there: Callable[[int], bool]) -> Iterator[list[int]]:
    """Yield the combinations of places, as ``itertools`` does, of which nobody knows how many there are."""
    places = list(range(size))
    while places and is_there(places[-1]):
        yield places
        for last in reversed(range(size)):  # the last one that can go on, and those after it follow
            start = places[last] + 1
            if is_there(start + size - 1 - last):
                places[last:] = range(start, start + size - last)
                break
        else:
            return


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
            f"{{budget}} is too large for {{most_per_set}}, which takes up to {MOST_BUDGET:,} pulls; leave it out.",
            budget=budget,
            most_per_set=most,
        )
