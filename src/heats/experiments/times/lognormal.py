"""Accelerated failure times: the log-time of a run is an effect of its arm, one of its pull, and normal noise.

Effects are normal too. Runs that were stopped are filled in with what the model expects beyond the time they ran, and
the model is fitted to that, in turns (EM; the effects of pulls are averaged over as if apart from those of arms).
"""

from __future__ import annotations

import math

import numpy as np

from heats.base.arrays import Array
from heats.experiments.times.raced import Raced

STEPS = 50
BELIEF = 5  # runs with the spread of all that every arm is thought to have had


class _Fit:
    """Effects and variances of many races at once."""

    def __init__(self, raced: Raced, *, own_spreads: bool) -> None:
        self._raced, self._own_spreads = raced, own_spreads
        races = len(raced.arms)
        self._logs = np.log(raced.times)
        self._runs = raced.add_up(np.ones(raced.arms.shape))
        self.level = self._logs.mean(axis=(1, 2), keepdims=True)
        self.effects = np.zeros((races, raced.n_arms))
        self.noise = np.full((races, raced.n_arms), 2.0)  # variances, as are the next two
        self.of_pulls = np.full((races, 1, 1), 2.0)
        self._of_arms = np.full((races, 1), 1.0)
        self._pulls = np.zeros((*raced.arms.shape[:2], 1))  # effects

    def step(self) -> None:
        """Fill in what was cut off, then fit to it."""
        raced = self._raced
        noise = raced.look_up(self.noise)
        filled, doubt = self._fill_in(noise)
        weights = 1 / noise
        precision = weights.sum(axis=-1, keepdims=True) + 1 / self.of_pulls
        rest = filled - raced.look_up(self.effects)
        self._pulls = (weights * (rest - self.level)).sum(axis=-1, keepdims=True) / precision
        total = weights.sum(axis=(1, 2), keepdims=True)
        self.level = (weights * (rest - self._pulls)).sum(axis=(1, 2), keepdims=True) / total
        certain = raced.add_up(weights) + 1 / self._of_arms
        self.effects = raced.add_up(weights * (filled - self.level - self._pulls)) / certain
        left = filled - self.level - raced.look_up(self.effects) - self._pulls
        self._fit_noise(left**2 + doubt + 1 / precision)
        self.of_pulls = (self._pulls**2 + 1 / precision).mean(axis=(1, 2), keepdims=True)
        self._of_arms = (self.effects**2 + 1 / certain).mean(axis=1, keepdims=True)

    def _fill_in(self, noise: Array) -> tuple[Array, Array]:
        """Return the log-times that are expected of all runs, and their variances."""
        from scipy.special import erfcx

        means = self.level + self._raced.look_up(self.effects) + self._pulls
        deviation = np.sqrt(noise)
        cut = (self._logs - means) / deviation
        beyond = math.sqrt(2 / math.pi) / erfcx(cut / math.sqrt(2))  # the mean of a normal variable above the cut
        shrunk = np.clip(1 - beyond * (beyond - cut), 0, 1)
        done = self._raced.done
        return np.where(done, self._logs, means + deviation * beyond), np.where(done, 0, noise * shrunk)

    def _fit_noise(self, squares: Array) -> None:
        usual = squares.mean(axis=(1, 2))[:, None]
        if self._own_spreads:
            self.noise = (self._raced.add_up(squares) + BELIEF * usual) / (self._runs + BELIEF)
        else:
            self.noise = np.broadcast_to(usual, self.noise.shape)


def look_at_logs(raced: Raced, *, own_spreads: bool = False) -> Array:
    """Return the negative mean time up to the cutoff of every arm under the model."""
    fit = _Fit(raced, own_spreads=own_spreads)
    for _ in range(STEPS):
        fit.step()
    return -average_up_to(raced.cutoff, fit.level[:, 0] + fit.effects, fit.noise + fit.of_pulls[:, 0])


def average_up_to(cutoff: float, means: Array, variances: Array) -> Array:
    """Return the mean of times up to the cutoff, whose logarithms are normal; longer ones count as the cutoff."""
    from scipy.special import ndtr

    deviations, limit = np.sqrt(variances), math.log(cutoff)
    below = np.exp(means + variances / 2 + _log_ndtr((limit - means) / deviations - deviations))
    average: Array = below + cutoff * ndtr((means - limit) / deviations)
    return average


def _log_ndtr(values: Array) -> Array:
    from scipy.special import log_ndtr

    found: Array = log_ndtr(values)
    return found
