"""What pulls say if strengths last, by who was first: an arm has the same in all company.

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
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.outlook.choices import Choices, Effort, fit_choices
from heats.engine.adaptive.outlook.heard import add_up

MOST_TOGETHER = 300  # arms
MOST_ENTRIES = 200_000  # of the matrices of runs that are looked at together: they fit into a cache


class First(NamedTuple):
    """Strengths that explain who was first in all pulls, and the log-likelihood of that; of runs in step."""

    strengths: Array  # (reps, n_arms)
    sharpness: Array  # (reps, n_arms)
    likely: Array  # (reps,)


class Strengths(NamedTuple):
    """Log-strengths, or effects in units of what rewards differ by, and how sharply each is known; ``(reps, n_arms)``.

    ``sharper`` is what a pull adds to that: of choices, q(1 − q) with q the chance to be chosen, here 0.
    """

    strengths: Array
    sharpness: Array
    sharper: Array  # (reps, 1)


def fit_first(first: Choices, priors: Sequence[float], starts: Array, effort: Effort) -> list[First]:
    """Find, for each of some ν, the strengths that explain who was first; ``starts`` are ``(priors, reps, n_arms)``."""
    return [_fit_prior(first, prior, start, effort) for prior, start in zip(priors, starts, strict=True)]


def take_likeliest(tried: Sequence[First]) -> First:
    """Return, run by run, the likeliest of those with different ν."""
    best = np.stack([each.likely for each in tried]).argmax(axis=0)
    return First(*(np.stack(part)[best, np.arange(best.size)] for part in zip(*tried, strict=True)))


def _fit_prior(first: Choices, nu: float, start: Array, effort: Effort) -> First:
    from scipy.special import betaln

    prior = np.full((len(start), 1), nu)
    strengths = fit_choices(first, prior, start, effort)
    chances, sharpness = find_chances(first, prior, strengths)
    told = (first.shares * np.log(chances)).sum(axis=0)
    before = prior * np.log(strengths) - 2 * prior * np.log1p(strengths) - betaln(prior, prior)
    peak = np.bincount(first.runs, weights=told, minlength=len(start))
    peak += (before + math.log(2 * math.pi) / 2).sum(axis=1)
    spread = log_determinant(sharpness, first.arms, first.runs, chances * np.sqrt(first.times))
    return First(strengths, sharpness, peak - spread / 2)


def find_chances(choices: Choices, prior: Array, strengths: Array) -> tuple[Array, Array]:
    """Return the chance of each arm to be chosen ``(size, columns)``, and the diagonal of H ``(reps, n_arms)``."""
    places = choices.arms + choices.runs * strengths.shape[1]
    chances = strengths.ravel().take(places, mode="clip")
    chances /= reduce(np.add, chances)
    sharpness = 2 * prior * strengths / (1 + strengths) ** 2
    sharpness += add_up(places, choices.times * chances * (1 - chances), strengths.shape)
    return chances, sharpness


def log_determinant(diagonal: Array, arms: Indices, runs: Indices, roots: Array) -> Array:
    """Return log |H| of runs, H = diag − what two arms of a column take from each other, the product of their roots.

    Columns ``(size, columns)`` of ``arms`` and ``roots`` are of the runs ``(columns,)``, which increase.
    """
    together = max(1, MOST_ENTRIES // min(diagonal.shape[1], MOST_TOGETHER) ** 2)
    starts = range(0, len(diagonal), together)
    found = []
    for start, cut in zip(starts, pairwise([*np.searchsorted(runs, starts).tolist(), runs.size]), strict=True):
        some, theirs = slice(start, start + together), slice(*cut)
        found.append(_log_determinant(diagonal[some], arms[:, theirs], runs[theirs] - start, roots[:, theirs]))
    return np.concatenate(found)


def _log_determinant(diagonal: Array, arms: Indices, runs: Indices, roots: Array) -> Array:
    reps, n_arms = diagonal.shape
    front = min(n_arms, MOST_TOGETHER)
    alone = np.zeros(reps)
    if front < n_arms:
        order = np.argsort(-diagonal, axis=1, kind="stable")
        arms = np.argsort(order, axis=1)[runs, arms]
        diagonal = np.take_along_axis(diagonal, order, axis=1)
        alone = np.log(diagonal[:, front:]).sum(axis=1)
        roots = roots * (arms < front)
        arms = np.minimum(arms, front - 1)
    one, other = np.triu_indices(len(arms), 1)
    low, high = np.minimum(arms[one], arms[other]), np.maximum(arms[one], arms[other])
    taken = add_up((runs * front + high) * front + low, roots[one] * roots[other], (reps * front, front))
    matrices = -taken.reshape(reps, front, front)  # what is below their diagonals
    matrices[:, np.arange(front), np.arange(front)] += diagonal[:, :front]
    return _log_determinants(matrices) + alone


def _log_determinants(below: Array) -> Array:
    """Return log |H| of symmetric matrices, of which nothing is above the diagonal."""
    try:
        roots = np.linalg.cholesky(below)
        found: Array = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    except np.linalg.LinAlgError:  # arms are so far apart that rounding spoils a matrix
        found = np.linalg.slogdet(below + np.tril(below, -1).swapaxes(1, 2))[1]
    return found
