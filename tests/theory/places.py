"""Candidates drawn anew from a space in every repetition: a place in it, from 0 (the best) to 1, is all there is to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments.protocol import Environment, Rng

# A place in a space → the logarithm of the strength there.
Slope: TypeAlias = Callable[[Array], Array]

SPACES: dict[str, Slope] = {
    "all nearly alike": lambda place: -place,
    "even": lambda place: -4 * place,
    "steep": lambda place: -10 * place,
    "a few spots": lambda place: 4 * np.exp(-place / 0.05),
}


class Places(Environment):
    """A race in every repetition, won as Plackett and Luce have it, by candidates at ``places (repetitions, arms)``."""

    kind = Kind.WINNER

    def __init__(self, places: Array, slope: Slope) -> None:
        self._places, self._slope = places, slope
        self.n_arms = places.shape[1]

    def block(self, start: int, reps: int) -> Places:
        """Return the candidates of these repetitions."""
        return Places(self._places[start : start + reps], self._slope)

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw by the largest of Gumbel-shifted logarithms."""
        places = np.take_along_axis(self._places[:, None, :], heats, axis=-1)
        noise = -np.log(rng.standard_exponential((*heats.shape[:-1], pulls, heats.shape[-1])))
        return winner_shares(self._slope(places)[..., None, :] + noise)
