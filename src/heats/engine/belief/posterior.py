"""The posterior over both kinds of world: the chance of every arm to be the best.

P(contextual | data) = 1 / (1 + odds · p(data | consistent) / p(data | contextual)),                            (7)
P(i is the best) = P(contextual | data) P(i | contextual) + P(consistent | data) P(i | consistent).

All of it is computed without sampling and rounded, so that equal runs get equal numbers on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.threads import use_one_thread
from heats.engine.belief.consistent import Consistent, average_fits, find_best_chances, weigh_consistent
from heats.engine.belief.contextual import weigh_contextual
from heats.engine.belief.evidence import Evidence, Rewards, find_compared
from heats.engine.belief.fits import MOST_LOG_ODDS
from heats.engine.belief.settings import CONSISTENT_ODDS, DIGITS, LEAST_DOUBT


class Posterior(NamedTuple):
    """What is known of the arms of runs in step."""

    chances: Array  # (reps, n_arms) to be the best; they sum to 1
    contextual: Array  # (reps,), the chance that the world is contextual
    strengths: Array  # (reps, n_arms), the likeliest ones in a consistent world; less the mean of all arms
    compared: Mask  # (reps, n_arms), arms that were in a comparison with a verdict
    consistent: Consistent  # what is known of strengths

    def rank(self, luck: Indices) -> Indices:
        """Return the arms of every run, best first: by chance, then by strength, then by ``luck``.

        The first was compared, if any was: no arm is recommended that was never tried.
        """
        order = np.lexsort((luck, -self.strengths, -np.round(self.chances, DIGITS)), axis=1)
        first = np.take_along_axis(self.compared, order, axis=1).argmax(axis=1)[:, None]
        places = np.arange(order.shape[1])
        return np.take_along_axis(order, np.argsort(np.where(places == first, -1, places), axis=1), axis=1)

    def take_chances(self, arms: Indices) -> Array:
        """Return the chance of one arm of every run ``(reps,)``."""
        return np.take_along_axis(self.chances, arms[:, None], axis=1)[:, 0]


def weigh_worlds(contextual: Array, consistent: Array) -> Array:
    """Return the chance of every run that its world is contextual (7), by the log evidence of both kinds."""
    log_odds = contextual - consistent - math.log(CONSISTENT_ODDS)
    weight: Array = 1 / (1 + np.exp(-np.clip(log_odds, -MOST_LOG_ODDS, MOST_LOG_ODDS)))
    return weight


def find_posterior(evidence: Evidence, is_contextual: bool | None = None) -> Posterior:
    """Return the posterior of runs in step; ``is_contextual`` where the kind of world is known."""
    compared = find_compared(evidence)
    with use_one_thread():
        consistent = weigh_consistent(evidence)
        strengths = average_fits(consistent)[0]
        strengths = strengths - strengths.mean(axis=1, keepdims=True)
        if isinstance(evidence, Rewards) and evidence.are_alone:
            return Posterior(find_best_chances(consistent), np.zeros(evidence.reps), strengths, compared, consistent)
        contextual = weigh_contextual(evidence)
        weight = weigh_worlds(contextual.log_evidence, consistent.log_evidence)
        if is_contextual is not None:
            weight = np.full(weight.shape, float(is_contextual))
        chances = weight[:, None] * contextual.chances
        unsure = np.flatnonzero(weight < 1 - LEAST_DOUBT)
        if unsure.size:
            some = _take(consistent, unsure)
            chances[unsure] += (1 - weight[unsure, None]) * find_best_chances(some)
        return Posterior(chances / chances.sum(axis=1, keepdims=True), weight, strengths, compared, consistent)


def _take(consistent: Consistent, runs: Indices) -> Consistent:
    free = None if consistent.free is None else consistent.free[runs]
    fits = [fit.take(runs) for fit in consistent.fits]
    return Consistent(fits, consistent.weights[:, runs], consistent.log_evidence[runs], free)
