"""Choices out of sets → the most likely strengths (Plackett and Luce).

An arm is chosen out of a set in proportion to its strength γ = e^θ. Each arm also won ν imaginary comparisons against
an opponent of strength one, and lost as many: that prior keeps strengths finite. With w_i the wins of arm i, the
posterior is climbed by minorise-maximise steps (Hunter 2004), with leaps between them (Varadhan and Roland 2008):

    γ_i ← w_i / Σ over the sets it was in of W / (sum of the strengths γ of the set).                             (4)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.belief.data import add_up
from heats.engine.belief.settings import FARTHEST_LEAP, LARGEST_STRENGTH, LONGEST_LEAP


class Effort(NamedTuple):
    """When a fit ends."""

    steps: int
    small_change: float  # of a strength, relative, in three steps


class Columns(NamedTuple):
    """Choices out of sets of one size; a column has those out of the same set, however many."""

    arms: Indices  # (size, columns)
    runs: Indices  # (columns,)
    shares: Array  # (size, columns), w
    times: Array  # (columns,), W

    def take(self, some: Mask) -> Columns:
        """Return the columns of some of the runs, which are numbered anew."""
        theirs = np.flatnonzero(some[self.runs])
        runs = (np.cumsum(some) - 1)[self.runs[theirs]]
        return Columns(self.arms.take(theirs, axis=1), runs, self.shares.take(theirs, axis=1), self.times[theirs])

    def join(self, other: Columns) -> Columns:
        """Return these columns and others of the same size."""
        return Columns(*(np.concatenate(both, axis=-1) for both in zip(self, other, strict=True)))

    def locate(self, n_arms: int) -> Indices:
        """Return where the arms are in a flat row of the arms of all runs."""
        return self.arms + self.runs * n_arms


def fit_strengths(parts: Sequence[Columns], prior: Array, start: Array, effort: Effort) -> Array:
    """Return the most likely strengths γ ``(reps, n_arms)``; ``prior`` is ν of every run ``(reps, 1)``."""
    found = start.copy()
    runs = np.arange(len(start))  # that still climb
    climb = _Climb(parts, prior, start.shape[1])
    for _ in range(-(-effort.steps // 3)):
        before = found[runs]
        found[runs] = after = _leap(climb, before)
        moving = np.asarray((np.abs(after - before) >= effort.small_change * before).any(axis=1))
        if not moving.all():
            runs = runs[moving]
            if not runs.size:
                break
            climb = _Climb([part.take(moving) for part in climb.parts], prior[runs], start.shape[1])
    return found


def climb(parts: Sequence[Columns], prior: Array, strengths: Array, steps: int) -> Array:
    """Return strengths after so many plain steps (4)."""
    climbing = _Climb(parts, prior, strengths.shape[1])
    for _ in range(steps):
        strengths = climbing.step(strengths)
    return strengths


def _leap(climb: _Climb, strengths: Array) -> Array:
    """Take two steps, go on as far as they promise, and take another one from there."""
    one = climb.step(strengths)
    two = climb.step(one)
    first, second = np.log(one / strengths), np.log(two / one)
    bend = np.linalg.norm(second - first, axis=1, keepdims=True)
    length = np.linalg.norm(first, axis=1, keepdims=True) / np.where(bend > 0, bend, np.inf)
    length = np.clip(length, 1.0, LONGEST_LEAP)
    there = np.log(strengths) + 2 * length * first + length**2 * (second - first)
    there = np.clip(there, np.log(two) - FARTHEST_LEAP, np.log(two) + FARTHEST_LEAP)
    return _center(climb.step(np.exp(np.clip(there, -LARGEST_STRENGTH, LARGEST_STRENGTH))))


def _center(strengths: Array) -> Array:
    """Multiply all strengths of a run by what makes the prior likelier: steps, which compare arms, hardly do."""
    slope = ((1 - strengths) / (1 + strengths)).sum(axis=1, keepdims=True)
    curvature = (2 * strengths / (1 + strengths) ** 2).sum(axis=1, keepdims=True)
    centered: Array = strengths * np.exp(np.clip(slope / curvature, -1.0, 1.0))  # a step of Newton
    return centered


class _Climb:
    """The steps (4) of runs that still climb."""

    def __init__(self, parts: Sequence[Columns], prior: Array, n_arms: int) -> None:
        self.parts, self._prior = parts, prior
        self._places = [part.locate(n_arms) for part in parts]
        self._wins = np.repeat(prior, n_arms, axis=1)
        for part, places in zip(parts, self._places, strict=True):
            self._wins += add_up(places, part.shares, self._wins.shape)

    def step(self, strengths: Array) -> Array:
        """Climb one step."""
        expected = 2 * self._prior / (1 + strengths)
        for part, places in zip(self.parts, self._places, strict=True):
            rates = part.times / reduce(np.add, strengths.ravel().take(places, mode="clip"))
            for row in places:
                expected += add_up(row, rates, strengths.shape)
        climbed: Array = self._wins / expected
        return climbed


def find_chances(parts: Sequence[Columns], strengths: Array) -> list[Array]:
    """Return, part by part, the chance of each arm to be chosen out of its set ``(size, columns)``."""
    found = []
    for part in parts:
        chances = strengths.ravel().take(part.locate(strengths.shape[1]), mode="clip")
        chances /= reduce(np.add, chances)
        found.append(chances)
    return found
