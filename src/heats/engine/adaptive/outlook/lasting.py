"""What pulls say if strengths last, by who was first: an arm has the same in all company.

Choices are in proportion to e^θ (Plackett and Luce). The most likely θ is found with how sharply each is known. How
likely are the choices themselves? By Laplace's method,

    log p(choices) ≈ log p(choices | θ) + log p(θ) + n/2 log 2π − ½ log |H|,    H = −∇² log p at the most likely θ,

where imaginary pairs, ν won and ν lost, are a prior of θ: e^{νθ} / ((1 + e^θ)^{2ν} B(ν, ν)). How far strengths are
apart the run itself must tell: of several ν the likeliest counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, TypeVar

import numpy as np

from heats.base.arrays import Array
from heats.engine.adaptive.outlook.choices import Choices, Effort, fit_choices
from heats.engine.adaptive.outlook.determinants import log_determinant
from heats.engine.adaptive.outlook.heard import add_up


class First(NamedTuple):
    """Strengths that explain who was first in all pulls, and the log-likelihood of that; of runs in step."""

    strengths: Array  # e^θ (reps, n_arms)
    sharpness: Array  # (reps, n_arms)
    likely: Array  # (reps,)


class Effects(NamedTuple):
    """Effects that explain rewards, and the log-likelihood of those; of runs in step."""

    strengths: Array  # (reps, n_arms)
    sharpness: Array  # (reps, n_arms)
    sharper: Array  # (reps, 1)
    likely: Array  # (reps,)


Explanation = TypeVar("Explanation", First, Effects)


class Strengths(NamedTuple):
    """Log-strengths θ, or effects in units of what rewards differ by, and how sharply each is known.

    ``sharper`` is what a pull adds to that: of choices, q(1 − q) with q the chance to be chosen, here 0.
    """

    strengths: Array  # (reps, n_arms)
    sharpness: Array  # (reps, n_arms)
    sharper: Array  # (reps, 1)


def fit_first(first: Choices, priors: Sequence[float], starts: Array, effort: Effort) -> list[First]:
    """Find, for each of some ν, the strengths that explain who was first; ``starts`` are ``(priors, reps, n_arms)``."""
    return [_fit_prior(first, prior, start, effort) for prior, start in zip(priors, starts, strict=True)]


def take_likeliest(tried: Sequence[Explanation]) -> Explanation:
    """Return, run by run, the likeliest of several explanations of the same kind."""
    best = np.stack([each.likely for each in tried]).argmax(axis=0)
    return type(tried[0])(*(np.stack(part)[best, np.arange(best.size)] for part in zip(*tried, strict=True)))


def _fit_prior(first: Choices, nu: float, start: Array, effort: Effort) -> First:
    from scipy.special import betaln

    prior = np.full((len(start), 1), nu)
    strengths = fit_choices(first, prior, start, effort)
    chances, sharpness = find_chances(first, prior, strengths)
    told = (first.shares * np.log(chances)).sum(axis=0)
    before = prior * np.log(strengths) - 2 * prior * np.log1p(strengths) - betaln(prior, prior)
    peak = add_up(first.runs, told, start.shape[:1]) + (before + math.log(2 * math.pi) / 2).sum(axis=1)
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
