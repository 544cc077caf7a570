"""What pulls say if company decides: every set of arms has strengths of its own, and the best tops all it is in.

What an arm did in one set then says nothing about another, so the pulls of a set Q only say how likely each of its arms
tops it: P(i tops Q) = e^{G_i} / Σ over j in Q of e^{G_j}. Of choices, G adds up what pulls say of "this arm is better
than the others, which are alike": log(m·p) to who is chosen out of m, log(m(1 − p)/(m − 1)) to each of the others; who
ties has the mean. Of r rewards, G is how much the odds are against an arm that is d behind the best mean,
−log Φ(t)/Φ(−t) with t = d √(r/2) / noise. The noise is what rewards of the same set differ by; where few sets were
pulled twice, all that rewards differ by.

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
from heats.engine.adaptive.choices import Choices, Level, group_first, list_choices
from heats.engine.adaptive.heard import Heard, add_up
from heats.engine.adaptive.sets import group_sets
from heats.engine.feedback import Kind

BETTER = 0.7  # p, how often the best of a heat is taken to win it
SHAPE = 0.5  # a
CHANCES = 8  # that are tried, of an arm that is not the best
LEAST_NOISE = 1e-3  # of all that rewards differ by
RATIOS = (0.1, 1.0, 10.0, 100.0, 1e4, 1e6)  # that are tried, of the variance of means of rewards to that of noise
FAR_BEHIND = 3.0  # times the median of how far arms are behind the best of their pull


class Company:
    """All pulls so far, set by set; rewards are in units of what they differ by."""

    def __init__(self, heard: Heard, n_arms: int) -> None:
        self._heard, self._shape = heard, (heard.reps, n_arms)
        self._sets = group_sets(heard.heats)
        self._places = self._sets.arms + self._sets.runs * n_arms
        self.noise = np.ones(heard.reps)  # of rewards
        self.first: Choices | None = None  # of choices: who was first
        self._gains = self._add_rewards() if heard.kind is Kind.REWARDS else self._add_gains()

    def score(self) -> Array:
        """Return the score of every arm ``(reps, n_arms)``."""
        size = len(self._gains)
        shares = self._share(self._gains)
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

    def weigh(self, first: Choices) -> Array:
        """Return the log-likelihood of who was first in all pulls of a run ``(reps,)``."""
        from scipy.special import gammaln

        tallies = first.shares
        size = len(tallies)
        likely = gammaln(tallies + SHAPE).sum(axis=0) - size * math.lgamma(SHAPE)
        likely += math.lgamma(size * SHAPE) - gammaln(tallies.sum(axis=0) + size * SHAPE)
        shares = self._share(_gain_first(first))
        best = self._add_arms(shares + math.log(size))
        top = best.argmax(axis=1)
        without = (self._sets.arms != top[self._sets.runs]).all(axis=0)
        decoys = self._add_arms((shares + math.log(size)) * without)
        likelihood: Array = add_up(self._sets.runs, likely, (1, self._shape[0]))[0]
        return likelihood + _log_mean(best) + np.logaddexp(0.0, _log_mean(decoys)) - math.log(2)

    def weigh_rewards(self) -> Array:
        """Return the log-likelihood of all rewards of a run ``(reps,)``."""
        size = len(self._gains)
        tried = [self._weigh_ratio(ratio) for ratio in RATIOS]
        best = self._add_arms(self._share(self._gains) + math.log(size))
        likelihood: Array = np.max(tried, axis=0) + _log_mean(best)
        return likelihood

    def _weigh_ratio(self, ratio: float) -> Array:
        """Return that if means have so many times the variance of the noise."""
        degrees = len(self._gains) - 1
        grown = 1 + ratio * self._pulls
        explained = add_up(self._sets.runs, self._between * (1 - 1 / grown), (1, self._shape[0]))[0]
        spread = degrees * add_up(self._sets.runs, np.log(grown), (1, self._shape[0]))[0]
        return weigh_rewards(self._free, explain(self._squares, explained), spread)

    def _add_gains(self) -> Array:
        levels = list(list_choices(self._heard))
        if not levels:
            return np.zeros(self._sets.arms.shape)
        self.first = group_first(self._sets, levels[0])
        return sum((self._sets.add_up(gain(level)) for level in levels[1:]), _gain_first(self.first))

    def _add_rewards(self) -> Array:
        """Return G of rewards, and find the noise."""
        heard, reps = self._heard, self._shape[0]
        rewards = center_rewards(heard)
        sums = self._sets.add_up(rewards)
        self._pulls = pulls = self._sets.count_pulls(heard.told)
        self._between = (sums**2).sum(axis=0) / np.maximum(pulls, 1)
        self._squares = (rewards**2).sum(axis=(1, 2))
        degrees = heard.heats.shape[2] - 1
        self._free = degrees * heard.told.sum(axis=1)
        within = np.maximum(self._squares - np.bincount(self._sets.runs, weights=self._between, minlength=reps), 0.0)
        again = self._free - degrees * np.bincount(self._sets.runs, weights=pulls > 0, minlength=reps)
        self.noise = np.maximum(np.sqrt((within + 1 / (again + 1)) / (again + 1)), LEAST_NOISE)
        means = sums / np.maximum(pulls, 1)
        behind = means.max(axis=0) - means
        return -log_odds(behind * (np.sqrt(pulls / 2) / self.noise[self._sets.runs]))

    def _share(self, gains: Array) -> Array:
        """Return the logarithm of the chance that each arm tops its set."""
        top = gains.max(axis=0)
        shares: Array = gains - top - np.log(np.exp(gains - top).sum(axis=0))
        return shares

    def _add_arms(self, values: Array) -> Array:
        """Return the sums over the sets of every arm ``(reps, n_arms)``."""
        return add_up(self._places, values, self._shape)


def center_rewards(heard: Heard) -> Array:
    """Return how rewards differ from the mean of their pull, over how much they do in all pulls of a run; 0 untold.

    How far an arm is behind the best of its pull counts up to three times what is usual in the run. Arms that are worse
    than that are often noisy, too, and would drown what the good ones differ by.
    """
    rows = _scale(np.where(heard.told[..., None], heard.rows, 0.0))
    behind = rows.max(axis=-1, keepdims=True) - rows
    rewards = -np.minimum(behind, FAR_BEHIND * _find_usual(behind))
    rewards = _scale(rewards - rewards.mean(axis=-1, keepdims=True))
    degrees = np.maximum(heard.told.sum(axis=1) * (heard.heats.shape[2] - 1), 1)[:, None, None]
    variance = (rewards**2).sum(axis=(1, 2), keepdims=True) / degrees
    scaled: Array = rewards / np.sqrt(np.where(variance > 0, variance, 1))
    return scaled


def _scale(numbers: Array) -> Array:
    """Return numbers over the largest of their run, so that differences and squares stay finite."""
    largest = np.abs(numbers).max(axis=(1, 2), keepdims=True)
    scaled: Array = numbers / np.where(largest > 0, largest, 1)
    return scaled


def _find_usual(behind: Array) -> Array:
    """Return the median of what is above 0 in every run ``(reps, 1, 1)``; 0 where nothing is."""
    in_order = np.sort(behind.reshape(len(behind), -1), axis=1)
    above = (in_order > 0).sum(axis=1, keepdims=True)
    usual: Array = np.take_along_axis(in_order, in_order.shape[1] - 1 - above // 2, axis=1)
    return usual[..., None]


def explain(squares: Array, explained: Array) -> Array:
    """Return what is left of the sum of squares of rewards, at least what the least noise leaves."""
    left: Array = np.maximum(squares - explained, LEAST_NOISE**2 * np.where(squares > 0, squares, 1.0))
    return left


def weigh_rewards(free: Indices, left: Array, spread: Array) -> Array:
    """Return the log-likelihood of rewards, whatever the noise: −N/2 log(what is left) − ½ log |1 + λ X'X|."""
    likely: Array = -(free * np.log(left) + spread) / 2
    return likely


