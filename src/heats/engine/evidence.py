"""A Plackett-Luce fit to all pulls so far: one strength per arm, from whom it met and how it did.

A winner is drawn in proportion to strength; a ranking counts as all its pairs (the pairs of a Plackett-Luce ranking
are won in proportion to strength as well). Each arm also played one imaginary pair against an opponent of strength
one, which it won and lost by half: so strengths stay finite, and arms never seen have strength one. Everything works
for many tournaments at once: the first axis is the repetition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.planning.plan import MOST_CARRIED_PULLS

STEPS = 12  # minorise-maximise steps per fit, each from where the last one ended


class _Seen(NamedTuple):
    """A round: its heats ``(reps, heats, size)`` and how many comparisons each had; each choosing one, or all pairs."""

    heats: Indices
    comparisons: Array
    pairs: bool


class Fit:
    """Strengths of all arms, brought up to date with every round."""

    def __init__(self, reps: int, n_arms: int) -> None:
        self._rows = np.arange(reps)[:, None, None]
        self._wins = np.full((reps, n_arms), 0.5)
        self._strengths = np.ones((reps, n_arms))
        self._rounds: list[_Seen] = []
        self._weight = 0.0  # pulls per heat so far, as they count

    def add(self, heats: Indices, means: Array, pulls: int, *, pairs: bool) -> None:
        """Add a round: mean winner shares of its heats, or with ``pairs`` mean shares of the others placed below."""
        if self._weight > MOST_CARRIED_PULLS:
            self._fade(MOST_CARRIED_PULLS / self._weight)
        self._weight += pulls
        size = heats.shape[-1]
        won = pulls * means * (size - 1 if pairs else 1)
        self._wins[self._rows, heats] += won
        # A pull that nobody won tells nothing of winners: there are as many choices as there were wins.
        comparisons = np.full(heats.shape[:-1], float(pulls)) if pairs else won.sum(axis=-1)
        self._rounds.append(_Seen(heats, comparisons, pairs))

    def _fade(self, share: float) -> None:
        """Let all rounds so far count for less."""
        self._wins = 0.5 + share * (self._wins - 0.5)
        self._rounds = [seen._replace(comparisons=share * seen.comparisons) for seen in self._rounds]
        self._weight *= share

    def strengths(self, steps: int = STEPS) -> Array:
        """Return the strengths ``(reps, n_arms)`` after so many more steps."""
        for _ in range(steps):
            # γ_i ← wins_i / Σ over its comparisons of 1 / (sum of the strengths compared), the imaginary one included
            expected = 1 / (self._strengths + 1)
            for seen in self._rounds:
                expected[self._rows, seen.heats] += _rates(self._strengths[self._rows, seen.heats], seen)
            self._strengths = self._wins / expected
        return self._strengths


def _rates(strengths: Array, seen: _Seen) -> Array:
    """Return, per arm of a heat, its comparisons, each over the sum of the strengths in it."""
    if not seen.pairs:
        rates: Array = (seen.comparisons / strengths.sum(axis=-1))[..., None] * np.ones(strengths.shape[-1])
        return rates
    sums = strengths[..., :, None] + strengths[..., None, :]
    pairs: Array = (1 / sums).sum(axis=-1) - 1 / (2 * strengths)  # without an arm's pair with itself
    return pairs * seen.comparisons[..., None]
