"""The posterior of runs in step → which arms the next batch should compare.

Contextual worlds: arms with the best scores, since the best arm beats everybody and others lose to it. Consistent
worlds: arms by the upper end of what their strength may be, θ plus an exploration bonus of so many standard errors. The
bonus shrinks as the budget is spent: so all arms are looked at first, and what is left goes to those that may well be
the best. A run goes by the likelier kind of world; until arms had a few comparisons each, by the contextual one, whose
scores need no fit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.threads import use_one_thread
from heats.engine.belief.consistent import Consistent, tell_precision, weigh_consistent
from heats.engine.belief.contextual import weigh_contextual
from heats.engine.belief.evidence import Evidence, Rewards, take_runs
from heats.engine.belief.plackett_luce import Effort
from heats.engine.belief.posterior import weigh_worlds
from heats.engine.scoring import settle

FEW_PULLS, FEW_REWARDS = 3, 6  # of an arm, on average: fewer do not tell strengths
FEW_HEATS = 0.75  # for an arm: of large heats, fewer do not tell strengths either
BONUS = 8.0, 1.5  # standard errors, at the beginning and at the end
CHECK_EVERY = 3  # batches, in a contextual world: fits take most of the time, and the kind of world does not change
EFFORT = Effort(30, 1e-2)  # of a fit between batches
MOST_WORK = 4_000_000  # steps times places: more would take longer than the comparisons themselves


class Priorities:
    """What the next batch of runs in step is dealt by."""

    def __init__(self, reps: int, n_arms: int) -> None:
        self.scores: Array = np.zeros((reps, n_arms))
        self.is_consistent: Mask = np.zeros(reps, dtype=bool)
        self.strengths: Array = np.zeros((reps, n_arms))
        self.precision: Array = np.ones((reps, n_arms))
        self.gain: Array = np.zeros((reps, 1))  # of precision by a comparison; 0: by the chances of a choice
        self.bonus = BONUS[0]  # standard errors
        self._priors: Array = np.ones((reps, 1))

    def spend(self, share: float) -> None:
        """Let the exploration bonus be that of a run which has spent such a share of its budget."""
        early, late = BONUS
        self.bonus = early + (late - early) * share

    @property
    def values(self) -> Array:
        """What arms are ordered by ``(reps, n_arms)``."""
        values = np.where(self.is_consistent[:, None], self.add_bonus(self.strengths, self.precision), self.scores)
        return settle(values)

    def add_bonus(self, strengths: Array, precision: Array) -> Array:
        """Return strengths with the exploration bonus."""
        values: Array = strengths + self.bonus / np.sqrt(precision)
        return values

    def add_arms(self, arms: int) -> None:
        """Have so many more arms, of which nothing is known."""
        for name, value in (("scores", 0.0), ("strengths", 0.0), ("precision", 1.0)):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, arms)), constant_values=value))

    def update(self, evidence: Evidence, batch: int) -> None:
        """Take in the evidence of so many batches."""
        can_tell = _can_tell_strengths(evidence)
        self.is_consistent &= can_tell
        is_due = batch % CHECK_EVERY == 0
        fitted = np.flatnonzero(can_tell if is_due else self.is_consistent)
        scored = np.flatnonzero(~self.is_consistent | (can_tell & is_due))
        log_evidence = np.zeros(evidence.reps)
        if scored.size:
            contextual = weigh_contextual(take_runs(evidence, scored))
            self.scores[scored], log_evidence[scored] = contextual
        if fitted.size:
            some, effort = take_runs(evidence, fitted), _limit(EFFORT, evidence)
            with use_one_thread():
                priors = None if is_due else [self._priors[fitted]]
                consistent = weigh_consistent(some, effort, priors, self.strengths[fitted])
            if is_due:
                self.is_consistent[fitted] = weigh_worlds(log_evidence[fitted], consistent.log_evidence) < 0.5
            self._take(fitted, some, consistent)

    def _take(self, runs: Indices, evidence: Evidence, consistent: Consistent) -> None:
        """Remember the strengths of some runs under the prior that is most likely in each."""
        best, every = consistent.weights.argmax(axis=0), np.arange(runs.size)

        def pick(parts: Sequence[Array]) -> Array:
            picked: Array = np.stack(parts)[best, every]
            return picked

        self.strengths[runs] = pick([fit.mode for fit in consistent.fits])
        self.precision[runs] = pick([fit.diagonal / fit.noise[:, None] for fit in consistent.fits])
        self._priors[runs] = pick([fit.prior for fit in consistent.fits])
        self.gain[runs] = _find_gain(evidence, pick([fit.noise for fit in consistent.fits]))


def _can_tell_strengths(evidence: Evidence) -> Mask:
    """Return in which runs there are comparisons enough to fit strengths, and not too many sets to do so now."""
    places, sets, few = 0, np.zeros(evidence.reps), 0.0
    least = FEW_REWARDS if isinstance(evidence, Rewards) else FEW_PULLS
    for part in evidence.parts:
        places += part.sets.size * part.sets.which.shape[1]
        sets += part.sets.size * part.sets.add_runs(np.ones(part.sets.runs.size))
        few = max(few, least, FEW_HEATS * part.sets.size)
    can_tell: Mask = (evidence.n_arms * few <= places) & (sets <= MOST_WORK // EFFORT.steps)
    return can_tell


def _find_gain(evidence: Evidence, noise: Array) -> Array:
    """Return what a comparison adds to the precision of its arms ``(reps, 1)``; 0 for choices of the first."""
    size = max(part.sets.size for part in evidence.parts)
    if isinstance(evidence, Rewards):
        return ((1 - 1 / size) / noise)[:, None]
    return np.full((evidence.reps, 1), tell_precision(size) if evidence.are_ranked else 0.0)


def _limit(effort: Effort, evidence: Evidence) -> Effort:
    """Return so much effort that a fit does not take longer than the comparisons."""
    places = sum(part.sets.arms.size for part in evidence.parts)
    return effort._replace(steps=min(effort.steps, 1 + MOST_WORK * evidence.reps // max(1, places)))
