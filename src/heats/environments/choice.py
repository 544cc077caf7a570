"""A choice model: the probability to win is proportional to an arm's utility (Plackett and Luce)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from heats.base.arrays import Array, Indices
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments.protocol import Environment, Rng
from heats.errors import InvalidArgument


class PlackettLuce(Environment):
    """Arm i wins heat Q with probability u_i / Σ u_j; for rankings the next place goes the same way, and so on."""

    def __init__(self, utilities: ArrayLike, feedback: Literal["winner", "ranking"] = "winner") -> None:
        try:
            self._utilities = np.asarray(utilities, dtype=np.float64)
        except (TypeError, ValueError):
            self._utilities = np.empty(0)
        if self._utilities.ndim != 1 or self._utilities.size < 2:
            raise InvalidArgument(f"utilities={utilities!r} must be a list of at least two numbers.")
        if not np.isfinite(self._utilities).all() or not (self._utilities > 0).all():
            raise InvalidArgument("utilities must be finite numbers above 0.")
        if feedback not in ("winner", "ranking"):
            raise InvalidArgument(f"feedback={feedback!r} is unknown; choose winner or ranking.")
        self.n_arms = self._utilities.size
        self.best = int(self._utilities.argmax())
        self.kind = Kind(feedback)
        self.at_once = self.kind is Kind.WINNER

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw by the largest of Gumbel-shifted log-utilities, whose order is a Plackett-Luce ranking."""
        noise = -np.log(rng.standard_exponential((*heats.shape[:-1], pulls, heats.shape[-1])))
        keys = np.log(self._utilities[heats])[..., None, :] + noise
        if self.kind is Kind.WINNER:
            return winner_shares(keys)
        below = np.argsort(np.argsort(keys, axis=-1), axis=-1)
        shares: Array = below / (heats.shape[-1] - 1)
        return shares

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw the numbers of wins at once: they are multinomial."""
        if self.kind is not Kind.WINNER:
            return super().sample_mean(heats, pulls, rng)
        return rng.multinomial(pulls, self._shares(heats)) / pulls

    def _shares(self, heats: Indices) -> Array:
        utilities = self._utilities[heats]
        shares: Array = utilities / utilities.sum(axis=-1, keepdims=True)
        return shares

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return the probabilities to win, or for rankings the mean share of the others placed below."""
        arms = np.array(heat)
        if self.kind is Kind.WINNER:
            shares: list[float] = self._shares(arms).tolist()
            return shares
        utilities = self._utilities[arms]
        beats = utilities[:, None] / (utilities[:, None] + utilities[None, :])
        borda: list[float] = ((beats.sum(axis=1) - 0.5) / (len(heat) - 1)).tolist()
        return borda
