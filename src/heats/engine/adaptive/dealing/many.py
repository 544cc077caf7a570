"""How good arms look → the heats of a batch: each takes the k best, and counts as if its outcome were as expected.

If company decides, each of the arms in a pull wins with the chance that the softmax of their scores says, and gains by
that: so the champion stays and challengers rotate. If strengths last, a pull makes its arms better known, and so less
promising. Strengths need not last wholly: who is the best among the best may not be who does best in all company. So
once arms had many pulls, a heat has no more places for the best than there are *rivals*, arms that may be as strong as
the strongest; the others go to *guests*, the arms with the fewest pulls.

Arms are ordered by ``keys``. Many runs find the largest ones by partitioning, one run by sorting once and heaps
(``one``): the same arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.dealing.keys import MOST_ARMS, MOST_PULLS, NEVER, make_keys, round_values
from heats.engine.adaptive.dealing.repeats import Repeats
from heats.engine.adaptive.outlook.gains import expect_gain
from heats.engine.adaptive.outlook.outlook import Outlook

CLOSE = 1.0  # standard errors that a rival may be behind the strongest
MANY_PULLS = 16  # of an arm on average: before, there are no guests
FEWEST_BEST = 2  # places of a heat are never a guest's
LEAST_SHARPER = 0.05  # is what a pull makes strengths known: else two that are settled would never make room


class Deal(NamedTuple):
    """What the heats of a batch are dealt by: how good arms look, how often each was pulled, luck, and their keys."""

    outlook: Outlook
    pulled: Indices  # (reps, n_arms), as the next two
    luck: Indices
    keys: Indices
    pulls: int
    size: int
    repeats: Repeats | None = None


def deal_many(deal: Deal) -> Indices:
    """Return the heats of a batch ``(reps, pulls, size)``."""
    outlook, pulled, luck, keys, pulls, size, repeats = deal
    pulled, keys, values = pulled.copy(), keys.copy(), outlook.values
    sharpness, lasts = outlook.sharpness.copy(), outlook.lasts[:, None]
    heats = np.empty((len(keys), pulls, size), dtype=np.int64)
    rivals = count_rivals(outlook, pulled, size)
    has_guests = rivals.min() < size
    for pull in range(pulls):
        best = _take_largest(keys, size)
        if has_guests:
            best = _invite(best, rivals, pulled, luck)
        heats[:, pull] = best = best if repeats is None else repeats.deal(best, keys)
        there = np.take_along_axis(values, best, axis=1)
        there = round_values(there + expect_gain(there))
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


def count_rivals(outlook: Outlook, pulled: Indices, size: int) -> Indices:
    """Return how many places of a heat ``(reps, 1)`` go to the best: as many as there are rivals, where guests come."""
    close = outlook.strengths + CLOSE / np.sqrt(outlook.sharpness) >= outlook.strengths.max(axis=1, keepdims=True)
    rivals = np.clip(close.sum(axis=1, keepdims=True), FEWEST_BEST, size)
    has_guests = outlook.lasts[:, None] & (pulled.mean() >= MANY_PULLS)
    return np.where(has_guests, rivals, size)


def _take_largest(keys: Indices, size: int) -> Indices:
    """Return the arms with the largest keys ``(reps, size)``, the largest first."""
    best = np.argpartition(keys, keys.shape[1] - size, axis=1)[:, -size:]
    order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)


def _invite(best: Indices, rivals: Indices, pulled: Indices, luck: Indices) -> Indices:
    """Return heats in which the arms with the fewest pulls follow so many of the best."""
    places = np.arange(best.shape[1])
    is_best = places < rivals
    rare = -(np.minimum(pulled, MOST_PULLS) * MOST_ARMS + luck)
    there = np.take_along_axis(rare, best, axis=1)
    np.put_along_axis(rare, best, np.where(is_best, 1 - NEVER, there), axis=1)  # −NEVER could not be turned round
    guests = _take_largest(rare, places.size - FEWEST_BEST)
    return np.where(is_best, best, np.take_along_axis(guests, np.maximum(places - rivals, 0), axis=1))


def _expect_sharper(strengths: Array) -> Array:
    """Return how much better a choice makes strengths known: q(1 − q), q the chance to be chosen, or a little."""
    chances = np.exp(strengths - strengths.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    sharper: Array = np.maximum(chances * (1 - chances), LEAST_SHARPER)
    return sharper
