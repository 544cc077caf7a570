"""A model → strengths, the spread among them, and draws of what they may be.

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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Words
from heats.base.randomness import draw_normals
from heats.engine.standings import precision
from heats.engine.standings.models import FURTHER_APART, Field, Fit, Model
from heats.engine.standings.shapes import compare_with_even

MOST_DRAWN = 20_000  # arms
LEAST_SPREAD = 0.05  # that is looked at
STEP_OF_SPREADS = 2**0.5
NEGLIGIBLE = 7.0  # log of how much less likely a spread must be than the likeliest to be left out
ODDS_APART = 1.0  # that there is one
FEW_BEST = 3  # arms that are tried as the one
FEW_ARMS = 20  # cannot tell the shape of their field: it is normal
MANY_ARMS = 50  # can: it is as likely even; in between, the odds grow in proportion
MOST_CHAINS = 128
FEWEST_CHAINS = 16
MOST_AT_ONCE = 1_000_000  # numbers that all chains together look at
SPREAD_STEPS = 10  # of expectation and maximisation, for many arms
OTHERS = 1000  # the random numbers of arms that are drawn one by one


class Posterior(NamedTuple):
    """What the strengths of all arms may be; arms that are not drawn cannot be the best."""

    strengths: Array  # (n_arms,), most likely ones
    deviations: Array  # (n_arms,), of their normal approximation
    drawn: Indices  # arms
    draws: Array  # (drawn, draws)
    spread: float
    approximate: bool


def explore(model: Model, n_arms: int, seed: Words, winner: int | None = None) -> Posterior:
    """Return what the strengths of all arms may be; the ``winner`` is among those drawn."""
    if n_arms <= precision.MOST_TOGETHER:
        return _explore_all(model, n_arms, seed)
    return _explore_many(model, n_arms, seed, winner)


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
    if spread * FURTHER_APART <= model.most_spread:
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
    together = precision.MOST_TOGETHER
    front = np.argpartition(-reach, together)[:together]
    front = front[_order_arms(fit.mode[front], fit.deviations[front])]
    few = model.hold_all_but(front, fit.mode)
    draws = few.draw([few.fit(fit.field, fit.mode[front])], [_count_chains(few)], seed)
    reach[front] = -np.inf
    others = np.flatnonzero(reach > draws.max(axis=0).min())
    others = others[np.argsort(-reach[others], kind="stable")[: MOST_DRAWN - together]]
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
