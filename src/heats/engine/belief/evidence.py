"""Comparisons of many runs → tallies of who came first, or sums of rewards, set by set.

=========  ==========================================================================================
evidence   what a set has
=========  ==========================================================================================
choices    how often each arm came first; of rankings also what its later places say
rewards    the sum of each arm's rewards, less the mean of their comparison
=========  ==========================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.belief.data import Comparisons, Sets, add_up, group_sets, join
from heats.engine.belief.settings import MOST_APART
from heats.engine.belief.tallies import compare_tallies
from heats.engine.feedback import Kind


class FirstPlaces(NamedTuple):
    """Who came first in every set; ``later`` has the places after the first, where they are told."""

    sets: Sets
    shares: Array  # (size, sets), w: first places of each arm, ties shared
    times: Array  # (sets,), W: comparisons that had a first place
    later: Array | None = None  # (3, size, sets): what the later places say that the arm is the best, as ``tallies``


class RewardSums(NamedTuple):
    """Rewards of every set, each less the mean of its comparison and in units of the run's scale."""

    sets: Sets
    sums: Array  # (size, sets)
    counts: Array  # (size, sets), rewards of each arm

    @property
    def times(self) -> Array:
        """How many comparisons with a verdict every set had ``(sets,)``: r."""
        times: Array = self.counts[0]
        return times


class Choices(NamedTuple):
    """Evidence of winners, races, rankings, best and worst: a part for each size of comparisons."""

    reps: int
    n_arms: int
    parts: tuple[FirstPlaces, ...]
    comparisons: tuple[Comparisons, ...]  # what the parts were made of
    are_ranked: bool  # whether more than the first place was told

    @property
    def is_empty(self) -> bool:
        """Whether nothing sets arms apart."""
        later = (part.later is not None and part.later[0].any() for part in self.parts)
        return not (any(part.times.any() for part in self.parts) or any(later))


class Rewards(NamedTuple):
    """Evidence of rewards: a part for each size of comparisons."""

    reps: int
    n_arms: int
    parts: tuple[RewardSums, ...]
    squares: Array  # (reps,), the sum of all squared rewards
    free: Array  # (reps,), degrees of freedom: rewards less the means that were subtracted
    scale: Array  # (reps,), one unit in units of the feedback
    are_alone: bool = False  # whether arms were measured one by one

    @property
    def is_empty(self) -> bool:
        """Whether nothing sets arms apart."""
        return not self.squares.any()


Evidence = Choices | Rewards


def gather(kind: Kind, comparisons: Sequence[Comparisons], n_arms: int) -> Evidence:
    """Return the evidence of comparisons, of which each element has those of one size."""
    if kind is Kind.REWARDS:
        return _gather_rewards(comparisons, n_arms)
    are_ranked = kind in (Kind.RANKING, Kind.BEST_WORST)
    parts = tuple(_tally(each, are_ranked=are_ranked) for each in comparisons)
    are_ranked &= any(len(each.arms) > 2 for each in comparisons)  # of two, who came first says it all
    return Choices(len(comparisons[0].told), n_arms, parts, tuple(comparisons), are_ranked)


def take_runs(evidence: Evidence, runs: Indices) -> Evidence:
    """Return the evidence of some of the runs, which increase."""
    if runs.size == evidence.reps:
        return evidence
    if isinstance(evidence, Rewards):
        parts = tuple(_take_sums(part, runs) for part in evidence.parts)
        rest = (evidence.squares[runs], evidence.free[runs], evidence.scale[runs])
        return Rewards(runs.size, evidence.n_arms, parts, *rest)
    comparisons = tuple(each.of(runs) for each in evidence.comparisons)
    firsts = tuple(_take_firsts(part, runs) for part in evidence.parts)
    return evidence._replace(reps=runs.size, parts=firsts, comparisons=comparisons)


def _take_firsts(part: FirstPlaces, runs: Indices) -> FirstPlaces:
    sets, theirs = part.sets.find(runs)
    later = None if part.later is None else part.later.take(theirs, axis=2)
    return FirstPlaces(sets, part.shares.take(theirs, axis=1), part.times[theirs], later)


def _take_sums(part: RewardSums, runs: Indices) -> RewardSums:
    sets, theirs = part.sets.find(runs)
    return RewardSums(sets, part.sums.take(theirs, axis=1), part.counts.take(theirs, axis=1))


def find_compared(evidence: Evidence) -> Mask:
    """Return which arms were in a comparison with a verdict ``(reps, n_arms)``."""
    shape = (evidence.reps, evidence.n_arms)
    compared = np.zeros(shape, dtype=bool)
    if isinstance(evidence, Rewards):
        for part in evidence.parts:
            compared |= add_up(part.sets.arms + part.sets.runs * evidence.n_arms, part.counts, shape) > 0
    else:
        for each in evidence.comparisons:
            places = each.arms + np.arange(evidence.reps)[:, None] * evidence.n_arms
            compared |= add_up(places, np.broadcast_to(each.told, places.shape), shape) > 0
    return compared


# Choices


