"""Gaussian worlds: the paper's synthetic family, and arms whose rewards do not depend on company."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from heats.base import randomness
from heats.base.arrays import AnyArray, Array, Indices, Words
from heats.base.checks import between, one_of, refuse, true_or_false, whole
from heats.base.randomness import Purpose
from heats.environments.arguments import LARGEST_VALUE, check_vector, to_numbers
from heats.environments.protocol import Environment, Rng
from heats.errors import InvalidArgument

MOST_ARMS_LOOKED_UP = 10_000
MOST_ARMS = 10**12  # so that random bits can still tell them apart


class _Normal(Environment):
    """Independent normal rewards with a mean and a deviation per arm of a heat."""

    ties = False
    at_once = True

    @abstractmethod
    def parameters(self, heats: Indices) -> tuple[Array, Array]:
        """Return means and deviations ``(..., size)``."""

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw pull by pull."""
        means, deviations = self.parameters(heats)
        # In memory heats come last: then whatever is done to all of them is done to long rows of numbers.
        drawn: Array = rng.standard_normal((pulls, heats.shape[-1], *heats.shape[:-1]))
        drawn *= np.moveaxis(deviations, -1, 0)
        drawn += np.moveaxis(means, -1, 0)
        return np.moveaxis(drawn, (0, 1), (-2, -1))

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw the mean over all pulls at once: it is normal too."""
        means, deviations = self.parameters(heats)
        drawn: Array = means + deviations / np.sqrt(pulls) * rng.standard_normal(heats.shape)
        return drawn

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return the means."""
        means: list[float] = self.parameters(np.array(heat))[0].tolist()
        return means


class Gaussian(_Normal):
    """The paper's synthetic family (Appendix G): means in [0, 1] drawn anew for every set of arms.

    The arm ``best`` leads every heat it is in by ``gap``. With ``decoy`` another arm leads every heat without ``best``
    by 2·gap, so that the Borda winner usually is not the Condorcet winner. Deviations lie in [0.05, 0.2]; with
    ``spread="variance"`` these are variances, the literal reading. All parameters are hashes of (seed, set of arms):
    the same set has the same in every run, at any n, and nothing is stored. With ``redraw`` every repetition of a
    simulation gets parameters of its own (the best arm stays the same), so that its success rate is that of the family;
    a single run is played in the world of the seed itself.
    """

    def __init__(
        self,
        n_arms: int,
        gap: float = 0.1,
        decoy: bool = False,
        seed: int = 0,
        spread: Literal["deviation", "variance"] = "deviation",
        redraw: bool = False,
    ) -> None:
        self.n_arms = whole("n_arms", n_arms, 2, MOST_ARMS)
        self.gap = between("gap", gap, 0, 1e6)
        self.spread = one_of("spread", spread, ("deviation", "variance"))
        self.redraw = true_or_false("redraw", redraw)
        self._known: Words | None = None  # the bits of the arms
        if true_or_false("decoy", decoy) and self.n_arms < 3:
            raise InvalidArgument("{n_arms} is too few for a decoy, which needs a third arm to lead.", n_arms=n_arms)
        self._root: Any = randomness.fold_seed(seed)
        self.best: int = int(randomness.pick_below(self.n_arms, randomness.draw_bits(self._root, Purpose.WORLD_BEST)))
        other = int(randomness.pick_below(self.n_arms - 1, randomness.draw_bits(self._root, Purpose.WORLD_DECOY)))
        self.decoy = other + (other >= self.best) if decoy else None

    def block(self, start: int, reps: int) -> Gaussian:
        """Return this world, or with ``redraw`` one whose first axis is a world per repetition."""
        if not self.redraw:
            return self
        worlds = copy(self)
        worlds._known = None
        worlds._root = randomness.draw_bits(self._root, Purpose.WORLD_ANEW, np.arange(start, start + reps))[
            :, None, None
        ]
        return worlds

    def parameters(self, heats: Indices) -> tuple[Array, Array]:
        """Return means and deviations of every arm in its heat."""
        if heats.shape[-1] < 2:
            raise InvalidArgument(
                "the Gaussian family is about heats of two and more; single arms have no mean of their own."
            )
        arms = self._arm_bits(heats)
        together = reduce(np.add, _columns(arms))  # the same for any order of the set
        bits = randomness.draw_bits(together[..., None] ^ arms)
        means = randomness.to_unit(randomness.draw_more_bits(bits, Purpose.WORLD_MEAN))
        spreads = 0.05 + 0.15 * randomness.to_unit(randomness.draw_more_bits(bits, Purpose.WORLD_SPREAD))
        if self.decoy is not None:
            self._raise(
                means, heats == self.decoy, 2 * self.gap, unless=reduce(np.logical_or, _columns(heats == self.best))
            )
        self._raise(means, heats == self.best, self.gap)
        return means, spreads if self.spread == "deviation" else np.sqrt(spreads)

    def _arm_bits(self, heats: Indices) -> Words:
        """Return the bits of every arm; of not too many arms, drawn once and looked up."""
        if self.n_arms > MOST_ARMS_LOOKED_UP:
            return randomness.draw_bits(self._root, Purpose.WORLD_ARM, heats)
        if self._known is None:
            self._known = randomness.draw_bits(self._root, Purpose.WORLD_ARM, np.arange(self.n_arms)).reshape(-1)
        rows = self._known.size // self.n_arms  # as many as there are worlds
        return self._known.take(heats if rows == 1 else heats + (np.arange(rows) * self.n_arms)[:, None, None])

    def _raise(self, means: Array, who: Array, lead: float, unless: Array | bool = False) -> None:
        """Put an arm ``lead`` above the best of the others, in heats it is in."""
        rows = reduce(np.logical_or, _columns(who)) & ~np.asarray(unless)
        there = who[rows]
        others = np.where(there, -np.inf, means[rows])
        means[rows] = np.where(there, others.max(axis=-1, keepdims=True) + lead, means[rows])


class Normal(_Normal):
    """Arms with fixed means and deviations, whatever their company."""

    def __init__(self, means: ArrayLike, deviations: ArrayLike = 0.1) -> None:
        self._means = check_vector("means", means)
        if not (np.abs(self._means) <= LARGEST_VALUE).all():
            raise refuse("means", means, f"must be finite numbers, within ±{LARGEST_VALUE:g}")
        spreads = to_numbers("deviations", deviations)
        if spreads.shape not in ((), self._means.shape):
            raise refuse("deviations", deviations, "must be one number, or one per mean")
        if not ((spreads >= 0) & (spreads <= LARGEST_VALUE)).all():
            raise refuse("deviations", deviations, "must be finite numbers, not below 0")
        self._deviations = np.broadcast_to(spreads, self._means.shape)
        self.n_arms = self._means.size
        self.best = int(self._means.argmax())
        self.ties = bool((self._deviations == 0).any())

    def parameters(self, heats: Indices) -> tuple[Array, Array]:
        """Return what was given."""
        return self._means[heats], self._deviations[heats]


def _columns(rows: AnyArray) -> list[AnyArray]:
    """Return the last axis, which is short, as a list: much faster to go along than along the axis itself."""
    return [rows[..., place] for place in range(rows.shape[-1])]
