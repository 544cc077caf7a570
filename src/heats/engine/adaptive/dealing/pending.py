"""How a pending comparison counts: with its expected result, so that the next one is dealt before it is answered."""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices

WIN_CHANCE = 0.7  # with which the best arm is expected to win a comparison in a contextual world
LEAST_GAIN = 0.05  # of precision by a choice: else two arms that are settled would never make room for others


def find_gains(m: Indices) -> tuple[Array, Array]:
    """Return what the score of an arm gains in a contextual world if it is chosen out of m arms, and if it is not."""
    return np.log(m * WIN_CHANCE), np.log(m * (1 - WIN_CHANCE) / (m - 1))


def expect_gains(scores: Array) -> Array:
    """Return the expected gain of each arm of comparisons with such scores ``(..., size)``."""
    won, lost = find_gains(np.array(scores.shape[-1]))
    expected: Array = lost + find_shares(scores) * (won - lost)
    return expected


def expect_precision(strengths: Array) -> Array:
    """Return how much more precisely a choice tells strengths: q(1 − q), q the chance to be chosen, or a little."""
    chances = find_shares(strengths)
    gained: Array = np.maximum(chances * (1 - chances), LEAST_GAIN)
    return gained


def find_shares(scores: Array) -> Array:
    """Return the softmax of scores ``(..., size)``."""
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    softmax: Array = shares / shares.sum(axis=-1, keepdims=True)
    return softmax
