"""A consistent world, in which every arm has one strength in any company → strengths, and how likely the data are.

Choices are in proportion to e^θ (``plackett_luce``), rewards are effects of arms (``effects``). How far strengths are
apart is estimated from the run: several priors are tried, and each counts by how likely it makes the data, which is, by
Laplace's method,

    log p(data) ≈ log p(data | θ) + log p(θ) + n/2 log 2π − ½ log |H| + Σ c_i,    H = −∇² log p at the likeliest θ,  (5)

where c_i = 5t²/24h³ − f/8h² is what Laplace's method leaves out of arm i, to second order: h, t, f are the second,
third and fourth derivatives of −log p by θ_i. It is bounded by what is exactly left out of an arm without data, so that
such arms add nothing. Without c wide priors seem unlikely, the more so the more arms there are, and consistent worlds
contextual. For choices ν imaginary comparisons won and lost are the prior e^{νθ} / ((1 + e^θ)^{2ν} B(ν, ν)); for
rewards (5) is exact without c. Chances take the means of strengths, to second order:

    θ̂ − ½ H⁻¹ (t ∘ diag H⁻¹).                                                                                     (9)

*Rankings* are fitted as who was ahead of whom. Choices of all places would go by who comes last as much as by who comes
first. The pairs of a ranking overlap, so each counts less than one: such that those of an arm say as much of its
strength as the ranking does among equal arms, (k − H_k)/k with H_k = 1 + 1/2 + … + 1/k, where a pair says ¼.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief import best
from heats.engine.belief.data import Comparisons, add_up
from heats.engine.belief.effects import fit_effects
from heats.engine.belief.evidence import Choices, Evidence, FirstPlaces, Rewards
from heats.engine.belief.fits import Fit, allow_outliers
from heats.engine.belief.matrices import Roots, find_log_determinants
from heats.engine.belief.plackett_luce import Columns, Effort, find_chances, fit_strengths
from heats.engine.belief.settings import (
    FARTHEST_OUTLIER,
    KNOWN_NOISE,
    LEAST_WEIGHT,
    MOST_APART,
    MOST_PAIRS,
    MOST_TOGETHER,
    NOISE_POINTS,
    PRIOR_PAIRS,
    RANKING_PAIRS,
    VARIANCE_RATIOS,
)

EFFORT = Effort(150, 3e-3)


class Consistent(NamedTuple):
    """What the evidence says in a consistent world."""

    fits: list[Fit]  # one for each prior
    weights: Array  # (fits, reps), their posterior
    log_evidence: Array  # (reps,), log-likelihood of the data
    free: Array | None  # (reps,), degrees of freedom of the noise of rewards


def weigh_consistent(
    evidence: Evidence, effort: Effort = EFFORT, priors: Sequence[Array] | None = None, start: Array | None = None
) -> Consistent:
    """Fit under every prior; or under ``priors``, each ``(reps, 1)``: ν, or the variance ratio of rewards.

    Fits to choices begin at strengths θ of ``start (reps, n_arms)``.
    """
    if priors is None:
        tried = VARIANCE_RATIOS if isinstance(evidence, Rewards) else PRIOR_PAIRS
        priors = [np.full((evidence.reps, 1), each) for each in tried]
    if isinstance(evidence, Rewards):
        return _weigh(fits := fit_effects(evidence, priors), fits, evidence.free)
    start = np.ones((evidence.reps, evidence.n_arms)) if start is None else np.exp(start)
    fits = fit_choices([take_firsts(part) for part in evidence.parts], priors, start, effort)
    return _weigh(fits, _fit_pairs(evidence, fits[len(fits) // 2], effort) if evidence.are_ranked else fits, None)


def _fit_pairs(evidence: Choices, near: Fit, effort: Effort) -> list[Fit]:
    pairs = [group_pairs(each, evidence.n_arms) for each in evidence.comparisons]
    return fit_choices(pairs, [np.full((evidence.reps, 1), RANKING_PAIRS)], np.exp(near.mode), effort)


def _weigh(weighed: Sequence[Fit], fits: list[Fit], free: Array | None) -> Consistent:
    logs = np.stack([fit.log_evidence for fit in weighed])
    top = logs.max(axis=0)
    log_evidence = top + np.log(np.exp(logs - top).mean(axis=0))
    logs = np.stack([fit.log_evidence for fit in fits])
    weights = np.exp(logs - logs.max(axis=0))
    return Consistent(fits, weights / weights.sum(axis=0), log_evidence, free)


def take_firsts(part: FirstPlaces) -> Columns:
    """Return first places as choices."""
    return Columns(part.sets.arms, part.sets.runs, part.shares, part.times)


def fit_choices(parts: Sequence[Columns], priors: Sequence[Array], start: Array, effort: Effort) -> list[Fit]:
    """Fit strengths to choices under several priors, each from where the one before ended."""
    fits = []
    for prior in priors:
        start = fit_strengths(parts, prior, start, effort)
        fits.append(_weigh_strengths(parts, prior, start))
    return fits


def _weigh_strengths(parts: Sequence[Columns], prior: Array, strengths: Array) -> Fit:
    """Return a fit with its log evidence (5)."""
    from scipy.special import betaln, polygamma

    curvatures = 2 * prior * _list_cumulants(strengths / (1 + strengths) ** 2, (1 - strengths) / (1 + strengths))
    log_prior = prior * np.log(strengths) - 2 * prior * np.log1p(strengths) - betaln(prior, prior)
    peak = (log_prior + math.log(2 * math.pi) / 2).sum(axis=1)
    columns = []
    for part, chances in zip(parts, find_chances(parts, strengths), strict=True):
        places = part.locate(strengths.shape[1])
        of_choices = _list_cumulants(chances * (1 - chances), 1 - 2 * chances)
        curvatures += [add_up(places, part.times * each, strengths.shape) for each in of_choices]
        log_likelihood = (part.shares * np.log(chances, where=part.shares > 0, out=np.zeros(chances.shape))).sum(axis=0)
        peak += add_up(part.runs, log_likelihood, peak.shape)
        columns.append(Roots(part.arms, part.runs, chances * np.sqrt(part.times)))
    diagonal, third, fourth = curvatures
    no_data = 2 * prior * math.log(2) + betaln(prior, prior) + np.log(prior / (4 * math.pi)) / 2  # c, exactly
    left_out = np.minimum((5 * (third / diagonal) ** 2 / 3 - fourth / diagonal) / (8 * diagonal), no_data)
    variance = 2 * polygamma(1, prior)
    log_evidence = peak - find_log_determinants(diagonal, columns) / 2 + left_out.sum(axis=1)
    noise, spread, nobody = np.ones(peak.size), np.sqrt(variance[:, 0]), np.zeros((3, *diagonal.shape))
    fit = Fit(np.log(strengths), diagonal, third, columns, noise, log_evidence, spread, prior, *nobody)
    return allow_outliers(fit, prior * (strengths - 1) / (strengths + 1), variance, FARTHEST_OUTLIER)


def _list_cumulants(variance: Array, asymmetry: Array) -> Array:
    """Return h, t and f: the second to fourth cumulants of a choice with chance q, by q(1 − q) and 1 − 2q."""
    return np.stack([variance, variance * asymmetry, variance * (1 - 6 * variance)])


def group_pairs(comparisons: Comparisons, n_arms: int) -> Columns:
    """Return who was ahead of whom, and how often; arms that share a place are not told apart."""
    arms, rows = comparisons.arms, comparisons.rows
    size, reps, pulls = arms.shape
    most_apart = min(size - 1, MOST_APART, max(1, MOST_PAIRS // max(1, pulls * size)))
    if most_apart < size - 1:
        order = np.argsort(-rows, axis=0, kind="stable")
        arms, rows = np.take_along_axis(arms, order, axis=0), np.take_along_axis(rows, order, axis=0)
    placed, found = arms + np.arange(reps)[:, None] * n_arms, []
    for apart in range(1, most_apart + 1):
        upper, lower = slice(None, -apart), slice(apart, None)
        for one, other in ((upper, lower), (lower, upper)):
            is_ahead = rows[one] > rows[other]
            found.append((placed[one] * n_arms + arms[other])[is_ahead])
    pairs, times = np.unique(np.concatenate(found), return_counts=True)
    ahead, behind = np.divmod(pairs, n_arms)
    runs, ahead = np.divmod(ahead, n_arms)
    each = most_apart * (2 * size - most_apart - 1) / size  # pairs of an arm, on average
    counts = times * (tell_precision(size) / (each / 4))
    return Columns(np.stack([ahead, behind]), runs, np.stack([counts, np.zeros(counts.size)]), counts)


def tell_precision(size: int) -> float:
    """Return what a ranking of equal arms adds to the precision of each: (k − H_k)/k."""
    return 1 - sum(1 / place for place in range(1, size + 1)) / size


def find_best_chances(consistent: Consistent) -> Array:
    """Return the chance of each arm to be the best ``(reps, n_arms)``, over priors and over the noise of rewards."""
    chances = np.zeros(consistent.fits[0].strengths.shape)
    for fit, weight in zip(consistent.fits, consistent.weights, strict=True):
        runs = np.flatnonzero(weight >= LEAST_WEIGHT)
        if runs.size:
            free = None if consistent.free is None else consistent.free[runs]
            chances[runs] += weight[runs, None] * _find_fit_chances(fit.take(runs), free)
    found: Array = chances / chances.sum(axis=1, keepdims=True)
    return found


def _find_fit_chances(fit: Fit, free: Array | None) -> Array:
    together = choose_strongest(fit)
    covariances = fit.find_covariances(together)
    variances = 1 / fit.diagonal
    np.put_along_axis(variances, together, np.diagonal(covariances, axis1=1, axis2=2), axis=1)
    noise = np.sqrt(fit.noise)[:, None]
    deviations = np.sqrt(np.stack([variances, variances + fit.wider])) * noise
    means = np.stack([fit.find_means(together, covariances), fit.mode + fit.farther])
    arms = best.Marginals(means, deviations, fit.outlier)
    place = best.order_leading(best.find_independent_chances(best.take_arms(arms, together)))
    front = np.take_along_axis(together, place, axis=1)
    runs = np.arange(len(place))[:, None, None]
    leading = covariances[runs, place[:, :, None], place[:, None, :]] * noise[..., None] ** 2
    found = [
        best.find_chances(arms._replace(deviations=deviations * scale**0.5), front, leading * scale[..., None])
        for scale in _list_noises(free)
    ]
    chances: Array = np.mean(found, axis=0)
    return chances


def choose_strongest(fit: Fit) -> Indices:
    """Return the arms that may be the best ``(reps, arms)``: all, or those that may be the strongest."""
    reps, n_arms = fit.strengths.shape
    if n_arms <= MOST_TOGETHER:
        return np.broadcast_to(np.arange(n_arms), (reps, n_arms))
    reach = fit.strengths + 3 / np.sqrt(fit.precision)
    return np.argsort(-reach, axis=1, kind="stable")[:, :MOST_TOGETHER]


def _list_noises(free: Array | None) -> list[Array]:
    """Return quantiles ``(reps, 1)`` of the variance of the noise over its estimate: an inverse gamma distribution."""
    from scipy.special import gammaincinv

    if free is None or free.min() >= KNOWN_NOISE:
        return [np.ones((1, 1))]
    half = np.maximum(free, 1)[:, None] / 2
    quantiles = (np.arange(NOISE_POINTS) + 0.5) / NOISE_POINTS
    return [half / np.maximum(gammaincinv(half, quantile), 1e-6 * half) for quantile in quantiles.tolist()]


def average_fits(consistent: Consistent) -> tuple[Array, Array]:
    """Return the mean of strengths over priors, and how precisely each is known, both ``(reps, n_arms)``."""
    means, variances = np.zeros((2, *consistent.fits[0].strengths.shape))
    for fit, weight in zip(consistent.fits, consistent.weights, strict=True):
        means += weight[:, None] * fit.strengths
        variances += weight[:, None] / fit.precision
    return means, 1 / variances
