"""Choices or effects → strengths, the spread among them, and draws of what they may be.

Strengths are taken to be normal around a common level, with a spread that the run itself must tell: a fixed one would
find a clear winner among equals. One arm may stand apart, further from all others than these from each other: else the
spread of a field of equals would hide the one that is better. So for each *field* (a spread of a grid, and nobody or
one of the best apart) the most likely strengths are found, and by Laplace's approximation how likely that field made
what was told,

    p(told | field) ≈ p(told | mode) p(mode | field) √((2π)^n / |H|),    H = −∇² log p at the mode,

which is exact for effects, whose noise is integrated out as well. Fields then count in proportion to it. Each gets
chains in this proportion, and these draw strengths given the field: effects from a Student t, which they have exactly;
choices, whose posterior is skewed where an arm won or lost all it was in, by Hamiltonian moves from the normal
approximation.

A field of many arms that choices were made of may also be *even*: as spread as a normal one, but with ends, so that the
best is hardly ahead of the next (``shapes.py``). How likely it made what was told follows from the normal one,

    p(told | even) = p(told | normal) E[p(strengths | even) / p(strengths | normal)],

the mean over the posterior of the normal field, arm by arm; its chains begin there too. Of few arms what was told
hardly speaks of the shape, and the odds alone would decide: those of an even field grow with the number of arms.

Up to ``MOST_TOGETHER`` arms all of this is exact up to the approximation above and the number of draws. Of more, the
spread is found by a few steps of expectation and maximisation that take arms for independent; those arms that may be
the best are then drawn together, all others held at their mode; and the rest are drawn one by one from their normal
approximation. What that costs in accuracy stands in docs/standings.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Matrix, Words
from heats.base.randomness import draw_normals, draw_units
from heats.engine.standings.choices import Choices
from heats.engine.standings.effects import Effects
from heats.engine.standings.hamilton import PER_CHAIN, Proposal, draw_points
from heats.engine.standings.shapes import compare_with_even, look_at_even, look_at_normal

MOST_TOGETHER = 1000  # arms that are drawn together
MOST_DRAWN = 20_000  # arms
LEAST_SPREAD = 0.05  # that is looked at
STEP_OF_SPREADS = 2**0.5
NEGLIGIBLE = 7.0  # log of how much less likely a spread must be than the likeliest to be left out
FURTHER_APART = 8.0  # times the spread, is how far the one that stands apart may be
ODDS_APART = 1.0  # that there is one
FEW_BEST = 3  # arms that are tried as the one
MOST_WITH_ONE_APART = 200  # arms; more tell the spread so well that it makes no difference
FEW_ARMS = 20  # cannot tell the shape of their field: it is normal
MANY_ARMS = 50  # can: it is as likely even; in between, the odds grow in proportion
MOST_HALVINGS = 60
MOST_CHAINS = 128
FEWEST_CHAINS = 16
MOST_AT_ONCE = 1_000_000  # numbers that all chains together look at
SMALL_STEP = 1e-10  # of the largest strength: where the search for the mode ends
MOST_STEPS = 100
LONGEST_STEP = 2.0  # of a log-strength, in the search for the mode
SPREAD_STEPS = 10  # of expectation and maximisation, for many arms
LEAST_NOISE = 1e-12  # of the squares of all rewards, where a judge is without noise
LEAST_SHARPNESS = 1e-6  # drawn, of the noise of rewards
OTHERS = 1000  # the random numbers of arms that are drawn one by one


class Posterior(NamedTuple):
    """What the strengths of all arms may be; arms that are not drawn cannot be the best."""

    strengths: Array  # (n_arms,), most likely ones
    deviations: Array  # (n_arms,), of their normal approximation
    drawn: Indices  # arms
    draws: Array  # (drawn, draws)
    spread: float
    approximate: bool


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


class Precision:
    """A matrix diag(d) − RᵀR that says how sharply strengths are known, taken apart where that is cheap."""

    def __init__(self, diagonal: Array, rows: Matrix) -> None:
        self.diagonal = diagonal
        self._rows = rows

    @cached_property
    def deviations(self) -> Array:
        """What each strength alone is known to, all others taken as known."""
        squares = self._rows**2 if isinstance(self._rows, np.ndarray) else self._rows.power(2)
        deviations: Array = 1 / np.sqrt(self.diagonal - np.asarray(squares.sum(axis=0)).ravel())
        return deviations

    @cached_property
    def factor(self) -> Array:
        """Lower triangular L with LLᵀ the matrix."""
        from scipy.linalg import cholesky

        squares = self._rows.T @ self._rows
        matrix = -(squares if isinstance(squares, np.ndarray) else squares.toarray())
        matrix[np.diag_indices(len(matrix))] += self.diagonal
        lower: Array = cholesky(matrix, lower=True)
        return lower

    @property
    def log_determinant(self) -> float:
        """Logarithm of the determinant."""
        return 2 * float(np.log(np.diag(self.factor)).sum())

    def solve(self, vector: Array) -> Array:
        """Return the matrix's inverse times a vector."""
        if self.diagonal.size <= MOST_TOGETHER:
            from scipy.linalg import cho_solve

            solved: Array = cho_solve((self.factor, True), vector)
            return solved
        from scipy.sparse.linalg import LinearOperator, cg

        n = self.diagonal.size
        rows = self._rows
        matrix = LinearOperator((n, n), lambda v: self.diagonal * v - rows.T @ (rows @ v), dtype=np.float64)
        nearly = LinearOperator((n, n), lambda v: self.deviations**2 * v, dtype=np.float64)
        near: Array = cg(matrix, vector, rtol=1e-10, maxiter=500, M=nearly)[0]
        return near

    def find_scale(self) -> Array:
        """Return W with WWᵀ the inverse of the matrix: W times standard normal numbers has it as its covariance."""
        from scipy.linalg import solve_triangular

        scale: Array = solve_triangular(self.factor, np.eye(self.diagonal.size), lower=True).T
        return scale


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
        if mode.size <= MOST_TOGETHER:
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
        if mode.size <= MOST_TOGETHER:
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