def _tally(comparisons: Comparisons, *, are_ranked: bool) -> FirstPlaces:
    """Count first places set by set; a comparison in which all tie, or nobody won, has none."""
    sets, rows = group_sets(comparisons.arms), comparisons.rows
    shares = _share_first(rows) if are_ranked else rows
    times = sets.count_told(np.any(shares, axis=0))
    if not are_ranked or sets.size == 2:
        return FirstPlaces(sets, sets.add_up(shares), times)
    return FirstPlaces(sets, sets.add_up(shares), times, _compare_later(sets, rows, comparisons.told))


def _share_first(rows: Array) -> Array:
    """Return the share of the first place that each arm has."""
    is_first = rows == rows.max(axis=0)
    sharing = is_first.sum(axis=0)
    shares: Array = is_first * np.where(sharing < len(rows), 1 / sharing, 0.0)
    return shares


def _compare_later(sets: Sets, rows: Array, told: Mask) -> Array:
    """Return R of the places after the first, added up ``(3, size, sets)``: choices out of the arms that are left.

    The arms of a place leave together. Where all that are left tie, nothing is chosen.
    """
    size = len(rows)
    ratios = np.zeros((3, *sets.arms.shape))
    start, end = _find_places(rows)
    shares = np.where(told & (end < size), 1 / (end - start), 0.0)
    for place in range(1, min(size - 2, MOST_APART) + 1):
        chosen = np.where(start == place, shares, 0.0)
        available = np.where(chosen.any(axis=0), start >= place, 0.0)
        ratios += compare_tallies(sets.add_up(chosen), sets.add_up(available), size - place)
    return ratios


def _find_places(rows: Array) -> tuple[Indices, Indices]:
    """Return how many arms are ahead of each arm, and how many are not behind it."""
    size = len(rows)
    order = np.argsort(-rows, axis=0, kind="stable")
    sorted_rows = np.take_along_axis(rows, order, axis=0)
    at = np.arange(size).reshape(-1, 1, 1)
    begins = np.ones(rows.shape, dtype=bool)
    begins[1:] = sorted_rows[1:] < sorted_rows[:-1]
    ends = np.full(rows.shape, size)
    ends[:-1] = np.where(begins[1:], at[1:], size)
    start, end = np.empty((2, *rows.shape), dtype=np.int64)
    np.put_along_axis(start, order, np.maximum.accumulate(np.where(begins, at, 0), axis=0), axis=0)
    np.put_along_axis(end, order, np.minimum.accumulate(ends[::-1], axis=0)[::-1], axis=0)
    return start, end


# Rewards


def _gather_rewards(comparisons: Sequence[Comparisons], n_arms: int) -> Rewards:
    """Add rewards up, set by set."""
    if all(len(each.arms) == 1 for each in comparisons):
        return _gather_alone(join(comparisons), n_arms)
    rewards, scale = _center(comparisons)
    parts, squares, free = [], np.zeros(scale.size), np.zeros(scale.size)
    for each, values in zip(comparisons, rewards, strict=True):
        sets = group_sets(each.arms)
        counts = np.broadcast_to(sets.count_told(each.told), sets.arms.shape)
        parts.append(RewardSums(sets, sets.add_up(values), counts))
        squares += (values**2).sum(axis=(0, 2))
        free += each.told.sum(axis=1) * (sets.size - 1)
    return Rewards(scale.size, n_arms, tuple(parts), squares, free, scale)


def _gather_alone(comparisons: Comparisons, n_arms: int) -> Rewards:
    """Add the rewards of one run up that were measured arm by arm: all of them share one mean."""
    arms, rows = comparisons.arms[0, 0], comparisons.rows[0, 0]
    rewards = rows - rows.mean()
    largest = np.abs(rewards).max()
    rewards = rewards / largest if largest > 0 else rewards
    free = max(1, arms.size - 1)
    unit = math.sqrt((rewards**2).sum() / free) or 1.0
    every, where = np.unique(arms, return_inverse=True)
    sums, counts = (np.bincount(where, each).astype(np.float64) for each in (rewards / unit, np.ones(rewards.size)))
    sets = Sets(every[:, None], np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.int64))
    part = RewardSums(sets, sums[:, None], counts[:, None])
    squares, scale = np.array([(rewards**2).sum() / unit**2]), np.array([unit * largest])
    return Rewards(1, n_arms, (part,), squares, np.array([float(free)]), scale, are_alone=True)


def _center(comparisons: Sequence[Comparisons]) -> tuple[list[Array], Array]:
    """Return rewards less the mean of their comparison in units of their standard deviation, and that unit ``(reps,)``.

    Differences come first: rewards may be far from zero, and their mean would be rounded.
    """
    rewards = [np.where(each.told, each.rows - each.rows.max(axis=0), 0.0) for each in comparisons]
    largest = -np.min([each.min(axis=(0, 2), initial=0.0) for each in rewards], axis=0)[:, None]
    rewards = [each / np.where(largest > 0, largest, 1.0) for each in rewards]  # squares stay finite
    rewards = [each - each.mean(axis=0) for each in rewards]
    free = sum(each.told.sum(axis=1) * (len(each.arms) - 1) for each in comparisons)
    squares = sum((each**2).sum(axis=(0, 2)) for each in rewards)
    unit = np.sqrt(squares / np.maximum(free, 1))
    unit = np.where(unit > 0, unit, 1.0)[:, None]
    return [each / unit for each in rewards], (unit * largest)[:, 0]
