"""What a fit of a consistent world knows: the most likely strengths under one prior, how precisely, and how likely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.matrices import Roots, find_covariances
from heats.engine.belief.settings import FURTHER_APART

MOST_LOG_ODDS = 700.0


class Fit(NamedTuple):
    """Strengths θ under one prior, of runs in step; their precision H is in units of 1/noise."""

    mode: Array  # (reps, n_arms)
    strengths: Array  # (reps, n_arms), the mode, moved towards where an outlier would be
    diagonal: Array  # (reps, n_arms), of H
    extra: Array  # (reps, n_arms), variance that an arm has in addition since it may be an outlier
    columns: Sequence[Roots]  # what H has beside its diagonal
    noise: Array  # (reps,), variance of rewards; 1 for choices
    log_evidence: Array  # (reps,)
    spread: Array  # (reps,), standard deviation of strengths under the prior
    prior: Array  # (reps, 1), its parameter

    def take(self, runs: Indices) -> Fit:
        """Return the fit of some of the runs, which increase."""
        if runs.size == len(self.noise):
            return self
        place = np.full(len(self.noise), -1)
        place[runs] = np.arange(runs.size)
        columns = []
        for each in self.columns:
            theirs: Indices = np.flatnonzero(place[each.runs] >= 0)
            columns.append(
                Roots(each.arms.take(theirs, axis=1), place[each.runs[theirs]], each.roots.take(theirs, axis=1))
            )
        rest = (self.noise[runs], self.log_evidence[runs], self.spread[runs], self.prior[runs])
        return Fit(self.mode[runs], self.strengths[runs], self.diagonal[runs], self.extra[runs], columns, *rest)

    @property
    def precision(self) -> Array:
        """How precisely each strength is known if all others are ``(reps, n_arms)``."""
        precision: Array = 1 / ((1 / self.diagonal + self.extra) * self.noise[:, None])
        return precision

    def find_covariances(self, front: Indices) -> Array:
        """Return the covariances of some arms ``(reps, arms, arms)`` in units of the noise, all others held fixed."""
        covariances = find_covariances(self.diagonal, self.columns, front)
        every = np.arange(front.shape[1])
        covariances[:, every, every] += np.take_along_axis(self.extra, front, axis=1)
        return covariances


def allow_outliers(fit: Fit, slope: Array, variance: Array, farthest: float = math.inf) -> Fit:
    """Return a fit under a wider prior: each arm is, with prior chance 1/n, an outlier from a wider field.

    Of arm i the data alone say what a normal number with precision d says, m = θ̂ + slope/d, where the slope of the
    log-likelihood is what the prior takes back at the mode. The field has the ``variance (reps, 1)`` s², in units of
    the noise; outliers have w² times as much. How likely either makes m gives the chance q that the arm is an outlier.
    Choices end somewhere, so m is at most ``farthest`` from the mode.
    """
    s2, w2 = variance, variance * FURTHER_APART**2
    n_arms = fit.strengths.shape[1]
    known = np.maximum(fit.diagonal - 1 / s2, 1e-9 / s2)
    middle, error = fit.mode + np.clip(slope / known, -farthest, farthest), 1 / known
    squares = middle**2 / fit.noise[:, None]
    log_ratio = (np.log((error + s2) / (error + w2)) + squares * (1 / (error + s2) - 1 / (error + w2))) / 2
    log_odds = np.clip(log_ratio - math.log(max(1, n_arms - 1)), -MOST_LOG_ODDS, MOST_LOG_ODDS)
    q = 1 / (1 + np.exp(-log_odds))
    precision = known + 1 / w2
    apart = middle * known / precision - fit.mode
    extra = np.maximum(q * (1 / precision - 1 / fit.diagonal), 0.0) + q * (1 - q) * apart**2 / fit.noise[:, None]
    log_evidence = fit.log_evidence + (np.logaddexp(0.0, log_odds) + math.log1p(-1 / n_arms)).sum(axis=1)
    return fit._replace(strengths=fit.mode + q * apart, extra=extra, log_evidence=log_evidence)