def explore(model: Model, n_arms: int, seed: Words, winner: int | None = None) -> Posterior:
    """Return what the strengths of all arms may be; the ``winner`` is among those drawn."""
    return _explore_all(model, n_arms, seed) if n_arms <= MOST_TOGETHER else _explore_many(model, n_arms, seed, winner)


def _explore_all(model: Model, n_arms: int, seed: Words) -> Posterior:
    fits = _fit_fields(model, n_arms)
    weights = np.exp([fit.log_weight - max(each.log_weight for each in fits) for fit in fits])
    weights /= weights.sum()
    strengths = weights @ np.array([fit.mode for fit in fits])
    deviations = weights @ np.array([fit.deviations for fit in fits])
    order = _order_arms(strengths, deviations)
    shares = np.diff(np.round(np.concatenate([[0.0], np.cumsum(weights)]) * _count_chains(model)).astype(int))
    model = model.hold_all_but(order, strengths)
    counting = [(fit, share) for fit, share in zip(fits, shares.tolist(), strict=True) if share]
    place = np.argsort(order)
    sorted_fits = [model.fit(_renumber(fit.field, place), fit.mode[order]) for fit, _ in counting]
    draws = model.draw(sorted_fits, [share for _, share in counting], seed)
    spread = float(weights @ [fit.field.spread * fit.noise**0.5 for fit in fits])
    return Posterior(strengths, deviations, order, draws, spread, approximate=False)


def _fit_fields(model: Model, n_arms: int) -> list[Fit]:
    """Fit in every field that counts: from the middle of the spreads outwards, until they are too unlikely."""
    middle = _fit_field(model, model.typical_spread, np.zeros(n_arms))
    found = {model.typical_spread: middle}
    for step in (1 / STEP_OF_SPREADS, STEP_OF_SPREADS):
        spread, fits = model.typical_spread, middle
        while _weigh_all(fits) > max(map(_weigh_all, found.values())) - NEGLIGIBLE:
            spread *= step
            if not LEAST_SPREAD < spread < model.most_spread:
                break
            found[spread] = fits = _fit_field(model, spread, fits[0].mode)
    return [fit for spread in sorted(found) for fit in found[spread]]


