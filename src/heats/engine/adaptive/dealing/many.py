"""Priorities → the heats of a batch: each takes the k arms with the largest keys, and counts as if it were answered.

In a contextual world each arm of a heat wins with the chance that the softmax of the scores says: the leader stays and
challengers rotate. In a consistent world a heat makes its arms better known, so their exploration bonus shrinks.

No world is wholly consistent: the best of those that meet all the time may not be the best in all company. So once arms
had many pulls, a heat has no more places for the best than there are *rivals*, arms that may be as strong as the
strongest; the other places go to the arms with the fewest pulls. On the 24 recorded solver tables that is worth .01 of
regret (docs/reproduction/tried.md).

Many runs find the largest keys by partitioning, one run by sorting once and heaps (``one``): the same arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Indices
from heats.engine.adaptive.dealing.keys import MOST_ARMS, MOST_PULLS, NEVER, make_keys, round_values
from heats.engine.adaptive.dealing.pending import expect_gains, expect_precision
from heats.engine.adaptive.dealing.repeats import Repeats
from heats.engine.adaptive.priorities import Priorities

CLOSE = 1.0  # standard errors that a rival may be behind the strongest
MANY_PULLS = 16  # of an arm on average: before, all places go to the best
FEWEST_BEST = 2  # places of a heat that always go to the best


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
    rivals = count_rivals(priorities, pulled, size)
    is_shared = rivals.min() < size
    for pull in range(pulls):
        best = _take_largest(keys, size)
        if is_shared:
            best = _share_places(best, rivals, pulled, luck)
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


def count_rivals(priorities: Priorities, pulled: Indices, size: int) -> Indices:
    """Return how many places of a heat ``(reps, 1)`` go to the best."""
    strengths, reach = priorities.strengths, CLOSE / np.sqrt(priorities.precision)
    is_close = strengths + reach >= strengths.max(axis=1, keepdims=True)
    rivals = np.clip(is_close.sum(axis=1, keepdims=True), FEWEST_BEST, size)
    return np.where(priorities.is_consistent[:, None] & (pulled.mean() >= MANY_PULLS), rivals, size)


def _share_places(best: Indices, rivals: Indices, pulled: Indices, luck: Indices) -> Indices:
    """Return heats in which the arms with the fewest pulls follow so many of the best."""
    places = np.arange(best.shape[1])
    is_best = places < rivals
    rare = -(np.minimum(pulled, MOST_PULLS) * MOST_ARMS + luck)
    there = np.take_along_axis(rare, best, axis=1)
    np.put_along_axis(rare, best, np.where(is_best, 1 - NEVER, there), axis=1)  # −NEVER could not be turned round
    rarest = _take_largest(rare, places.size - FEWEST_BEST)
    return np.where(is_best, best, np.take_along_axis(rarest, np.maximum(places - rivals, 0), axis=1))


def _take_largest(keys: Indices, size: int) -> Indices:
    """Return the arms with the largest keys ``(reps, size)``, the largest first."""
    best = np.argpartition(keys, keys.shape[1] - size, axis=1)[:, -size:]
    order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)
