"""What a pull says of its arms if company decides: how much likelier "this one is better than the others" became.

The best of m arms is taken to be chosen with a chance p, the others, which are alike, by equal chances. So who is
chosen out of m gains log(m·p), each of the others log(m(1 − p)/(m − 1)); who ties has the mean. Who won is one choice.
Rankings and best and worst are as many as they give places: those that tie for a place leave together, and where all
that are left tie, nothing more is chosen.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.feedback import Kind

BETTER = 0.7  # p, how often the best of a heat is taken to win it


def gain(kind: Kind | None, rows: Array) -> Array:
    """Return what rows of observations ``(size, reps, pulls)`` say of each arm: rewards, and equal ones, nothing."""
    if kind is None or kind is Kind.REWARDS:
        return np.zeros(rows.shape)
    if kind in (Kind.WINNER, Kind.RACE):
        return gain_choices(rows, np.any(rows, axis=0).astype(np.float64))
    return _gain_places(rows)


def gain_choices(shares: Array, times: Array) -> Array:
    """Return what choices out of all arms say of each: so many ``times`` one was made, and each got its share."""
    won, lost = find_outcomes(np.array(len(shares)))
    gained: Array = shares * (won - lost)
    gained += times * lost
    return gained


def _gain_places(rows: Array) -> Array:
    """Return what all choices say that the rows of observations make, the first place first."""
    size = len(rows)
    order = np.argsort(-rows, axis=0, kind="stable")
    rows = np.take_along_axis(rows, order, axis=0)
    at = np.arange(size).reshape(-1, *(1,) * (rows.ndim - 1))
    begins = np.ones(rows.shape, dtype=bool)
    begins[1:] = rows[1:] < rows[:-1]
    start = np.maximum.accumulate(np.where(begins, at, 0), axis=0)  # of the place that an arm has
    ends = np.full(rows.shape, size)
    ends[:-1] = np.where(begins[1:], at[1:], size)
    end = np.minimum.accumulate(ends[::-1], axis=0)[::-1]
    won, lost = (np.append(each, 0.0) for each in find_outcomes(np.arange(size, 1, -1)))  # of one nothing is chosen
    passed = np.cumsum(np.where(begins, lost[at], 0.0), axis=0)  # places, the own one included
    own = np.where(end < size, (won - lost)[start] / (end - start), -lost[start])
    gained = np.empty(rows.shape)
    np.put_along_axis(gained, order, passed + own, axis=0)
    return gained


def expect_gain(scores: Array) -> Array:
    """Return the gain to expect of a pull of arms with such scores ``(..., size)``."""
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    won, lost = find_outcomes(np.array(scores.shape[-1]))
    expected: Array = chances * won + (1 - chances) * lost
    return expected


def find_outcomes(m: Indices) -> tuple[Array, Array]:
    """Return what who is chosen out of m gains, and what each of the others does."""
    return np.log(m * BETTER), np.log(m * (1 - BETTER) / (m - 1))
