"""A contextual world, in which results depend on who is compared with whom → scores, and how likely the data are.

What an arm did in one set says nothing about another set; only the best arm is ahead in every set that it is in. So the
evidence for "arm i is the best" is a sum over the sets Q that i is in, of log-likelihood ratios to "no arm of Q is the
best of all". Of a set of m arms, which was compared W or r times:

*Choices.* w_j first places each. The best arm wins with chance p, the others share the rest in any way; without the
best, all share in any way. Shares have a Dirichlet prior with shape a, under which tallies w have the probability
DM(w) = Γ(ma)/Γ(ma + W) · Π Γ(a + w_j)/Γ(a). So

    R_Q(i; p) = w_i log p + (W − w_i) log(1 − p) + log DM(w without i) − log DM(w).                              (1)

*Later places of a ranking*, the first 24 of them, are choices among the arms that are left, place by place: (1) with
how often arm i came in that place for w_i, how often it was still left for W, and the number of arms left for m. They
count only where there is no decoy: beside one, a good arm that is always behind it would look best.

*Rewards.* d is the lead of arm i over the best other mean of the set, s² = 2σ²/r its error variance. The lead of the
best arm is half-normal with scale tτ₊; any other arm is first with chance 1/m, by a half-normal lead with scale τ₊,
else behind by a half-normal distance with scale τ₋. With f(d; τ) the density of a half-normal number of scale τ plus a
normal error of variance s²,

    R_Q(i; t) = log f(d; tτ₊) − log[f(d; τ₊)/m + f(−d; τ₋)(m − 1)/m].                                             (2)

τ₊ and τ₋ are estimated from the second moments of the leads.

*A decoy* may be ahead in every set without the best arm. With L_i = Σ R_Q(i) over the sets of i, the odds that j is a
decoy beside i are as (1) or (2) over the sets that j is in without i. There is a decoy with prior chance q, and it may
be ahead by another p or t than the best arm:

    e^{S_i} = mean of e^{L_i} · (1 − q + q · mean over j ≠ i of exp(L_j − Σ R_Q(j) over sets with both)),          (3)

where both means are over the grid of p or t.

S_i orders the arms, P(i is the best) is proportional to e^{S_i}, and the data have the likelihood
mean of e^{S_i} times the likelihood of all sets under "no arm is the best".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.data import Sets, add_up
from heats.engine.belief.evidence import Choices, Evidence, FirstPlaces, Rewards
from heats.engine.belief.noise import estimate_noise, weigh_rewards
from heats.engine.belief.settings import (
    DECOY_CANDIDATES,
    DECOY_CHANCE,
    LEAD_RATIOS,
    LEAST_LEAD_SHARE,
    VARIANCE_RATIOS,
    WIN_CHANCES,
)
from heats.engine.belief.tallies import compare_tallies, log_rising

TINY = 1e-300
LEAST_ODDS = 1e-15  # of all others to the likeliest decoy: below is rounding
PEAK_DIGITS = 9
FARTHEST = -37.0  # standard errors: the normal distribution function underflows beyond


class Contextual(NamedTuple):
    """What the evidence says in a contextual world."""

    scores: Array  # (reps, n_arms), S
    log_evidence: Array  # (reps,), log-likelihood of the data

    @property
    def chances(self) -> Array:
        """The chance of each arm to be the best ``(reps, n_arms)``."""
        odds = np.exp(self.scores - self.scores.max(axis=1, keepdims=True))
        chances: Array = odds / odds.sum(axis=1, keepdims=True)
        return chances


class _Ratios(NamedTuple):
    """R of every arm of every set, as features whose weighted sums R is, for each point of the grid."""

    sets: Sets
    features: Array  # (features, size, sets)


def weigh_contextual(evidence: Evidence) -> Contextual:
    """Return scores and log evidence; of rankings the log evidence is that of the first places, as of other choices."""
    if isinstance(evidence, Rewards):
        ratios, log_null = _compare_leads(evidence)
        weights = np.eye(len(LEAD_RATIOS))
    else:
        ratios, log_null = _compare_tallies(evidence)
        chances = np.array(WIN_CHANCES)
        weights = np.stack([np.log(chances), np.log1p(-chances), np.ones(chances.size)], axis=1)
    single = _add_sets(ratios, weights, evidence)
    alone = _log_mean(single, axis=0)
    with_decoy = alone + _log_mean(_find_decoys(ratios, weights, single), axis=0)
    scores = _mix(alone, with_decoy)
    log_evidence = log_null + _log_mean(scores, axis=1)
    if isinstance(evidence, Choices) and evidence.are_ranked:
        alone = _log_mean(_add_sets(_add_later(ratios, evidence), weights, evidence), axis=0)
        scores = _mix(alone, with_decoy)
    return Contextual(scores, log_evidence)


def _mix(alone: Array, with_decoy: Array) -> Array:
    """Return S: what is said without a decoy, and with one, by its prior chance."""
    scores: Array = np.logaddexp(alone + math.log1p(-DECOY_CHANCE), with_decoy + math.log(DECOY_CHANCE))
    return scores


def _add_sets(ratios: list[_Ratios], weights: Array, evidence: Evidence) -> Array:
    """Return L ``(grid, reps, n_arms)``; the rows of ``weights`` are the points of the grid."""
    single: Array = np.tensordot(weights, sum(_add_arms(each, evidence) for each in ratios), axes=1)
    return single


def _add_arms(ratios: _Ratios, evidence: Evidence) -> Array:
    """Return the sums over the sets of every arm ``(features, reps, n_arms)``."""
    places = ratios.sets.arms + ratios.sets.runs * evidence.n_arms
    return np.stack([add_up(places, each, (evidence.reps, evidence.n_arms)) for each in ratios.features])


def _find_decoys(ratios: list[_Ratios], weights: Array, single: Array) -> Array:
    """Return the logarithm of the mean over j in (3), for each point of the grid ``(grid, reps, n_arms)``.

    It is exact for the arms that lead. Of the others the sets that they share with j are not left out.
    """
    _, reps, n_arms = single.shape
    count = min(DECOY_CANDIDATES, n_arms)
    rows, places = np.arange(reps)[:, None], np.arange(count)
    peak = np.round(single.max(axis=0), PEAK_DIGITS)
    leading = np.argpartition(-peak, count - 1, axis=1)[:, :count]
    number = np.full((reps, n_arms), -1)
    number[rows, leading] = places
    if count < n_arms:  # of arms that tie for the last place none leads: their numbers must not matter
        behind = np.where(number < 0, peak, -np.inf).max(axis=1, keepdims=True)
        number[peak <= behind] = -1
    leads = np.take_along_axis(number, leading, axis=1) >= 0
    shared = sum(_add_shared(each, number, count) for each in ratios)  # (features, reps, leading, n_arms)
    top = single.max(axis=2, keepdims=True)
    odds = np.exp(single - top)
    others = np.maximum(odds.sum(axis=2, keepdims=True) - odds, LEAST_ODDS)
    decoys: Array = np.log(others / (n_arms - 1)) + top
    for found, own, weight in zip(decoys, single, weights, strict=True):
        beside = own[:, None, :] - np.tensordot(weight, shared, axes=1)
        beside[rows, places, leading] = -np.inf
        exact = _log_mean(beside, axis=2) + math.log(n_arms / (n_arms - 1))
        found[rows, leading] = np.where(leads, exact, found[rows, leading])
    return decoys


def _add_shared(ratios: _Ratios, number: Indices, count: int) -> Array:
    """Return for leading arms i and all j the sums of the features of j over sets with both."""
    sets, (reps, n_arms) = ratios.sets, number.shape
    shape = (reps, count, n_arms)
    total = np.zeros((len(ratios.features), *shape))
    leaders = number[sets.runs, sets.arms]  # (size, sets), −1 where an arm does not lead
    for place in range(sets.size):
        some = np.flatnonzero(leaders[place] >= 0)
        others = np.delete(np.arange(sets.size), place)
        first = (sets.runs[some] * count + leaders[place, some]) * n_arms
        at = first + sets.arms[np.ix_(others, some)]
        for each, sums in zip(ratios.features, total, strict=True):
            sums += add_up(at, each[np.ix_(others, some)], shape)
    return total


def _log_mean(logs: Array, axis: int) -> Array:
    """Return the logarithm of the mean of what numbers are the logarithms of."""
    top = logs.max(axis=axis, keepdims=True)
    mean: Array = np.log(np.exp(logs - top).mean(axis=axis)) + top.squeeze(axis)
    return mean


# Choices, (1)


def _compare_tallies(evidence: Choices) -> tuple[list[_Ratios], Array]:
    """Return R as weights of log p and log(1 − p) and a constant, and the log-likelihood without the best."""
    ratios, log_null = [], np.zeros(evidence.reps)
    for part in evidence.parts:
        features, log_likelihood = _compare_part(part)
        ratios.append(_Ratios(part.sets, features))
        log_null += part.sets.add_runs(log_likelihood)
    return ratios, log_null


def _compare_part(part: FirstPlaces) -> tuple[Array, Array]:
    log_likelihood = log_rising(part.shares).sum(axis=0) - log_rising(part.times, part.sets.size)  # log DM(w)
    return compare_tallies(part.shares, part.times, part.sets.size), log_likelihood


def _add_later(ratios: list[_Ratios], evidence: Choices) -> list[_Ratios]:
    """Return R of all places of rankings."""
    return [
        each if part.later is None else each._replace(features=each.features + part.later)
        for each, part in zip(ratios, evidence.parts, strict=True)
    ]


# Rewards, (2)


def _compare_leads(evidence: Rewards) -> tuple[list[_Ratios], Array]:
    """Return R at every point of the grid, and the log-likelihood without the best."""
    noise = estimate_noise(evidence)
    leads = [_find_leads(part.sums / np.maximum(part.times, 1)) for part in evidence.parts]
    errors = [2 * noise[part.sets.runs] ** 2 / np.maximum(part.times, 1) for part in evidence.parts]  # s²
    ahead = _estimate_scales(evidence, leads, errors, ahead=True)
    behind = _estimate_scales(evidence, leads, errors, ahead=False)
    ratios = []
    for part, lead, error in zip(evidence.parts, leads, errors, strict=True):
        sets, m = part.sets, part.sets.size
        plus, minus = ahead[sets.runs], behind[sets.runs]
        usual = np.logaddexp(
            _log_density(lead, plus, error) - math.log(m), _log_density(-lead, minus, error) + math.log((m - 1) / m)
        )
        best = (_log_density(lead, ratio**2 * plus, error) - usual for ratio in LEAD_RATIOS)
        ratios.append(_Ratios(sets, np.stack([np.where(part.times > 0, each, 0.0) for each in best])))
    return ratios, _weigh_sets(evidence)


def _find_leads(means: Array) -> Array:
    """Return the lead of every arm over the best other one of its set."""
    second, first = np.partition(means, len(means) - 2, axis=0)[-2:]
    leads: Array = means - np.where(means == first, second, first)
    return leads


def _estimate_scales(evidence: Rewards, leads: list[Array], errors: list[Array], *, ahead: bool) -> Array:
    """Return τ₊² or τ₋² of every run: the mean square of leads less that of their errors."""
    squares, excess, count = np.zeros((3, evidence.reps))
    for part, lead, error in zip(evidence.parts, leads, errors, strict=True):
        some = ((lead >= 0) == ahead) & (part.times > 0)
        squares += part.sets.add_runs((lead**2 * some).sum(axis=0))
        excess += part.sets.add_runs(((lead**2 - error) * some).sum(axis=0))
        count += part.sets.add_runs(some.sum(axis=0).astype(np.float64))
    scales: Array = np.maximum(excess, LEAST_LEAD_SHARE**2 * squares) / np.maximum(count, 1)
    return np.maximum(scales, TINY)


def _log_density(lead: Array, scale: Array, error: Array) -> Array:
    """Return log f of a lead: half-normal with a squared ``scale``, plus a normal error of that variance."""
    from scipy.special import ndtr

    variance = scale + error
    tail = lead * np.sqrt(scale / (error * variance))
    np.maximum(tail, FARTHEST, out=tail)
    density: Array = np.log(ndtr(tail, out=tail), out=tail)
    density -= lead * lead * (0.5 / variance)
    density -= 0.5 * np.log(variance)
    return density


def _weigh_sets(evidence: Rewards) -> Array:
    """Return the log-likelihood of rewards if every set has normal means of its own, whatever the noise."""
    tried = []
    for ratio in VARIANCE_RATIOS:
        spread, explained = np.zeros(evidence.reps), np.zeros(evidence.reps)
        for part in evidence.parts:
            grown = 1 + ratio * part.times
            spread += (part.sets.size - 1) * part.sets.add_runs(np.log(grown))
            squares = (part.sums**2).sum(axis=0) / np.maximum(part.times, 1)
            explained += part.sets.add_runs(squares * (1 - 1 / grown))
        tried.append(weigh_rewards(evidence, explained, spread))
    return _log_mean(np.stack(tried), axis=0)
