"""What rewards say if strengths last: a reward is its arm's effect, the luck of the pull, and noise.

Effects are normal with λ times the variance of the noise, so the most likely ones solve

    Σ over an arm's pulls of (θ_i − mean θ of the pull) + θ_i / λ = Σ of its rewards, each less the mean of its pull,

and the rewards themselves, N numbers of them that are free, have, whatever the noise may be, the log-likelihood

    −N/2 log(what is left unexplained) − ½ log |1 + λ X'X|,

where what is left unexplained is the sum of squares less that of what θ explains. If company decides instead, every set
has effects of its own. Of several λ the likeliest counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array
from heats.engine.adaptive.company import RATIOS, center_rewards, explain, weigh_rewards
from heats.engine.adaptive.heard import Heard, add_up, place_arms
from heats.engine.adaptive.lasting import Strengths, log_determinant
from heats.engine.adaptive.sets import group_sets

MOST_STEPS = 100  # of conjugate gradients
SMALL_RESIDUAL = 1e-6


class Effects(NamedTuple):
    """Effects that explain rewards, and the log-likelihood of those; of runs in step."""

    strengths: Array  # (reps, n_arms)
    sharpness: Array  # (reps, n_arms)
    sharper: Array  # (reps, 1)
    likely: Array  # (reps,)


def fit_effects(heard: Heard, n_arms: int) -> tuple[Strengths, Array]:
    """Return the effects that explain rewards best, and the log-likelihood of the rewards ``(reps,)``."""
    rewards = _Rewards(heard, n_arms)
    tried = [rewards.fit(ratio) for ratio in RATIOS]
    best = np.stack([each.likely for each in tried]).argmax(axis=0)
    runs = np.arange(heard.reps)
    *strengths, likely = (np.stack(part)[best, runs] for part in zip(*tried, strict=True))
    return Strengths(*strengths), likely


class _Rewards:
    """Rewards of runs in step, each less the mean of its pull."""

    def __init__(self, heard: Heard, n_arms: int) -> None:
        self._sets, self._size = group_sets(heard.heats), heard.heats.shape[2]
        self._shape = (heard.reps, n_arms)
        self._places = place_arms(heard.heats, n_arms)
        self._told = np.broadcast_to(heard.told[..., None], heard.heats.shape).astype(np.float64)
        rewards = center_rewards(heard)
        self._pulls = add_up(self._places, self._told, self._shape)
        self._sums = add_up(self._places, rewards, self._shape)
        self._squares = (rewards**2).sum(axis=(1, 2))
        counts = self._sets.count_pulls(heard.told)
        self._roots = np.broadcast_to(np.sqrt(counts / self._size), self._sets.arms.shape)
        self._free = heard.told.sum(axis=1) * (self._size - 1)

    def fit(self, ratio: float) -> Effects:
        """Find the effects if they have so many times the variance of the noise, and the likelihood of that."""
        effects = _solve(lambda along: self._apply(along) + along / ratio, self._sums, self._pulls + 1 / ratio)
        left = explain(self._squares, (self._sums * effects).sum(axis=1))
        known = self._pulls * (1 - 1 / self._size) + 1 / ratio
        spread = log_determinant(known * ratio, self._sets.arms, self._sets.runs, self._roots * math.sqrt(ratio))
        noise = (left / np.maximum(self._free, 1))[:, None]
        sharper = (1 - 1 / self._size) / noise
        return Effects(effects, known / noise, sharper, weigh_rewards(self._free, left, spread))

    def _apply(self, effects: Array) -> Array:
        """Return X'X times effects: over the pulls of each arm, the sum of how far it is from the mean of the pull."""
        means = (effects.ravel()[self._places] * self._told).mean(axis=-1, keepdims=True)
        applied: Array = self._pulls * effects - add_up(self._places, means * self._told, self._shape)
        return applied


def _solve(apply: Callable[[Array], Array], wanted: Array, nearly: Array) -> Array:
    """Solve linear systems, a row each, by conjugate gradients; ``nearly`` is the diagonal of the matrices."""
    found = np.zeros(wanted.shape)
    left = wanted.copy()
    eased = left / nearly
    along = eased.copy()
    size = (left * eased).sum(axis=1, keepdims=True)
    enough = SMALL_RESIDUAL**2 * size
    for _ in range(MOST_STEPS):
        if (size <= enough).all():
            break
        moved = apply(along)
        steepness = (along * moved).sum(axis=1, keepdims=True)
        step = np.where(size > enough, size / np.where(steepness > 0, steepness, 1.0), 0.0)
        found += step * along
        left -= step * moved
        eased = left / nearly
        before, size = size, (left * eased).sum(axis=1, keepdims=True)
        along = eased + np.where(before > 0, size / np.where(before > 0, before, 1.0), 0.0) * along
    return found
