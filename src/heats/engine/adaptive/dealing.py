"""How good arms look → the heats of a batch: each takes the k best, and counts as if its outcome were as expected.

If company decides, each of the arms in a pull wins with the chance that the softmax of their scores says, and gains by
that: so the champion stays and challengers rotate. If strengths last, a pull makes its arms better known, and so less
promising. Strengths need not last wholly: who is the best among the best may not be who does best in all company. So
once arms had many pulls, some of the places go to *guests*, the arms with the fewest.

Arms are ordered by ``keys``. Many runs find the largest ones by partitioning, one run by sorting once and heaps
(``line``): the same arms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.company import expect_gain
from heats.engine.adaptive.keys import MOST_ARMS, MOST_PULLS, NEVER, make_keys
from heats.engine.adaptive.outlook import Outlook
from heats.engine.adaptive.repeats import Repeats

GUESTS = ((12, 4), (40, 2))  # from so many pulls of an arm on average on, one place in so many is a guest's
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


def count_guests(pulled: Indices, size: int) -> int:
    """Return how many places of a heat go to the arms with the fewest pulls, where strengths last."""
    some = [size // part for pulls, part in GUESTS if pulled.mean() >= pulls]
    return min(max(some, default=0), size - 2)


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


def _expect_sharper(strengths: Array) -> Array:
    """Return how much better a choice makes strengths known: q(1 − q), q the chance to be chosen, or a little."""
    chances = np.exp(strengths - strengths.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    sharper: Array = np.maximum(chances * (1 - chances), LEAST_SHARPER)
    return sharper
