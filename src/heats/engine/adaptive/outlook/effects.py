"""What rewards say if strengths last: a reward is its arm's effect, the luck of the pull, and noise.

Effects are normal with λ times the variance of the noise, so the most likely ones solve

    Σ over an arm's pulls of (θ_i − mean θ of the pull) + θ_i / λ = Σ of its rewards, each less the mean of its pull,

and the rewards themselves, N numbers of them that are free, have, whatever the noise may be, the log-likelihood

    −N/2 log(what is left unexplained) − ½ log |1 + λ X'X|,

where what is left unexplained is the sum of squares less that of what θ explains. If company decides instead, every set
has effects of its own. Of several λ the likeliest counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from heats.base.arrays import Array
from heats.engine.adaptive.outlook.determinants import log_determinant
from heats.engine.adaptive.outlook.heard import add_up
from heats.engine.adaptive.outlook.lasting import Effects, Strengths, take_likeliest
from heats.engine.adaptive.outlook.rewards import RATIOS, Rewards, explain, weigh_rewards
from heats.engine.adaptive.outlook.sets import Sets

MOST_STEPS = 100  # of conjugate gradients
SMALL_RESIDUAL = 1e-6


def fit_effects(rewards: Rewards, sets: Sets, n_arms: int) -> tuple[Strengths, Array]:
    """Return the effects that explain rewards best, and the log-likelihood of the rewards ``(reps,)``."""
    fit = _Fit(rewards, sets, n_arms)
    *strengths, likely = take_likeliest([fit.try_ratio(ratio) for ratio in RATIOS])
    return Strengths(*strengths), likely


class _Fit:
    """What effects are fitted to."""

    def __init__(self, rewards: Rewards, sets: Sets, n_arms: int) -> None:
        self._rewards, self._sets, self._size = rewards, sets, len(rewards.sums)
        self._shape = (len(sets.which), n_arms)
        self._places = sets.arms + sets.runs * n_arms
        self._sums = add_up(self._places, rewards.sums, self._shape)
        self._pulls = self._spread(rewards.pulls)

    def try_ratio(self, ratio: float) -> Effects:
        """Find the effects if they have so many times the variance of the noise, and the likelihood of that."""
        effects = _solve(lambda along: self._apply(along) + along / ratio, self._sums, self._pulls + 1 / ratio)
        left = explain(self._rewards.squares, (self._sums * effects).sum(axis=1))
        known = self._pulls * (1 - 1 / self._size) + 1 / ratio
        roots = np.broadcast_to(np.sqrt(self._rewards.pulls * (ratio / self._size)), self._places.shape)
        spread = log_determinant(known * ratio, self._sets.arms, self._sets.runs, roots)
        noise = (left / np.maximum(self._rewards.free, 1))[:, None]
        sharper = (1 - 1 / self._size) / noise
        return Effects(effects, known / noise, sharper, weigh_rewards(self._rewards.free, left, spread))

    def _apply(self, effects: Array) -> Array:
        """Return X'X times effects: over the pulls of each arm, the sum of how far it is from the mean of the pull."""
        sums = reduce(np.add, effects.ravel().take(self._places, mode="clip"))
        applied: Array = self._pulls * effects - self._spread(sums * (self._rewards.pulls / self._size))
        return applied

    def _spread(self, values: Array) -> Array:
        """Return the sums over the sets of every arm of what all arms of a set ``(sets,)`` have."""
        return add_up(self._places, np.broadcast_to(values, self._places.shape), self._shape)


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
