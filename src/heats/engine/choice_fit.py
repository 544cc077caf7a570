"""A Plackett-Luce fit to any pulls of many runs at once: one strength per arm and repetition.

A pull is a choice of its best out of all, then, where more places are known, of the next out of those left. Each arm
also played one imaginary pair against an opponent of strength one, which it won and lost by half: so strengths stay
finite. With w_i the wins of arm i, the likelihood is climbed by minorise-maximise steps:

    γ_i ← w_i / Σ over its choices of 1 / (sum of the strengths γ chosen among).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.feedback import Kind

MOST_STEPS = 300
SMALL_CHANGE = 1e-4  # of a log-strength, in one step: then it is found


class Level(NamedTuple):
    """Choices of one place: who was still to be placed, and the share of it that each got; both ``(..., size)``."""

    left: Mask
    shares: Array


def list_levels(kind: Kind, observations: Array) -> Iterator[Level]:
    """Yield the choices that rows ``(..., size)`` of observations make, the first place first; ties share a place.

    Who won is one choice. Rankings, best and worst and the order of rewards are as many as they give places: those
    that tie for a place leave together, and where all that are left tie, nothing more is chosen.
    """
    if kind in (Kind.WINNER, Kind.RACE):
        won = observations.any(axis=-1, keepdims=True)
        yield Level(np.broadcast_to(won, observations.shape), observations)
        return
    left = np.ones(observations.shape, dtype=bool)
    for _ in range(observations.shape[-1] - 1):
        values = np.where(left, observations, -np.inf)
        top = left & (values == values.max(axis=-1, keepdims=True))
        left = left & (top.sum(axis=-1, keepdims=True) < left.sum(axis=-1, keepdims=True))  # else all that are left tie
        if not left.any():
            return
        top &= left
        yield Level(left, top / np.maximum(top.sum(axis=-1, keepdims=True), 1))
        left = left & ~top


def fit_choices(arms: Indices, levels: Sequence[Level], n_arms: int) -> Array:
    """Return the strengths ``(reps, n_arms)`` that pulls of ``arms (reps, pulls, size)`` show."""
    reps = len(arms)
    places = (arms + (np.arange(reps) * n_arms)[:, None, None]).ravel()
    wins = np.full(reps * n_arms, 0.5)
    for level in levels:
        wins += np.bincount(places, weights=level.shares.ravel(), minlength=wins.size)
    strengths = np.ones(wins.size)
    for _ in range(MOST_STEPS):
        expected = 1 / (1 + strengths)  # of the imaginary pair
        gathered = strengths[places].reshape(arms.shape)
        for level in levels:
            sums = (gathered * level.left).sum(axis=-1, keepdims=True)
            rates = level.left / np.where(sums > 0, sums, 1)
            expected += np.bincount(places, weights=rates.ravel(), minlength=wins.size)
        before, strengths = strengths, wins / expected
        if np.abs(np.log(strengths / before)).max() < SMALL_CHANGE:
            break
    return strengths.reshape(reps, n_arms)
