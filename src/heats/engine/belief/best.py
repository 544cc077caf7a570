"""Strengths that are jointly normal, some maybe outliers → the chance of each arm to be the best, without sampling.

*All arms*, taken as independent: with F_j the distribution function of θ_j,

    P(i is the best) ≈ Σ over intervals of x of [F_i(end) − F_i(start)] · Π over j ≠ i of F_j(middle).            (8)

F_j is that of two normal numbers: of what the field says of arm j, or, with chance q_j, of what is known of an outlier.
One wider normal number instead would make little known arms look better than they are.

*The leading arms* were often compared with each other, so their strengths are correlated. P(i is the best) is
∫ p(θ_i) P(all others are below θ_i | θ_i) dθ_i. Given θ_i the others are normal, with the means and variances that
their covariances with i say; among each other they are then taken as independent. That divides among the leading arms
what (8) gives them together.

*What all arms have in common* does not matter for who is the best, so it is subtracted first: about, a number c from
all covariances. A weak prior leaves the mean of all strengths unknown, and it would be taken for luck of each arm: the
leader's chance would be up to 10 points too bold instead of 1 or 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.settings import LEADING_ARMS, RIVAL_ARMS

CELLS = 24  # intervals of (8) in which the best arm of the field may be
FAR_CELLS = 8  # beyond, where an outlier may be
CLOSE_EDGES = np.linspace(-3, 3, 9)  # standard deviations from the arm that is surest to be strong
REACH = 4.5  # standard deviations that they cover
POINTS = np.linspace(-3.5, 3.5, 9)  # standard deviations of θ_i
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()
CERTAIN = 40.0  # standard deviations
MOST_COMMON = 0.999  # of the least variance: that part of it at most is what all arms have in common
LEAST_OUTLIER = 1e-6  # chance: a less likely outlier does not widen the intervals
SAME_DIGITS = 9  # of arms of which the same is known


class Marginals(NamedTuple):
    """What is known of every arm by itself: a normal number if it is of the field, and another if it is an outlier."""

    means: Array  # (2, reps, n_arms), of the field and of an outlier
    deviations: Array  # the same
    outlier: Array  # (reps, n_arms), the chance q

    def find_below(self, edge: Array) -> Array:
        """Return F of every arm at a point of every run ``(reps, 1)``."""
        from scipy.special import ndtr

        field, far = ndtr((edge - self.means) / self.deviations)
        below: Array = field + self.outlier * (far - field)
        return below

    def list_edges(self) -> Array:
        """Return the ends of the intervals of (8), increasing ``(edges, reps, 1)``.

        They cover where the field may have its best arm, where an outlier may be beyond, and closely the arm that is
        surest to be strong: others may be known far worse, and intervals that fit them would be too wide for it.
        """
        lows, tops = (self.means[0] + side * REACH * self.deviations[0] for side in (-1, 1))
        starts, ends = lows.max(axis=1), tops.max(axis=1)  # the best is hardly below
        far = np.where(self.outlier > LEAST_OUTLIER, self.means[1] + REACH * self.deviations[1], tops).max(axis=1)
        surest, runs = lows.argmax(axis=1), np.arange(len(lows))
        close = self.means[0][runs, surest] + self.deviations[0][runs, surest] * CLOSE_EDGES[:, None]
        edges = [
            starts + (ends - starts) * np.linspace(0, 1, CELLS + 1)[:, None],
            ends + (np.maximum(far, ends) - ends) * np.linspace(0, 1, FAR_CELLS + 1)[1:, None],
            np.maximum(close, starts),
        ]
        return np.sort(np.concatenate(edges), axis=0)[..., None]


def find_independent_chances(arms: Marginals) -> Array:
    """Return the chances (8) of all arms ``(reps, n_arms)``; they sum to 1."""
    chances: Array = np.zeros(arms.outlier.shape)
    below, log_all = np.zeros(chances.shape), np.zeros(chances.shape)
    for number, edge in enumerate(arms.list_edges()):
        inside = np.maximum(arms.find_below(edge), 1e-300)
        logs = np.log(inside)
        total = logs.sum(axis=1, keepdims=True)
        if number:
            others = np.exp(((total - logs) + log_all) / 2)  # at the middle, nearly
            chances += (inside - below) * others
        below = inside
        log_all = total - logs
    sums = chances.sum(axis=1, keepdims=True)
    return np.where(sums > 0, chances / np.where(sums > 0, sums, 1.0), 1 / chances.shape[1])


def order_leading(chances: Array) -> Indices:
    """Return the arms whose correlations count, the likeliest to be the best first ``(reps, arms)``."""
    few = min(RIVAL_ARMS, chances.shape[1])
    front = np.argpartition(-chances, few - 1, axis=1)[:, :few]
    order = np.argsort(-np.take_along_axis(chances, front, axis=1), axis=1, kind="stable")
    return np.take_along_axis(front, order, axis=1)


def find_chances(arms: Marginals, front: Indices, covariances: Array) -> Array:
    """Return the chances of all arms ``(reps, n_arms)``, which sum to 1.

    ``covariances (reps, arms, arms)`` are those of the arms of ``front``, in the order of ``order_leading``, as if all
    were of the field.
    """
    common = _find_common(covariances)
    covariances = covariances - common[..., None]
    squares = arms.deviations**2
    apart = arms._replace(deviations=np.sqrt(np.maximum(squares - common, (1 - MOST_COMMON) * squares)))
    chances = find_independent_chances(apart)
    runs = np.arange(len(chances))[:, None]
    leading = front[:, : min(LEADING_ARMS, front.shape[1])]
    mass = chances[runs, leading].sum(axis=1, keepdims=True)
    found = _integrate(take_arms(arms, front), covariances, leading.shape[1])
    chances[runs, leading] = found * (mass / found.sum(axis=1, keepdims=True))
    return _share_alike(chances / chances.sum(axis=1, keepdims=True), arms)


def take_arms(arms: Marginals, some: Indices) -> Marginals:
    """Return what is known of some arms ``(reps, arms)``."""
    return Marginals(*(np.take_along_axis(each, some if each.ndim == 2 else some[None], axis=-1) for each in arms))


def _find_common(covariances: Array) -> Array:
    """Return c of every run ``(reps, 1)``: the mean covariance of two arms."""
    variances, arms = np.diagonal(covariances, axis1=1, axis2=2), covariances.shape[1]
    mean = (covariances.sum(axis=(1, 2)) - variances.sum(axis=1)) / max(1, arms * (arms - 1))
    common: Array = np.clip(mean, 0.0, MOST_COMMON * variances.min(axis=1))[:, None]
    return common


def _integrate(arms: Marginals, covariances: Array, count: int) -> Array:
    """Return the chances of the first arms to be ahead of all others ``(reps, count)``."""
    added = arms.deviations**2 - arms.deviations[0] ** 2  # an outlier's variance, beside that of the field
    variances = np.diagonal(covariances, axis1=1, axis2=2) + added
    own = arms.outlier[:, :count]
    chances = np.zeros(own.shape)
    for mean, variance, chance in zip(arms.means, variances, (1 - own, own), strict=True):
        if (chance > LEAST_OUTLIER).any():
            leads = [
                _compare_given(mean[:, :count], variance[:, :count], covariances, *others)
                for others in zip(arms.means, variances, strict=True)
            ]
            chances += chance * _integrate_own(leads, arms.outlier[:, None, :])
    return chances


def _compare_given(
    mean: Array, variance: Array, covariances: Array, means: Array, variances: Array
) -> tuple[Array, Array]:
    """Return how many standard errors an arm is ahead of each other one, given its own strength: at 0, and the slope.

    Its strength is the mean plus so many of its standard deviations; both are ``(reps, count, arms)``.
    """
    count = mean.shape[1]
    deviation = np.sqrt(variance)[:, :, None]
    slopes = covariances[:, :count] / deviation
    least = np.maximum(deviation, np.sqrt(variances)[:, None, :]) * 1e-6
    rest = np.sqrt(np.maximum(variances[:, None, :] - slopes**2, least**2))  # of the others, given θ_i
    lead = (mean[:, :, None] - means[:, None, :]) / rest
    slope = (deviation - slopes) / rest
    own = np.arange(count)
    lead[:, own, own], slope[:, own, own] = CERTAIN, 0.0  # an arm is never above itself
    return lead, slope


def _integrate_own(leads: list[tuple[Array, Array]], outlier: Array) -> Array:
    """Return the chance of each arm to be ahead of all others, over its own strength."""
    from scipy.special import ndtr

    chances = np.zeros(leads[0][0].shape[:2])
    for point, weight in zip(POINTS.tolist(), WEIGHTS.tolist(), strict=True):
        field, far = (ndtr(lead + slope * point) for lead, slope in leads)
        chances += weight * (field + outlier * (far - field)).prod(axis=2)
    return chances


def _share_alike(chances: Array, arms: Marginals) -> Array:
    """Give arms of which the same is known the mean of their chances: else their numbers would tell them apart."""
    means, deviations = arms.means[0], arms.deviations[0]
    scale = (np.abs(means).max(axis=1) + deviations.max(axis=1))[:, None]
    known = [np.round(each, SAME_DIGITS) for each in (means / scale, deviations / scale, arms.outlier)]
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
