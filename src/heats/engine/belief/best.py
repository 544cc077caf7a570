"""Strengths that are jointly normal → the chance of each arm to be the best, without sampling.

*All arms*, taken as independent: with F_j the distribution function of θ_j,

    P(i is the best) ≈ Σ over intervals of x of [F_i(end) − F_i(start)] · Π over j ≠ i of F_j(middle).            (8)

*The leading arms* were often compared with each other, so their strengths are correlated. P(i is the best) is
∫ p(θ_i) P(all others are below θ_i | θ_i) dθ_i. Given θ_i the others are normal, with the means and variances that
their covariances with i say; among each other they are then taken as independent. That divides among the leading arms
what (8) gives them together.

*What all arms have in common* does not matter for who is the best, so it is subtracted first: about, a number c from
all covariances. A weak prior leaves the mean of all strengths unknown, and it would be taken for luck of each arm: the
leader's chance would be up to 10 points too bold instead of 1 or 2.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.settings import LEADING_ARMS, RIVAL_ARMS

CELLS = 30  # intervals of (8)
REACH = 4.5  # standard deviations that they cover
POINTS = np.linspace(-3.5, 3.5, 9)  # standard deviations of θ_i
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()
CERTAIN = 40.0  # standard deviations
MOST_COMMON = 0.999  # of the least variance: that part of it at most is what all arms have in common
SAME_DIGITS = 9  # of arms of which the same is known


def find_independent_chances(means: Array, deviations: Array) -> Array:
    """Return the chances (8) of all arms ``(reps, n_arms)``; they sum to 1."""
    from scipy.special import ndtr

    ends = (means + REACH * deviations).max(axis=1)
    starts = (means - REACH * deviations).max(axis=1)  # the best is hardly below
    chances = np.zeros(means.shape)
    below, log_all = 0.0, 0.0
    for cell in range(CELLS + 1):
        edge = starts + (ends - starts) * (cell / CELLS)
        inside = np.maximum(ndtr((edge[:, None] - means) / deviations), 1e-300)
        logs = np.log(inside)
        total = logs.sum(axis=1, keepdims=True)
        if cell:
            others = np.exp(((total - logs) + log_all) / 2)  # at the middle, nearly
            chances += (inside - below) * others
        below, log_all = inside, total - logs
    sums = chances.sum(axis=1, keepdims=True)
    return np.where(sums > 0, chances / np.where(sums > 0, sums, 1.0), 1 / means.shape[1])


def order_leading(chances: Array) -> Indices:
    """Return the arms whose correlations count, the likeliest to be the best first ``(reps, arms)``."""
    few = min(RIVAL_ARMS, chances.shape[1])
    front = np.argpartition(-chances, few - 1, axis=1)[:, :few]
    order = np.argsort(-np.take_along_axis(chances, front, axis=1), axis=1, kind="stable")
    return np.take_along_axis(front, order, axis=1)


def find_chances(means: Array, deviations: Array, front: Indices, covariances: Array) -> Array:
    """Return the chances of all arms ``(reps, n_arms)``, which sum to 1.

    ``covariances (reps, arms, arms)`` are those of the arms of ``front``, in the order of ``order_leading``.
    """
    common = _find_common(covariances)
    covariances = covariances - common[..., None]
    apart = np.sqrt(np.maximum(deviations**2 - common, (1 - MOST_COMMON) * deviations**2))
    chances = find_independent_chances(means, apart)
    runs = np.arange(len(means))[:, None]
    leading = front[:, : min(LEADING_ARMS, front.shape[1])]
    mass = chances[runs, leading].sum(axis=1, keepdims=True)
    found = _integrate(means[runs, front], covariances, leading.shape[1])
    chances[runs, leading] = found * (mass / found.sum(axis=1, keepdims=True))
    return _share_alike(chances / chances.sum(axis=1, keepdims=True), means, deviations)


def _find_common(covariances: Array) -> Array:
    """Return c of every run ``(reps, 1)``: the mean covariance of two arms."""
    variances, arms = np.diagonal(covariances, axis1=1, axis2=2), covariances.shape[1]
    mean = (covariances.sum(axis=(1, 2)) - variances.sum(axis=1)) / max(1, arms * (arms - 1))
    common: Array = np.clip(mean, 0.0, MOST_COMMON * variances.min(axis=1))[:, None]
    return common


def _integrate(means: Array, covariances: Array, count: int) -> Array:
    """Return the chances of the first arms to be ahead of all others ``(reps, count)``."""
    from scipy.special import ndtr

    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    slopes = covariances[:, :count] / deviations[:, :count, None]
    least = np.maximum(deviations[:, :count, None], deviations[:, None, :]) * 1e-6
    rest = np.sqrt(np.maximum(deviations[:, None, :] ** 2 - slopes**2, least**2))  # of the others, given θ_i
    lead = (means[:, :count, None] - means[:, None, :]) / rest
    slope = (deviations[:, :count, None] - slopes) / rest
    own = np.arange(count)
    lead[:, own, own], slope[:, own, own] = CERTAIN, 0.0  # an arm is never above itself
    chances = np.zeros(lead.shape[:2])
    for point, weight in zip(POINTS.tolist(), WEIGHTS.tolist(), strict=True):
        chances += weight * ndtr(lead + slope * point).prod(axis=2)
    return chances


def _share_alike(chances: Array, means: Array, deviations: Array) -> Array:
    """Give arms of which the same is known the mean of their chances: else their numbers would tell them apart."""
    scale = (np.abs(means).max(axis=1) + deviations.max(axis=1))[:, None]
    known = np.round(means / scale, SAME_DIGITS), np.round(deviations / scale, SAME_DIGITS)
    order = np.lexsort(known, axis=1)
    is_new = np.ones(means.shape, dtype=bool)
    is_new[:, 1:] = False
    for each in known:
        sorted_known = np.take_along_axis(each, order, axis=1)
        is_new[:, 1:] |= sorted_known[:, 1:] != sorted_known[:, :-1]
    group = np.cumsum(is_new).reshape(means.shape) - 1
    in_order = np.take_along_axis(chances, order, axis=1)
    shared = (np.bincount(group.ravel(), in_order.ravel()) / np.bincount(group.ravel()))[group]
    found = np.empty(chances.shape)
    np.put_along_axis(found, order, shared, axis=1)
    return found
