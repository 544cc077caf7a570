"""Worlds without chance: every arm's observations are written down beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from heats.base.arrays import Array, Indices
from heats.environments.arguments import check_table, to_numbers
from heats.environments.protocol import Environment, Rng
from heats.theory.instances import Instance
from heats.theory.limits import condorcet_winner


class Sequences(Environment):
    """Nothing is random: arm i's t-th observation is ``values[i][t-1]``, the last one for ever after.

    Instead of a table it takes an instance of ``heats.theory``, whose observations depend on the heat as well.
    """

    fixed = True

    def __init__(self, values: ArrayLike | Instance) -> None:
        self._instance = values if isinstance(values, Instance) else None
        if self._instance is not None:
            self.n_arms = self._instance.n_arms
            self.best = condorcet_winner(self._instance.table())
            return
        self._values = check_table("values", to_numbers("values", values).T).T
        self.n_arms = len(self._values)
        self.best = int(self._values[:, -1].argmax())

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return the first observations of every arm."""
        if self._instance is not None:
            return self._instance.sample(heats, pulls)
        when = np.minimum(np.arange(pulls), self._values.shape[1] - 1)
        seen: Array = self._values[heats[..., None, :], when[:, None]]
        return seen

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return what the means tend to: the last value of each."""
        if self._instance is not None:
            return self._instance.limits(heat)
        last: list[float] = self._values[list(heat), -1].tolist()
        return last
