"""A consistent world: strengths are drawn anew in every run, and are the same in any company."""

from __future__ import annotations

from copy import copy

import numpy as np

from heats.base.arrays import Array, Indices
from heats.environments import Environment
from heats.environments.protocol import Rng


class LastingStrengths(Environment):
    """Log-strengths are normal with deviation 1, rewards are these in Gumbel noise, and arm 0 is the best.

    So who is first, and the order of all, are those of Plackett and Luce.
    """

    best = 0
    ties = False

    def __init__(self, n_arms: int, seed: int) -> None:
        self.n_arms = n_arms
        self._seed = seed
        self._strengths = self._draw_strengths(0, 1)

    def block(self, start: int, reps: int) -> LastingStrengths:
        """Return the worlds of some repetitions."""
        worlds = copy(self)
        worlds._strengths = self._draw_strengths(start, reps)
        return worlds

    def _draw_strengths(self, start: int, reps: int) -> Array:
        """Return log-strengths ``(reps, n_arms)``; the best changes places with arm 0."""
        drawn = np.random.default_rng([self._seed, start]).standard_normal((reps, self.n_arms))
        runs, best = np.arange(reps), drawn.argmax(axis=1)
        drawn[runs, best], drawn[:, 0] = drawn[:, 0].copy(), drawn[runs, best]
        return drawn

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw rewards of the heats ``(reps, ..., size)``."""
        rows = heats.reshape(len(self._strengths), -1)
        strengths = np.take_along_axis(self._strengths, rows, axis=1).reshape(heats.shape)
        return strengths[..., None, :] + rng.gumbel(size=(*heats.shape[:-1], pulls, heats.shape[-1]))
