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

    mode: Array  # (reps, n_arms), if all are of the field
    diagonal: Array  # (reps, n_arms), of H
    third: Array  # (reps, n_arms), third derivatives t of −log p by each strength
    columns: Sequence[Roots]  # what H has beside its diagonal
    noise: Array  # (reps,), variance of rewards; 1 for choices
    log_evidence: Array  # (reps,)
    spread: Array  # (reps,), standard deviation of strengths under the prior
    prior: Array  # (reps, 1), its parameter
    outlier: Array  # (reps, n_arms), the chance q that an arm is an outlier
    farther: Array  # (reps, n_arms), how much stronger than its mode it then is
    wider: Array  # (reps, n_arms), how much more variance it then has

    @property
    def strengths(self) -> Array:
        """The likeliest strengths, an outlier's by its chance ``(reps, n_arms)``."""
        strengths: Array = self.mode + self.outlier * self.farther
        return strengths

    @property
    def extra(self) -> Array:
        """The variance that an arm has in addition since it may be an outlier ``(reps, n_arms)``."""
        between = self.outlier * (1 - self.outlier) * self.farther**2 / self.noise[:, None]
        extra: Array = self.outlier * self.wider + between
        return extra

    def take(self, runs: Indices) -> Fit:
        """Return the fit of some of the runs, which increase."""
        if runs.size == len(self.noise):
            return self
        place = np.full(len(self.noise), -1)
        place[runs] = np.arange(runs.size)
        taken = {name: value[runs] for name, value in self._asdict().items() if name != "columns"}
        return Fit(columns=[each.take(place) for each in self.columns], **taken)

    @property
    def precision(self) -> Array:
        """How precisely each strength is known if all others are ``(reps, n_arms)``."""
        precision: Array = 1 / ((1 / self.diagonal + self.extra) * self.noise[:, None])
        return precision

    def find_covariances(self, front: Indices) -> Array:
        """Return the covariances of some arms ``(reps, arms, arms)`` in units of the noise, if all are of the field.

        All other arms are held fixed.
        """
        return find_covariances(self.diagonal, self.columns, front)

    def find_means(self, front: Indices, covariances: Array) -> Array:
        """Return posterior means (9) ``(reps, n_arms)`` if all are of the field, by the covariances of some arms.

        Strengths that are little known are skew: who always won may be much stronger than is likeliest.
        """
        skew = np.take_along_axis(self.third, front, axis=1) * np.diagonal(covariances, axis1=1, axis2=2)
        means: Array = self.mode - self.third / (2 * self.diagonal**2)
        ahead = np.take_along_axis(self.mode, front, axis=1) - (covariances @ skew[..., None])[..., 0] / 2
        np.put_along_axis(means, front, ahead, axis=1)
        return means


def allow_outliers(fit: Fit, slope: Array, variance: Array, farthest: float = math.inf) -> Fit:
    """Return a fit under a wider prior: each arm is, with prior chance 1/n, an outlier from a wider field.

    Of arm i the data alone say what a normal number with precision d says, m = θ̂ + slope/d, where the slope of the
    log-likelihood is what the prior takes back at the mode. The field has the ``variance (reps, 1)`` s², in units of
    the noise; outliers have w² times as much. How likely either makes m gives the chance q that the arm is an outlier.
    Choices end somewhere, so m is at most ``farthest`` from the mode.
    """
    near, far = variance, variance * FURTHER_APART**2
    n_arms = fit.mode.shape[1]
    known = np.maximum(fit.diagonal - 1 / near, 1e-9 / near)
    middle, error = fit.mode + np.clip(slope / known, -farthest, farthest), 1 / known
    squares = middle**2 / fit.noise[:, None]
    log_ratio = (np.log((error + near) / (error + far)) + squares * (1 / (error + near) - 1 / (error + far))) / 2
    log_odds = np.clip(log_ratio - math.log(max(1, n_arms - 1)), -MOST_LOG_ODDS, MOST_LOG_ODDS)
    q = 1 / (1 + np.exp(-log_odds))
    precision = known + 1 / far
    farther = middle * known / precision - fit.mode
    wider = np.maximum(1 / precision - 1 / fit.diagonal, 0.0)
    log_evidence = fit.log_evidence + (np.logaddexp(0.0, log_odds) + math.log1p(-1 / n_arms)).sum(axis=1)
    return fit._replace(log_evidence=log_evidence, outlier=q, farther=farther, wider=wider)
