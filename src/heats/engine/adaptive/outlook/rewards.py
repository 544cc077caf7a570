"""Rewards → what they are less the mean of their pull, set by set; and how likely what is left of them is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.outlook.heard import Heard
from heats.engine.adaptive.outlook.sets import Sets

RATIOS = (0.1, 1.0, 10.0, 100.0, 1e4, 1e6)  # that are tried, of the variance of what lasts to that of noise
LEAST_NOISE = 1e-3  # of all that rewards differ by
FAR_BEHIND = 3.0  # times the median of how far arms are behind the best of their pull


class Rewards(NamedTuple):
    """Rewards of runs in step, each less the mean of its pull and in units of what those of its run differ by."""

    sums: Array  # (size, sets)
    pulls: Array  # (sets,) with a verdict
    squares: Array  # (reps,), their sum
    free: Indices  # (reps,), how many of the numbers are free

    def of(self, runs: Indices, sets: Indices) -> Rewards:
        """Return those of some runs, and of their sets."""
        return Rewards(self.sums.take(sets, axis=1), self.pulls[sets], self.squares[runs], self.free[runs])


def group_rewards(heard: Heard, sets: Sets) -> Rewards:
    """Add rewards up, set by set."""
    rewards = center_rewards(heard)
    free = heard.told.sum(axis=1) * (len(rewards) - 1)
    return Rewards(sets.add_up(rewards), sets.count_pulls(heard.told), (rewards**2).sum(axis=(0, 2)), free)


def square_sums(rewards: Rewards) -> Array:
    """Return what the means of sets explain of the squares of their rewards ``(sets,)``."""
    squares: Array = (rewards.sums**2).sum(axis=0) / np.maximum(rewards.pulls, 1)
    return squares


def find_noise(rewards: Rewards, sets: Sets) -> Array:
    """Return what rewards of the same set differ by ``(reps,)``; where few were pulled twice, all differ by."""
    within = np.maximum(rewards.squares - sets.add_runs(square_sums(rewards)), 0.0)
    again = rewards.free - (len(rewards.sums) - 1) * sets.add_runs(rewards.pulls > 0)
    noise: Array = np.maximum(np.sqrt((within + 1 / (again + 1)) / (again + 1)), LEAST_NOISE)
    return noise


def center_rewards(heard: Heard) -> Array:
    """Return how rewards differ from the mean of their pull, over how much they do in all pulls of a run; 0 untold.

    How far an arm is behind the best of its pull counts up to three times what is usual in the run. Arms that are worse
    than that are often noisy, too, and would drown what the good ones differ by.
    """
    behind = heard.rows.max(axis=0) - heard.rows
    rewards = -np.minimum(behind, FAR_BEHIND * _find_usual(behind))
    rewards = scale_rows(rewards - rewards.mean(axis=0))
    degrees = np.maximum(heard.told.sum(axis=1) * (len(rewards) - 1), 1)[:, None]
    variance = (rewards**2).sum(axis=(0, 2))[:, None] / degrees
    scaled: Array = rewards / np.sqrt(np.where(variance > 0, variance, 1))
    return scaled


def scale_rows(numbers: Array) -> Array:
    """Return numbers over the largest of their run, so that differences and squares stay finite."""
    largest = np.abs(numbers).max(axis=(0, 2))[:, None]
    scaled: Array = numbers / np.where(largest > 0, largest, 1)
    return scaled


def _find_usual(behind: Array) -> Array:
    """Return the median of what is above 0 in every run ``(reps, 1)``; 0 where nothing is."""
    in_order = np.sort(behind.swapaxes(0, 1).reshape(behind.shape[1], -1), axis=1)
    above = (in_order > 0).sum(axis=1, keepdims=True)
    usual: Array = np.take_along_axis(in_order, in_order.shape[1] - 1 - above // 2, axis=1)
    return usual


def explain(squares: Array, explained: Array) -> Array:
    """Return what is left of the sum of squares of rewards, at least what the least noise leaves."""
    left: Array = np.maximum(squares - explained, LEAST_NOISE**2 * np.where(squares > 0, squares, 1.0))
    return left


def weigh_rewards(free: Indices, left: Array, spread: Array) -> Array:
    """Return the log-likelihood of rewards, whatever the noise: −N/2 log(what is left) − ½ log |1 + λ X'X|."""
    likely: Array = -(free * np.log(left) + spread) / 2
    return likely
