"""The strengths of one run in a consistent world: the likeliest ones, intervals, and who is stronger than whom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.consistent import Consistent, average_fits
from heats.engine.belief.fits import Fit
from heats.engine.belief.settings import INTERVAL, LEAST_WEIGHT, MOST_TOGETHER


class StrengthTable(NamedTuple):
    """What is known of all arms of a run, in the units of the fit; 0 is the mean of all arms."""

    means: Array
    lows: Array
    highs: Array
    stronger: Array  # chance to be stronger than the reference
    spread: float  # standard deviation among the strengths of arms, as the run shows it


def describe_strengths(consistent: Consistent, reference: int) -> StrengthTable:
    """Return what is known of the strengths of one run."""
    from scipy.special import stdtr, stdtrit

    free = np.inf if consistent.free is None else max(1.0, float(consistent.free[0]))

    counting = [
        (fit, float(weight[0]))
        for fit, weight in zip(consistent.fits, consistent.weights, strict=True)
        if weight[0] >= LEAST_WEIGHT
    ]
    total = sum(weight for _, weight in counting)
    means = average_fits(consistent)[0][0]
    means = means - means.mean()
    squares, stronger, spread = np.zeros(means.size), np.zeros(means.size), 0.0
    for fit, weight in counting:
        strengths = fit.strengths[0] - fit.strengths[0].mean()
        alone, from_reference = _find_variances(fit, reference)
        squares += weight / total * (alone + (strengths - means) ** 2)
        lead = (strengths - strengths[reference]) / np.sqrt(np.maximum(from_reference, np.finfo(float).tiny))
        stronger += weight / total * stdtr(free, lead)
        spread += weight / total * float(fit.spread[0])
    stronger[reference] = 0.0
    tail = (1 + INTERVAL) / 2
    reach = float(stdtrit(free, tail)) * np.sqrt(squares)
    return StrengthTable(means, means - reach, means + reach, stronger, spread)


def _find_variances(fit: Fit, reference: int) -> tuple[Array, Array]:
    """Return the variances of strengths less the mean of all, and of their differences from the reference."""
    if fit.strengths.shape[1] > MOST_TOGETHER:
        alone = 1 / fit.precision[0]
        return alone, alone + alone[reference]
    every: Indices = np.arange(fit.strengths.shape[1])[None]
    covariance = (fit.find_covariances(every)[0] + np.diag(fit.extra[0])) * fit.noise[0]
    own, common = np.diagonal(covariance), covariance.mean(axis=1)
    return own - 2 * common + common.mean(), own + own[reference] - 2 * covariance[reference]
