"""What pulls say if company decides: every set of arms has strengths of its own, and the best tops all it is in.

What an arm did in one set then says nothing about another, so the pulls of a set Q only say how likely each of its arms
tops it: P(i tops Q) = e^{G_i} / Σ over j in Q of e^{G_j}. Of choices, G adds up what pulls say (``gains``). Of r
rewards, G is how much the odds are against an arm that is d behind the best mean, −log Φ(t)/Φ(−t) with
t = d √(r/2) / noise. The noise is what rewards of the same set differ by; where few sets were pulled twice, all that
rewards differ by.

The score of an arm is the log-likelihood ratio of "it is the best, and tops all sets it is in" to "it is another, and
tops each with a chance q of its own, whatever that is", a Beta(1, m − 1) number: with a = m·P(i tops Q), and
b = m(1 − P(i tops Q))/(m − 1) of the same pulls if it does not top Q,

    S_i = Σ over its sets of log a − log E over q of Π over its sets of (q a + (1 − q) b).

A single set adds log(m·P). Many that were topped add ever less, since another arm may be strong as well: only losing to
it tells who is the best.

How likely are the choices themselves? Of a set of m, with shares of wins that are anything (a symmetric Dirichlet with
shape a), tallies w have the chance Γ(ma)/Γ(ma + Σw) · Π Γ(a + w_j)/Γ(a); and one arm is the best, so times the mean
over arms of Π over its sets of m·P(i tops Q). As likely as not another one is the best of all sets without it, a decoy.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.outlook.choices import Choices
from heats.engine.adaptive.outlook.gains import gain_choices
from heats.engine.adaptive.outlook.heard import Heard, add_up
from heats.engine.adaptive.outlook.rewards import (
    RATIOS,
    Rewards,
    explain,
    find_noise,
    group_rewards,
    square_sums,
    weigh_rewards,
)
from heats.engine.adaptive.outlook.sets import Sets, group_sets
from heats.engine.feedback import Kind

SHAPE = 0.5  # a
CHANCES = 8  # that are tried, of an arm that is not the best


class Company:
    """All pulls of runs in step, set by set, and G of every arm of a set."""

    def __init__(self, sets: Sets, gains: Array, n_arms: int, rewards: Rewards | None = None) -> None:
        self.sets, self.rewards, self._gains = sets, rewards, gains
        self._shape = (len(sets.which), n_arms)
        self._places = sets.arms + sets.runs * n_arms

    def of(self, runs: Indices) -> Company:
        """Return the company of some of the runs, which increase."""
        if runs.size == len(self.sets.which):
            return self
        sets, theirs = self.sets.find(runs)
        rewards = None if self.rewards is None else self.rewards.of(runs, theirs)
        return Company(sets, self._gains.take(theirs, axis=1), self._shape[1], rewards)

    def score(self) -> Array:
        """Return the score of every arm ``(reps, n_arms)``."""
        size = len(self._gains)
        shares = share(self._gains)
        tops = shares + math.log(size)
        is_top = np.exp(tops)
        is_not = -np.expm1(shares) * (size / (size - 1))
        chances, weights = _list_chances(size)
        more = is_top - is_not
        another = np.empty((len(chances), *self._shape))
        for number, chance in enumerate(chances):
            explained = more * chance
            explained += is_not
            another[number] = self._add_arms(np.log(explained, out=explained))
        top = another.max(axis=0)
        mean: Array = np.tensordot(weights, np.exp(another - top), axes=1)
        score: Array = self._add_arms(tops) - top - np.log(mean)
        return score

    def weigh_first(self, first: Choices) -> Array:
        """Return the log-likelihood of who was first in all pulls of a run ``(reps,)``."""
        from scipy.special import gammaln

        tallies = first.shares
        size = len(tallies)
        likely = gammaln(tallies + SHAPE).sum(axis=0) - size * math.lgamma(SHAPE)
        likely += math.lgamma(size * SHAPE) - gammaln(tallies.sum(axis=0) + size * SHAPE)
        shares = share(gain_choices(first.shares, first.times))
        best = self._add_arms(shares + math.log(size))
        top = best.argmax(axis=1)
        without = (self.sets.arms != top[self.sets.runs]).all(axis=0)
        decoys = self._add_arms((shares + math.log(size)) * without)
        likelihood: Array = self.sets.add_runs(likely)
        return likelihood + _log_mean(best) + np.logaddexp(0.0, _log_mean(decoys)) - math.log(2)

    def weigh_size(self, rewards: Rewards) -> Array:
        """Return the log-likelihood of all rewards of a run ``(reps,)``."""
        size, between = len(self._gains), square_sums(rewards)
        best = self._add_arms(share(self._gains) + math.log(size))
        tried = []
        for ratio in RATIOS:  # of the variance of means to that of the noise
            grown = 1 + ratio * rewards.pulls
            spread = (size - 1) * self.sets.add_runs(np.log(grown))
            left = explain(rewards.squares, self.sets.add_runs(between * (1 - 1 / grown)))
            tried.append(weigh_rewards(rewards.free, left, spread))
        likelihood: Array = np.max(tried, axis=0) + _log_mean(best)
        return likelihood

    def _add_arms(self, values: Array) -> Array:
        """Return the sums over the sets of every arm ``(reps, n_arms)``."""
        return add_up(self._places, values, self._shape)


def gather_company(heard: Heard, n_arms: int) -> Company:
    """Return the company that pulls were made in."""
    sets = group_sets(heard.heats)
    if heard.kind is not Kind.REWARDS:
        return Company(sets, sets.add_up(heard.gains), n_arms)
    rewards = group_rewards(heard, sets)
    return Company(sets, _gain_rewards(rewards, sets), n_arms, rewards)


def _gain_rewards(rewards: Rewards, sets: Sets) -> Array:
    """Return G of rewards: log-odds against who is behind the best mean of a set."""
    means = rewards.sums / np.maximum(rewards.pulls, 1)
    behind = means.max(axis=0) - means
    return -_log_odds(behind * (np.sqrt(rewards.pulls / 2) / find_noise(rewards, sets)[sets.runs]))


def share(gains: Array) -> Array:
    """Return the logarithm of the chance that each arm tops its set."""
    shares: Array = gains - gains.max(axis=0)
    shares -= np.log(np.exp(shares).sum(axis=0))
    return shares


@cache
def _list_chances(size: int) -> tuple[list[float], list[float]]:
    """Return chances to top a set of that size, and their weights: a Gauss quadrature for the Beta(1, m − 1) law.

    They are the eigenvalues of the law's Jacobi matrix and the squares of how its eigenvectors begin (Golub and
    Welsch), which neither over- nor underflows, however large the set is.
    """
    alpha, n = size - 2, np.arange(1, CHANCES)
    s = 2.0 * n + alpha
    diagonal = np.append(1 / size, (2 * n * (n + 1) + alpha * (2 * n + 1)) / (s * (s + 2)))
    beside = n * (n + alpha) / (s * np.sqrt(s * s - 1))
    chances, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, -1))
    return chances.tolist(), (vectors[0] ** 2).tolist()


def _log_odds(t: Array) -> Array:
    """Return log(Φ(t) / Φ(−t)), nearly: within 0.1 up to t = 3, and ever steeper."""
    odds: Array = t * (1.5976 + 0.07056 * t * t)
    return odds


def _log_mean(logs: Array) -> Array:
    """Return the logarithm of the mean of what rows are the logarithms of."""
    top = logs.max(axis=1, keepdims=True)
    mean: Array = top[:, 0] + np.log(np.exp(logs - top).mean(axis=1))
    return mean