def _fit_field(model: Model, spread: float, start: Array) -> list[Fit]:
    """Fit with a spread: nobody apart, in a normal field and an even one, and each of those apart that seem best."""
    together = model.fit(Field(spread), start)
    fits = [together]
    if model.may_be_even and start.size > FEW_ARMS:
        fits.append(_see_as_even(together))
    if spread * FURTHER_APART <= model.most_spread and start.size <= MOST_WITH_ONE_APART:
        apart = [model.fit(Field(spread, arm), together.mode) for arm in _find_best(together)]
        likely = np.log(ODDS_APART / start.size)
        fits += [fit._replace(log_weight=fit.log_weight + likely) for fit in apart]
    return fits


def _see_as_even(fit: Fit) -> Fit:
    """Return the fit in a normal field as the approximation in an even one that it is, with its weight."""
    spread = fit.field.spread
    odds = min(1.0, (fit.mode.size - FEW_ARMS) / (MANY_ARMS - FEW_ARMS))
    gained = np.log(odds) + compare_with_even(fit.mode / spread, fit.deviations / spread)
    return fit._replace(field=Field(spread, even=True), log_weight=fit.log_weight + gained)


def _find_best(fit: Fit) -> list[int]:
    """Return the few arms that seem the best, of those above the mean; of many that are alike all, or none."""
    settled = mark_alike(fit.mode, fit.deviations)[0]
    last = np.sort(settled)[-min(FEW_BEST, settled.size)]
    best = np.flatnonzero((settled >= last) & (settled > 0))
    if best.size > 2 * FEW_BEST:
        best = np.flatnonzero((settled > last) & (settled > 0))
    ordered: list[int] = best[np.argsort(-settled[best], kind="stable")].tolist()
    return ordered


def _weigh_all(fits: Sequence[Fit]) -> float:
    return max(fit.log_weight for fit in fits)


def _renumber(field: Field, place: Indices) -> Field:
    return field if field.apart is None else field._replace(apart=int(place[field.apart]))


def _explore_many(model: Model, n_arms: int, seed: Words, winner: int | None) -> Posterior:
    fit = _find_spread(model, n_arms)
    reach = fit.mode + 3 * fit.deviations
    reach[fit.mode.argmax() if winner is None else winner] = np.inf
    front = np.argpartition(-reach, MOST_TOGETHER)[:MOST_TOGETHER]
    front = front[_order_arms(fit.mode[front], fit.deviations[front])]
    few = model.hold_all_but(front, fit.mode)
    draws = few.draw([few.fit(fit.field, fit.mode[front])], [_count_chains(few)], seed)
    reach[front] = -np.inf
    others = np.flatnonzero(reach > draws.max(axis=0).min())
    others = others[np.argsort(-reach[others], kind="stable")[: MOST_DRAWN - MOST_TOGETHER]]
    alone = draw_normals(seed, OTHERS, (others.size, draws.shape[1]))
    alone = fit.mode[others, None] + fit.deviations[others, None] * alone
    return Posterior(
        fit.mode,
        fit.deviations,
        np.concatenate([front, others]),
        np.concatenate([draws, alone]),
        fit.field.spread * fit.noise**0.5,
        approximate=True,
    )


def _find_spread(model: Model, n_arms: int) -> Fit:
    """Fit with the spread that many arms show, each taken for independent of the others."""
    fit = model.fit(Field(1.0), np.zeros(n_arms))
    for _ in range(SPREAD_STEPS):
        shown = np.sqrt(np.mean(fit.mode**2 + fit.deviations**2) / fit.noise)
        fit = model.fit(Field(float(np.clip(shown, LEAST_SPREAD, model.most_spread))), fit.mode)
    return fit


def mark_alike(strengths: Array, deviations: Array) -> Array:
    """Return both, rounded, so that they are equal for arms of which the same is known: ``(2, n_arms)``."""
    scale = float(np.abs(strengths).max() + deviations.max())
    return np.round(np.stack([strengths, deviations]) / scale, 9)


def _order_arms(strengths: Array, deviations: Array) -> Indices:
    """Return arms by what is known of them: random numbers then go by that, and not by how arms are numbered."""
    strengths, deviations = mark_alike(strengths, deviations)
    return np.lexsort((deviations, -strengths))


def _count_chains(model: Model) -> int:
    return int(np.clip(MOST_AT_ONCE // max(1, model.size), FEWEST_CHAINS, MOST_CHAINS))