def gain(level: Level) -> Array:
    """Return what choices of a place say of every arm: log(m·p) of who is chosen, log(m(1 − p)/(m − 1)) of others."""
    m = level.left.sum(axis=-1, keepdims=True)
    won, lost = _outcomes(np.maximum(m, 2))
    return np.where(level.left, level.shares * won + (1 - level.shares) * lost, 0.0)


def _gain_first(first: Choices) -> Array:
    """Return the same of the first place, set by set."""
    won, lost = _outcomes(np.array(len(first.arms)))
    gained: Array = first.shares * (won - lost) + first.times * lost
    return gained


def expect_gain(scores: Array) -> Array:
    """Return the gain to expect of a pull of arms with such scores ``(..., size)``."""
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    won, lost = _outcomes(np.array(scores.shape[-1]))
    expected: Array = chances * won + (1 - chances) * lost
    return expected


@cache
def _list_chances(size: int) -> tuple[list[float], list[float]]:
    """Return what chances to top a set of that size may be, and their weights: the points of Gauss and Jacobi."""
    from scipy.special import roots_jacobi

    points, weights = roots_jacobi(CHANCES, size - 2, 0)
    return ((1 + points) / 2).tolist(), (weights / weights.sum()).tolist()


def log_odds(t: Array) -> Array:
    """Return log(Φ(t) / Φ(−t)), nearly: within 0.04 up to t = 3, and ever steeper."""
    odds: Array = 1.5976 * t + 0.07056 * t**3
    return odds


def _log_mean(logs: Array) -> Array:
    """Return the logarithm of the mean of what rows are the logarithms of."""
    top = logs.max(axis=1, keepdims=True)
    mean: Array = top[:, 0] + np.log(np.exp(logs - top).mean(axis=1))
    return mean


def _outcomes(m: Indices) -> tuple[Array, Array]:
    return np.log(m * BETTER), np.log(m * (1 - BETTER) / (m - 1))
