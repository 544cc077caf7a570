"""Pulls → choices of the first; and the strengths that explain them (Plackett and Luce).

A pull is a choice of its best out of all. Each arm also played imaginary pairs against an opponent of strength one, of
which it won ν and lost as many: so strengths stay finite, and the closer together, the more of them. With w_i the wins
of arm i, the likelihood is climbed by minorise-maximise steps, with leaps between them:

    γ_i ← w_i / Σ over its choices of 1 / (sum of the strengths γ chosen among).
"""

from __future__ import annotations

from copy import copy
from functools import reduce
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.adaptive.outlook.heard import Heard, add_up
from heats.engine.adaptive.outlook.sets import Sets
from heats.engine.feedback import Kind

LONGEST_LEAP = 16.0  # steps
LARGEST = 100.0  # log-strength


class Effort(NamedTuple):
    """When a fit ends."""

    steps: int
    small_change: float  # of a strength, in three steps: then it is found


class Choices(NamedTuple):
    """Choices in runs in step; a column holds those out of the same arms, however many."""

    arms: Indices  # (size, columns)
    runs: Indices  # (columns,), increasing
    shares: Array  # (size, columns)
    times: Array  # (columns,)


def group_first(heard: Heard, sets: Sets) -> Choices:
    """Return the choices of the first place, set by set; where all tie for it, or nobody won, none is made."""
    shares = heard.rows if heard.kind in (Kind.WINNER, Kind.RACE) else _share_top(heard.rows)
    is_made: Mask = np.any(shares, axis=0)
    return Choices(sets.arms, sets.runs, sets.add_up(shares), sets.count_pulls(is_made))


def _share_top(rows: Array) -> Array:
    """Return the share of the first place that each arm has."""
    is_top = rows == rows.max(axis=0)
    sharing = is_top.sum(axis=0)
    shares: Array = is_top * np.where(sharing < len(rows), 1 / sharing, 0.0)
    return shares


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
        theirs = np.flatnonzero(some[self._runs])
        kept._runs = (np.cumsum(some) - 1)[self._runs[theirs]]
        kept._arms = self._arms.take(theirs, axis=1)
        kept._times = self._times[theirs]
        kept._prior, kept._wins = self._prior[some], self._wins[some]
        kept._places = kept._arms + kept._runs * self._wins.shape[1]
        return kept

    def step(self, strengths: Array) -> Array:
        """Climb one step."""
        rates = self._times / reduce(np.add, strengths.ravel().take(self._places, mode="clip"))
        expected = 2 * self._prior / (1 + strengths)
        expected += add_up(self._places, np.broadcast_to(rates, self._places.shape), strengths.shape)
        climbed: Array = self._wins / expected
        return climbed
