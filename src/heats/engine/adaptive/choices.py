"""Pulls → choices of the first, the second, …; and the strengths that explain them (Plackett and Luce).

A pull is a choice of its best out of all, then, where more places are known, of the next out of those left. Each arm
also played imaginary pairs against an opponent of strength one, of which it won ν and lost as many: so strengths stay
finite, and the closer together, the more of them. With w_i the wins of arm i, the likelihood is climbed by
minorise-maximise steps, with leaps between them:

    γ_i ← w_i / Σ over its choices of 1 / (sum of the strengths γ chosen among).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import reduce
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.adaptive.heard import Heard, add_up, place_arms
from heats.engine.feedback import Kind

LONGEST_LEAP = 16.0  # steps
LARGEST = 100.0  # log-strength


class Effort(NamedTuple):
    """When a fit ends."""

    steps: int
    small_change: float  # of a strength, in three steps: then it is found


class Level(NamedTuple):
    """Choices of one place: who was still to be placed, and the share of it that each got; both ``(..., size)``."""

    left: Mask
    shares: Array


def list_choices(heard: Heard) -> Iterator[Level]:
    """Yield the choices that the pulls made, the first place first, of those that said something."""
    told = heard.told[..., None]
    for level in list_levels(heard.kind, heard.rows):
        yield Level(level.left & told, level.shares * told)


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


def fit_choices(heats: Indices, levels: Sequence[Level], prior: Array, start: Array, effort: Effort) -> Array:
    """Return the strengths ``(reps, n_arms)`` that pulls of ``heats (reps, pulls, size)`` show; ``prior (reps, 1)``."""
    found = start.copy()
    runs = np.arange(len(start))  # that still climb
    climb = _Climb(heats, levels, prior, start.shape[1])
    for _ in range(-(-effort.steps // 3)):
        before = found[runs]
        found[runs] = _leap(climb, before)
        moving = (np.abs(found[runs] - before) >= effort.small_change * before).any(axis=1)
        if not moving.all():
            runs = runs[moving]
            if not runs.size:
                break
            climb = climb.keep(np.flatnonzero(moving))
    return found


def _leap(climb: _Climb, strengths: Array) -> Array:
    """Take two steps, go on as far as they promise (Varadhan and Roland's scheme), and take another from there."""
    one = climb.step(strengths)
    two = climb.step(one)
    first, second = np.log(one / strengths), np.log(two / one)
    bend = np.linalg.norm(second - first, axis=1, keepdims=True)
    length = np.linalg.norm(first, axis=1, keepdims=True) / np.where(bend > 0, bend, np.inf)
    length = np.clip(length, 1.0, LONGEST_LEAP)
    there = np.log(strengths) + 2 * length * first + length**2 * (second - first)
    return climb.step(np.exp(np.clip(there, -LARGEST, LARGEST)))


class _Climb:
    """Steps of runs that still climb, column by column: NumPy is slow along short rows."""

    def __init__(self, heats: Indices, levels: Sequence[Level], prior: Array, n_arms: int) -> None:
        self._prior = prior
        self._heats = np.moveaxis(heats, -1, 0)
        self._left = [
            None if level.left.all() else np.moveaxis(level.left, -1, 0).astype(np.float64) for level in levels
        ]
        places = place_arms(heats, n_arms)
        self._wins = np.repeat(prior, n_arms, axis=1)
        for level in levels:
            self._wins += add_up(places, level.shares, self._wins.shape)
        self._places = np.ascontiguousarray(np.moveaxis(places, -1, 0))

    def keep(self, runs: Indices) -> _Climb:
        """Go on with some of the runs."""
        kept = copy(self)
        kept._heats = self._heats[:, runs]
        kept._left = [None if each is None else each[:, runs] for each in self._left]
        kept._prior, kept._wins = self._prior[runs], self._wins[runs]
        kept._places = kept._heats + (np.arange(runs.size) * self._wins.shape[1])[:, None]
        return kept

    def step(self, strengths: Array) -> Array:
        """Climb one step."""
        gathered = strengths.ravel()[self._places]
        rates = sum((_find_rates(gathered, left) for left in self._left), np.zeros(()))
        expected = 2 * self._prior / (1 + strengths) + add_up(self._places, rates, strengths.shape)
        climbed: Array = self._wins / expected
        return climbed


def _find_rates(strengths: Array, left: Array | None) -> Array:
    """Return 1 / (sum of the strengths chosen among), for those who were; None: all were."""
    if left is None:
        return np.broadcast_to(1 / reduce(np.add, strengths), strengths.shape)
    sums = reduce(np.add, strengths * left)
    rates: Array = left / np.where(sums > 0, sums, np.inf)
    return rates
