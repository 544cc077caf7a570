"""Rewards → their noise, and how likely the rewards are once the means are explained."""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array
from heats.engine.belief.evidence import Rewards
from heats.engine.belief.settings import LEAST_NOISE


def estimate_noise(evidence: Rewards) -> Array:
    """Return the standard deviation of rewards of the same set ``(reps,)``; where few were repeated, of all rewards."""
    explained, free = np.zeros(evidence.reps), evidence.free.astype(np.float64)
    for part in evidence.parts:
        explained += part.sets.add_runs((part.sums**2).sum(axis=0) / np.maximum(part.times, 1))
        free -= (part.sets.size - 1) * part.sets.add_runs(part.times > 0)
    within = np.maximum(evidence.squares - explained, 0.0)
    noise: Array = np.maximum(np.sqrt((within + 1 / (free + 1)) / (free + 1)), LEAST_NOISE)
    return noise


def find_left(evidence: Rewards, explained: Array) -> Array:
    """Return what is left of the sum of squares, at least what the least noise leaves."""
    least = LEAST_NOISE**2 * np.where(evidence.squares > 0, evidence.squares, 1.0)
    left: Array = np.maximum(evidence.squares - explained, least)
    return left


def weigh_rewards(evidence: Rewards, explained: Array, spread: Array) -> Array:
    """Return the log-likelihood of rewards, whatever the noise: −N/2 log(what is left) − ½ log |1 + λX'X|."""
    likelihood: Array = -(evidence.free * np.log(find_left(evidence, explained)) + spread) / 2
    return likelihood
