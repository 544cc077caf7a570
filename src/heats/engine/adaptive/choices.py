"""Pulls → choices of the first, the second, …; and the strengths that explain who was first (Plackett and Luce).

A pull is a choice of its best out of all, then, where more places are known, of the next out of those left. Strengths
are those of the first place. Each arm also played imaginary pairs against an opponent of strength one, of which it won
ν and lost as many: so strengths stay finite, and the closer together, the more of them. With w_i the wins of arm i, the
likelihood is climbed by minorise-maximise steps, with leaps between them:

    γ_i ← w_i / Σ over its choices of 1 / (sum of the strengths γ chosen among).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import reduce
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.adaptive.heard import Heard, add_up
from heats.engine.adaptive.sets import Sets
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
        yield level if told.all() else Level(level.left & told, level.shares * told)


def list_levels(kind: Kind, observations: Array) -> Iterator[Level]:
    """Yield the choices that rows ``(..., size)`` of observations make, the first place first; ties share a place.

    Who won is one choice. Rankings, best and worst and the order of rewards are as many as they give places: those
    that tie for a place leave together, and where all that are left tie, nothing more is chosen.
    """
    if kind in (Kind.WINNER, Kind.RACE):
        won = reduce(np.logical_or, np.moveaxis(observations, -1, 0))[..., None]
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


class Choices(NamedTuple):
    """Choices of the first place in runs in step; a column holds those out of the same arms, however many."""

    arms: Indices  # (size, columns)
    runs: Indices  # (columns,), increasing
    shares: Array  # (size, columns)
    times: Array  # (columns,)


def group_first(sets: Sets, first: Level) -> Choices:
    """Return the choices of the first place, set by set."""
    counts = sets.count_pulls(first.left[..., 0])  # of the first place all are left, or, if nothing was said, nobody
    return Choices(sets.arms, sets.runs, sets.add_up(first.shares), counts)


def fit_choices(choices: Choices, prior: Array, start: Array, effort: Effort) -> Array:
    """Return the strengths ``(reps, n_arms)`` that choices show; ``prior`` is ``(reps, 1)``."""
    found = start.copy()
    runs = np.arange(len(start))  # that still climb
    climb = _Climb(choices, prior, start.shape[1])
    for _ in range(-(-effort.steps // 3)):
        before = found[runs]
        found[runs] = _leap(climb, before)
        moving = (np.abs(found[runs] - before) >= effort.small_change * before).any(axis=1)
        if not moving.all():
            runs = runs[moving]
            if not runs.size:
                break
            climb = climb.keep(np.asarray(moving))
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
    """Steps of runs that still climb."""

    def __init__(self, choices: Choices, prior: Array, n_arms: int) -> None:
        self._prior, self._runs, self._arms, self._times = prior, choices.runs, choices.arms, choices.times
        self._places = self._arms + self._runs * n_arms
        self._wins = prior + add_up(self._places, choices.shares, (len(prior), n_arms))

    def keep(self, some: Mask) -> _Climb:
        """Go on with some of the runs."""
        kept = copy(self)
        theirs = some[self._runs]
        kept._runs = (np.cumsum(some) - 1)[self._runs[theirs]]
        kept._arms = self._arms[:, theirs]
        kept._times = self._times[theirs]
        kept._prior, kept._wins = self._prior[some], self._wins[some]
        kept._places = kept._arms + kept._runs * self._wins.shape[1]
        return kept

    def step(self, strengths: Array) -> Array:
        """Climb one step."""
        rates = self._times / reduce(np.add, strengths.ravel().take(self._places, mode="clip"))
        expected = 2 * self._prior / (1 + strengths)
        expected += sum(add_up(places, rates, strengths.shape) for places in self._places)
        climbed: Array = self._wins / expected
        return climbed
