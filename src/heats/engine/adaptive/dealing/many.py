"""Priorities → the heats of a batch: each takes the k arms with the largest keys, and counts as if it were answered.

In a contextual world each arm of a heat wins with the chance that the softmax of the scores says: the leader stays and
challengers rotate. In a consistent world a heat makes its arms better known, so their exploration bonus shrinks.

Many runs find the largest keys by partitioning, one run by sorting once and heaps (``one``): the same arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Indices
from heats.engine.adaptive.dealing.keys import make_keys, round_values
from heats.engine.adaptive.dealing.pending import expect_gains, expect_precision
from heats.engine.adaptive.dealing.repeats import Repeats
from heats.engine.adaptive.priorities import Priorities


class Deal(NamedTuple):
    """What the heats of a batch are dealt by: priorities, how often each arm was pulled, luck, and the arms' keys."""

    priorities: Priorities
    pulled: Indices  # (reps, n_arms), as the next two
    luck: Indices
    keys: Indices
    pulls: int
    size: int
    repeats: Repeats | None = None


def deal_many(deal: Deal) -> Indices:
    """Return the heats of a batch ``(reps, pulls, size)``."""
    priorities, pulled, luck, keys, pulls, size, repeats = deal
    pulled, keys, values = pulled.copy(), keys.copy(), priorities.values
    precision, is_consistent = priorities.precision.copy(), priorities.is_consistent[:, None]
    heats = np.empty((len(keys), pulls, size), dtype=np.int64)
    for pull in range(pulls):
        best = _take_largest(keys, size)
        heats[:, pull] = best = best if repeats is None else repeats.deal(best, keys)
        there = np.take_along_axis(values, best, axis=1)
        there = round_values(there + expect_gains(there))
        if is_consistent.any():
            strengths, known = (np.take_along_axis(each, best, axis=1) for each in (priorities.strengths, precision))
            known = known + np.where(priorities.gain > 0, priorities.gain, expect_precision(strengths))
            np.put_along_axis(precision, best, known, axis=1)
            there = np.where(is_consistent, priorities.add_bonus(strengths, known), there)
        times = np.take_along_axis(pulled, best, axis=1) + 1
        np.put_along_axis(values, best, there, axis=1)
        np.put_along_axis(pulled, best, times, axis=1)
        np.put_along_axis(keys, best, make_keys(there, times, np.take_along_axis(luck, best, axis=1)), axis=1)
    return heats


def _take_largest(keys: Indices, size: int) -> Indices:
    """Return the arms with the largest keys ``(reps, size)``, the largest first."""
    best = np.argpartition(keys, keys.shape[1] - size, axis=1)[:, -size:]
    order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)
