"""Choices or effects → how likely strengths make them: in a field, the most likely ones, and draws of them.

What a field is, and how likely one made what was told, stands in ``posterior.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Words
from heats.base.randomness import draw_normals, draw_units
from heats.engine.standings.choices import Choices
from heats.engine.standings.effects import Effects
from heats.engine.standings.hamilton import PER_CHAIN, Proposal, draw_points
from heats.engine.standings.precision import Precision
from heats.engine.standings.shapes import look_at_even, look_at_normal

FURTHER_APART = 8.0  # times the spread, is how far the one that stands apart may be
MOST_STEPS = 100
MOST_HALVINGS = 60
SMALL_STEP = 1e-10  # of the largest strength: where the search for the mode ends
LONGEST_STEP = 2.0  # of a log-strength, in the search for the mode
LEAST_NOISE = 1e-12  # of the squares of all rewards, where a judge is without noise
LEAST_SHARPNESS = 1e-6  # drawn, of the noise of rewards


class Field(NamedTuple):
    """How strengths are spread: with this deviation, normal or even; one arm may stand apart from all others."""

    spread: float
    apart: int | None = None
    even: bool = False

    def deviations(self, n_arms: int) -> Array:
        """Return the standard deviation of every arm's strength, before anything was told."""
        deviations = np.full(n_arms, self.spread)
        if self.apart is not None:
            deviations[self.apart] *= FURTHER_APART
        return deviations


class Fit(NamedTuple):
    """The most likely strengths in a field, how sharp that is, and how likely the field is."""

    field: Field
    mode: Array
    precision: Precision
    noise: float  # variance of the noise of rewards; 1 for choices
    log_weight: float

    @property
    def deviations(self) -> Array:
        """Of the strengths, all others taken as known."""
        deviations: Array = self.precision.deviations * self.noise**0.5
        return deviations


class Model(ABC):
    """How likely strengths make what was told."""

    typical_spread: float  # where the search for spreads begins
    most_spread: float  # where it ends
    may_be_even: bool  # whether it knows such fields

    @abstractmethod
    def fit(self, field: Field, start: Array) -> Fit:
        """Find the most likely strengths."""

    @abstractmethod
    def draw(self, fits: Sequence[Fit], chains: Sequence[int], seed: Words) -> Array:
        """Return ``PER_CHAIN`` draws of each chain, of which every fit has some: ``(n_arms, draws)``."""

    @abstractmethod
    def hold_all_but(self, arms: Indices, strengths: Array) -> Model:
        """Return the model of these arms alone, in this order, all others held at their strengths."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many numbers a look at the model touches."""


