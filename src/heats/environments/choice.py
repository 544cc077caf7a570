"""A choice model: the probability to win is proportional to an arm's utility (Plackett and Luce)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from heats.base.arrays import Array, Indices
from heats.base.checks import one_of, refuse
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments.arguments import check_vector
from heats.environments.protocol import Environment, Rng


class PlackettLuce(Environment):
    """Arm i wins heat Q with probability u_i / Σ u_j; for rankings the next place goes the same way, and so on.

    Only logarithms of utilities are added up, so that no sum of large ones overflows.
    """

    def __init__(self, utilities: ArrayLike, feedback: Literal["winner", "ranking"] = "winner") -> None:
        given = check_vector("utilities", utilities)
        if not np.isfinite(given).all() or not (given > 0).all():
            raise refuse("utilities", utilities, "must be finite numbers above 0")
        self._logs: Array = np.log(given)
        self.n_arms = given.size
        self.best = int(given.argmax())
        self.kind = Kind(one_of("feedback", feedback, ("winner", "ranking")))
        self.at_once = self.kind is Kind.WINNER

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw by the largest of Gumbel-shifted log-utilities, whose order is a Plackett-Luce ranking."""
        noise = -np.log(rng.standard_exponential((*heats.shape[:-1], pulls, heats.shape[-1])))
        keys = self._logs[heats][..., None, :] + noise
        if self.kind is Kind.WINNER:
            return winner_shares(keys)
        below = np.argsort(np.argsort(keys, axis=-1), axis=-1)
        shares: Array = below / (heats.shape[-1] - 1)
        return shares

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw the numbers of wins at once: they are multinomial."""
        if self.kind is not Kind.WINNER:
            return super().sample_mean(heats, pulls, rng)
        return rng.multinomial(pulls, self._chances(heats)) / pulls

    def _chances(self, heats: Indices) -> Array:
        """Return the probabilities to win."""
        logs = self._logs[heats]
        relative = np.exp(logs - logs.max(axis=-1, keepdims=True))
        chances: Array = relative / relative.sum(axis=-1, keepdims=True)
        return chances

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return the probabilities to win, or for rankings the mean share of the others placed below."""
        arms = np.array(heat)
        if self.kind is Kind.WINNER:
            chances: list[float] = self._chances(arms).tolist()
            return chances
        logs = self._logs[arms]
        beats = np.exp(-np.logaddexp(0, logs[None, :] - logs[:, None]))  # u_i / (u_i + u_j)
        borda: list[float] = ((beats.sum(axis=1) - 0.5) / (len(heat) - 1)).tolist()
        return borda
