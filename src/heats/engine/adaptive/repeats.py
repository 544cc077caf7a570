"""How often a set of arms may be dealt: no more often than there are people to see it, say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from heats.base.arrays import Indices
from heats.errors import InvalidArgument

MOST_BUDGET = 20_000  # pulls: every one may have to look past all sets that were dealt as often as they may


class Repeats:
    """How often every set was dealt in runs in step; ``dealt`` are heats ``(reps, pulls, size)`` of earlier batches."""

    def __init__(self, most: int, reps: int, dealt: Sequence[Indices]) -> None:
        self._runs = [_Run(most) for _ in range(reps)]
        for heats in dealt:
            for run, those in zip(self._runs, heats.tolist(), strict=True):
                for heat in those:
                    run.note(heat)

    def deal(self, heats: Indices, keys: Indices) -> Indices:
        """Return one heat of every run ``(reps, size)``: the arms with the largest keys, which ``heats`` are.

        Where they were dealt together as often as they may be, the next best takes the place of the last of them; where
        that was so with everybody, of the last but one, and so on.
        """
        return np.array([run.deal(*each) for run, *each in zip(self._runs, heats.tolist(), keys, strict=True)])


class _Run:
    """How often every set was dealt in one run; ``full`` are those that may not be dealt again, by arm."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: Counter[frozenset[int]] = Counter()
        self._full: Counter[int] = Counter()

    def note(self, heat: Sequence[int]) -> None:
        arms = frozenset(heat)
        self._times[arms] += 1
        if self._times[arms] == self._most:
            self._full.update(arms)

    def deal(self, heat: Sequence[int], keys: Indices) -> Sequence[int]:
        if self._times[frozenset(heat)] >= self._most:
            with_it = math.comb(keys.size - 1, len(heat) - 1)  # sets that an arm is in
            in_order = [arm for arm in np.argsort(-keys).tolist() if self._full[arm] < with_it]
            sets = combinations(in_order, len(heat))
            heat = next(each for each in sets if self._times[frozenset(each)] < self._most)
        self.note(heat)
        return heat


def check_repeats(n_arms: int, heat_size: int, budget: int, most: int | None) -> None:
    """Refuse a budget that cannot be spent without dealing a set too often."""
    if most is None:
        return
    sets = math.comb(n_arms, heat_size)
    if sets * most < budget:
        raise InvalidArgument(
            f"{{budget}} cannot be spent: there are {sets:,} sets of {heat_size} of the {n_arms:,} arms, which make "
            f"{sets * most:,} pulls with {{most_per_set}}. Give a smaller budget, or let sets be dealt more often.",
            budget=budget,
            most_per_set=most,
        )
    if budget > MOST_BUDGET:
        raise InvalidArgument(
            f"{{budget}} is too large for {{most_per_set}}, which takes up to {MOST_BUDGET:,} pulls; leave it out.",
            budget=budget,
            most_per_set=most,
        )