class ChoiceModel(Model):
    """Choices in proportion to e^strength."""

    typical_spread = 0.8
    most_spread = 8.0
    may_be_even = True

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    @property
    def size(self) -> int:
        """Entries of all choices, and what it costs to change coordinates, in such entries."""
        return self._choices.n_entries + self._choices.n_arms**2 // 40

    def hold_all_but(self, arms: Indices, strengths: Array) -> ChoiceModel:
        """Return the model of some arms."""
        return ChoiceModel(self._choices.hold_all_but(arms, strengths))

    def fit(self, field: Field, start: Array) -> Fit:
        """Climb by Newton's steps, which a concave log posterior lets succeed from anywhere."""
        mode = start
        spreads = field.deviations(mode.size)[:, None]
        value, slope = self._look(mode[:, None], spreads)
        for _ in range(MOST_STEPS):
            precision = self._find_precision(mode, spreads[:, 0])
            step = precision.solve(slope[:, 0])
            longest = float(np.abs(step).max())
            if longest <= SMALL_STEP * (1 + float(np.abs(mode).max())):
                break
            step *= min(1.0, LONGEST_STEP / longest)
            for _ in range(MOST_HALVINGS):
                new_value, new_slope = self._look((mode + step)[:, None], spreads)
                if new_value[0] >= value[0] - 1e-12 * abs(value[0]):
                    break
                step /= 2
            mode, value, slope = mode + step, new_value, new_slope
        weight = float(value[0]) - float(np.log(spreads).sum()) + self._weigh(field.spread)
        if precision.is_small:
            weight -= precision.log_determinant / 2
        return Fit(field, mode, precision, 1.0, weight)

    def draw(self, fits: Sequence[Fit], chains: Sequence[int], seed: Words) -> Array:
        """Draw by Hamiltonian moves."""
        spreads = np.repeat([fit.field.deviations(fit.mode.size) for fit in fits], chains, axis=0).T
        proposals = [Proposal(fit.mode, fit.precision.find_scale(), n) for fit, n in zip(fits, chains, strict=True)]
        even = np.repeat([fit.field.even for fit in fits], chains)
        return draw_points(lambda points: self._look(points, spreads, even), proposals, seed)

    def _look(self, strengths: Array, spreads: Array, even: Mask | None = None) -> tuple[Array, Array]:
        """Return the log posterior of columns of strengths, without constants, and its gradient."""
        value, slope = self._choices.likelihood(strengths)
        scaled = strengths / spreads
        prior, lean = look_at_normal(scaled)
        if even is not None and even.any():
            prior[:, even], lean[:, even] = look_at_even(scaled[:, even])
        return value + prior.sum(axis=0), slope + lean / spreads

    def _find_precision(self, strengths: Array, spreads: Array) -> Precision:
        diagonal, rows = self._choices.curvature(strengths)
        return Precision(diagonal + spreads**-2, rows)

    @staticmethod
    def _weigh(spread: float) -> float:
        """Return the logarithm of what a spread of the grid counts before anything was told: few are large."""
        return float(0.75 * np.log(spread) - spread)


class EffectModel(Model):
    """Rewards that are effects of arms, luck of pulls and normal noise; a spread is in units of the noise."""

    typical_spread = 0.8
    most_spread = 2000.0
    may_be_even = False

    def __init__(self, effects: Effects) -> None:
        self._effects = effects

    @property
    def size(self) -> int:
        """One for each arm: that is all it takes."""
        return self._effects.n_arms

    def hold_all_but(self, arms: Indices, strengths: Array) -> EffectModel:
        """Return the model of some arms."""
        return EffectModel(self._effects.hold_all_but(arms, strengths))

    def fit(self, field: Field, start: Array) -> Fit:
        """Solve the one linear system there is."""
        told, spreads = self._effects, field.deviations(start.size)
        precision = Precision(told.diagonal + spreads**-2, told.rows)
        mode = precision.solve(told.sums)
        left = max(told.squares - float(told.sums @ mode), LEAST_NOISE * told.squares)
        weight = -told.freedom / 2 * np.log(left) - float(np.log(spreads).sum()) + self._weigh(field.spread)
        if precision.is_small:
            weight -= precision.log_determinant / 2
        return Fit(field, mode, precision, left / told.freedom, weight)

    def draw(self, fits: Sequence[Fit], chains: Sequence[int], seed: Words) -> Array:
        """Draw the noise, then the effects."""
        from scipy.special import gammaincinv

        freedom = self._effects.freedom
        made = []
        for number, (fit, each) in enumerate(zip(fits, chains, strict=True)):
            draws = each * PER_CHAIN
            sharpness = gammaincinv(freedom / 2, draw_units(seed, 2 * number, (draws,))) * 2 / freedom
            noise = np.sqrt(fit.noise / np.maximum(sharpness, LEAST_SHARPNESS))
            normals = draw_normals(seed, 2 * number + 1, (fit.mode.size, draws))
            made.append(fit.mode[:, None] + noise * (fit.precision.find_scale() @ normals))
        return np.concatenate(made, axis=1)

    @staticmethod
    def _weigh(spread: float) -> float:
        """Return the same, with a long tail: judges without noise make spreads that are large beside it."""
        return float(-2 * np.log1p(spread))
