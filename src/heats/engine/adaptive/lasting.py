"""What pulls say if strengths last: an arm has the same in all company.

Choices are in proportion to e^θ (Plackett and Luce). The most likely θ is found with how sharply each is known. How
likely are the choices themselves? By Laplace's method,

    log p(choices) ≈ log p(choices | θ) + log p(θ) + n/2 log 2π − ½ log |H|,    H = −∇² log p at the most likely θ,

where imaginary pairs, ν won and ν lost, are a prior of θ: e^{νθ} / ((1 + e^θ)^{2ν} B(ν, ν)). How far strengths are
apart the run itself must tell: of several ν the likeliest counts. Of more than ``MOST_TOGETHER`` arms those that were
pulled least are taken for independent in |H|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.choices import Effort, Level, fit_choices, list_choices
from heats.engine.adaptive.heard import Heard, add_up, place_arms
from heats.engine.feedback import Kind

MOST_TOGETHER = 300  # arms
MOST_ENTRIES = 200_000  # of the matrices of runs that are looked at together: they fit into a cache


class First(NamedTuple):
    """Strengths that explain who was first in all pulls, and the log-likelihood of that; of runs in step."""

    strengths: Array  # (reps, n_arms)
    prior: Array  # (reps, 1), ν
    sharpness: Array  # (reps, n_arms)
    likely: Array  # (reps,)


class Strengths(NamedTuple):
    """Log-strengths, or effects in units of what rewards differ by, and how sharply each is known; ``(reps, n_arms)``.

    ``sharper`` is what a pull adds to that: of choices, q(1 − q) with q the chance to be chosen, here 0.
    """

    strengths: Array
    sharpness: Array
    sharper: Array  # (reps, 1)


def fit_first(heats: Indices, first: Level, priors: Sequence[float], starts: Array, effort: Effort) -> list[First]:
    """Find, for each of some ν, the strengths that explain who was first; ``starts`` are ``(priors, reps, n_arms)``."""
    return [_fit_prior(heats, first, prior, start, effort) for prior, start in zip(priors, starts, strict=True)]


def take_likeliest(tried: Sequence[First]) -> First:
    """Return, run by run, the likeliest of those with different ν."""
    best = np.stack([each.likely for each in tried]).argmax(axis=0)
    return First(*(np.stack(part)[best, np.arange(best.size)] for part in zip(*tried, strict=True)))


def _fit_prior(heats: Indices, first: Level, nu: float, start: Array, effort: Effort) -> First:
    from scipy.special import betaln

    prior = np.full((len(heats), 1), nu)
    strengths = fit_choices(heats, [first], prior, start, effort)
    shares, said = _share(heats, first, strengths)
    told = (first.shares * np.log(np.where(first.shares > 0, shares, 1.0))).sum(axis=(1, 2))
    before = prior * np.log(strengths) - 2 * prior * np.log1p(strengths) - betaln(prior, prior)
    diagonal = _sharpen(heats, shares * said, prior, strengths)
    peak = told + (before + math.log(2 * math.pi) / 2).sum(axis=1)
    return First(strengths, prior, diagonal, peak - log_determinant(diagonal, heats, shares * said) / 2)


def fit_strengths(heard: Heard, first: First, effort: Effort) -> Strengths:
    """Return the strengths that explain all that was told, given those that explain who was first."""
    if heard.kind in (Kind.WINNER, Kind.RACE):
        return Strengths(np.log(first.strengths), first.sharpness, np.zeros((heard.reps, 1)))
    levels = list(list_choices(heard))
    strengths = fit_choices(heard.heats, levels, first.prior, first.strengths, effort)
    sharpness = np.zeros(strengths.shape)
    for number, level in enumerate(levels):
        shares, said = _share(heard.heats, level, strengths)
        sharpness += _sharpen(heard.heats, shares * said, first.prior * (number == 0), strengths)
    return Strengths(np.log(strengths), sharpness, np.zeros((heard.reps, 1)))


def _sharpen(heats: Indices, chances: Array, prior: Array, strengths: Array) -> Array:
    """Return how sharply choices and the prior make strengths known: the diagonal of H."""
    known = add_up(place_arms(heats, strengths.shape[1]), chances * (1 - chances), strengths.shape)
    sharp: Array = known + 2 * prior * strengths / (1 + strengths) ** 2
    return sharp


def _share(heats: Indices, level: Level, strengths: Array) -> tuple[Array, Array]:
    """Return the chance of each arm to be chosen, and which pulls chose at all ``(reps, pulls, 1)``."""
    weights = np.take_along_axis(strengths, heats.reshape(len(heats), -1), axis=1).reshape(heats.shape) * level.left
    said = level.left.any(axis=-1, keepdims=True).astype(np.float64)
    shares: Array = weights / np.where(said > 0, weights.sum(axis=-1, keepdims=True), 1.0)
    return shares, np.asarray(said)


def log_determinant(diagonal: Array, heats: Indices, shares: Array) -> Array:
    """Return log |H| of runs, H = diag − what two arms of a pull take from each other, the product of their shares."""
    together = max(1, MOST_ENTRIES // min(diagonal.shape[1], MOST_TOGETHER) ** 2)
    parts = [slice(start, start + together) for start in range(0, len(diagonal), together)]
    return np.concatenate([_log_determinant(diagonal[part], heats[part], shares[part]) for part in parts])


def _log_determinant(diagonal: Array, heats: Indices, shares: Array) -> Array:
    reps, n_arms = diagonal.shape
    place = np.broadcast_to(np.arange(n_arms), diagonal.shape)
    front = min(n_arms, MOST_TOGETHER)
    alone = np.zeros(reps)
    if front < n_arms:
        order = np.argsort(-diagonal, axis=1, kind="stable")
        place = np.argsort(order, axis=1)
        diagonal = np.take_along_axis(diagonal, order, axis=1)
        alone = np.log(diagonal[:, front:]).sum(axis=1)
    rows = np.take_along_axis(place, heats.reshape(reps, -1), axis=1).reshape(heats.shape)
    one, other = np.triu_indices(heats.shape[2], 1)
    at = (np.arange(reps)[:, None, None] * front + rows[..., one]) * front + rows[..., other]
    taken = shares[..., one] * shares[..., other]
    if front < n_arms:
        both = (rows[..., one] < front) & (rows[..., other] < front)
        at, taken = at[both], taken[both]
    pairs = np.bincount(at.ravel(), weights=taken.ravel(), minlength=reps * front * front).reshape(reps, front, front)
    matrix: Array = -(pairs + pairs.swapaxes(1, 2)).astype(np.float64, copy=False)
    matrix[:, np.arange(front), np.arange(front)] += diagonal[:, :front]
    determinant: Array = np.linalg.slogdet(matrix)[1] + alone
    return determinant
