"""Company or lasting strengths, whichever explains what was told → how good every arm looks.

Nobody says before the first pull in what world it is made. Company may decide, as in the paper's family, where an arm
that beats one rival says nothing about the next; or strengths may last, and all pulls of an arm add up. Both say how
likely they make who was first in all pulls so far, or all rewards, and a run goes by the one that makes it likelier.
Until arms had a few pulls each that is company: it needs no strengths.

If company decides, arms look as good as their score. If strengths last, as good as they may be: θ and six standard
errors more while nothing is spent, ever fewer as the budget goes, one in the end. So all are looked at first, and what
is left goes to those that may well be the best.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.threads import use_one_thread
from heats.engine.adaptive.outlook.choices import Effort, group_first
from heats.engine.adaptive.outlook.company import Company, gather_company
from heats.engine.adaptive.outlook.effects import fit_effects
from heats.engine.adaptive.outlook.heard import Heard
from heats.engine.adaptive.outlook.lasting import First, Strengths, fit_first, take_likeliest
from heats.engine.adaptive.outlook.meetings import MOST_CHANGES, find_better
from heats.engine.adaptive.outlook.pairs import fit_pairs
from heats.engine.feedback import Kind
from heats.engine.scoring import settle

FEW_PULLS, FEW_REWARDS = 3, 6  # of an arm, on average: fewer do not tell strengths
FEW_HEATS = 0.75  # for an arm: of large heats, fewer do not tell strengths either
PRIORS = (0.75, 3.0, 10.0)  # ν that are tried: log-strengths are about 2.2, 0.9 or 0.5 apart
LAST_PRIORS = (*PRIORS, 30.0)  # in the end also 0.3
AHEAD = 6.0, 1.0  # standard errors above its strength an arm may be, in the beginning and in the end
CAUTION = 0.5  # standard errors below its strength an arm counts in the end
LOOK_EVERY = 3  # batches, while company decides
EFFORT, LAST_EFFORT = Effort(30, 1e-2), Effort(300, 1e-3)  # of a fit, which goes on from the one before; in the end
MOST_WORK = 4_000_000  # steps times places: more would take longer than the pulls themselves
BEYOND_ROUNDING = 1e-6  # of log-likelihoods: with a single set both explain rewards equally well
LASTING_ODDS = 20.0  # that strengths last, before any choice is told; in the end


class Outlook:
    """How good arms look to runs in step."""

    def __init__(self, reps: int, n_arms: int) -> None:
        self.scores: Array = np.zeros((reps, n_arms))  # if company decides
        self.lasts: Mask = np.zeros(reps, dtype=bool)  # whether strengths do
        self.strengths: Array = np.zeros((reps, n_arms))  # if they do
        self.sharpness: Array = np.ones((reps, n_arms))
        self.sharper: Array = np.zeros((reps, 1))  # by a pull; 0: by what its chances say
        self.ahead = AHEAD[0]  # standard errors above its strength an arm may be
        self._starts: Array = np.ones((len(LAST_PRIORS), reps, n_arms))  # of fits: what the one before found, by ν

    def come_to(self, spent: float) -> None:
        """Say what share of the budget is spent: the more, the less an arm may be better than it looks."""
        early, late = AHEAD
        self.ahead = early + (late - early) * spent

    @property
    def values(self) -> Array:
        """How good every arm looks."""
        return settle(np.where(self.lasts[:, None], self.reach(self.strengths, self.sharpness), self.scores))

    def reach(self, strengths: Array, sharpness: Array) -> Array:
        """Return how strong arms may be."""
        reached: Array = strengths + self.ahead / np.sqrt(sharpness)
        return reached

    def add_arms(self, arms: int) -> None:
        """Have so many more arms, of which nothing is known."""
        self._starts = np.pad(self._starts, ((0, 0), (0, 0), (0, arms)), constant_values=1.0)
        for name, value in (("scores", 0.0), ("strengths", 0.0), ("sharpness", 1.0)):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, arms)), constant_values=value))

    @property
    def merits(self) -> Array:
        """How good every arm is taken to be: of two that seem equally strong, the better known is."""
        cautious = self.strengths - CAUTION / np.sqrt(self.sharpness)
        return settle(np.where(self.lasts[:, None], cautious, self.scores))

    def look(self, heard: Heard, batch: int | None = None) -> None:
        """Take in all that was told in so many batches, and decide, where that is due, what kind of world it is.

        Without ``batch`` that is the last decision: it is due, whatever was told, and more is tried.
        """
        company, is_due = gather_company(heard, self.scores.shape[1]), np.ones(heard.reps, dtype=bool)
        if batch is not None:
            can_tell = self._can_tell(heard, company)
            self.lasts &= can_tell
            is_due = self.lasts if batch % LOOK_EVERY else can_tell
        if (runs := np.flatnonzero(is_due)).size:
            with use_one_thread():
                self._decide(runs, heard.of(runs), company.of(runs), at_last=batch is None)
        if (runs := np.flatnonzero(~self.lasts)).size:
            self.scores[runs] = company.of(runs).score()

    def _can_tell(self, heard: Heard, company: Company) -> Mask:
        """Return in which runs there are enough pulls to tell strengths by, and not too many sets to do so now."""
        n_arms, (size, _, pulls) = self.scores.shape[1], heard.heats.shape
        few = max(FEW_REWARDS if heard.kind is Kind.REWARDS else FEW_PULLS, FEW_HEATS * size)
        sets = company.sets.add_runs(np.ones(company.sets.runs.size))
        can_tell: Mask = (n_arms * few <= pulls * size) & (sets * size <= MOST_WORK // EFFORT.steps)
        return can_tell

    def _decide(self, runs: Indices, heard: Heard, company: Company, *, at_last: bool) -> None:
        """Find out of some runs whether strengths last in them, and what they are."""
        if (rewards := company.rewards) is not None:
            effects, likely = fit_effects(rewards, company.sets, self.scores.shape[1])
            lasts = likely > company.weigh_size(rewards) + BEYOND_ROUNDING
            self._take(runs, lasts, Strengths(*(part[lasts] for part in effects)))
            if at_last:
                self._see_meetings(runs[lasts], heard.of(np.flatnonzero(lasts)))
        else:
            first = group_first(heard, company.sets)
            priors, odds, effort = (LAST_PRIORS, LASTING_ODDS, LAST_EFFORT) if at_last else (PRIORS, 1.0, EFFORT)
            tried = fit_first(first, priors, self._starts[: len(priors), runs], _limit(effort, heard))
            found = take_likeliest(tried)
            lasts = found.likely + np.log(odds) > company.weigh_first(first)
            lasts &= company.sets.add_runs(first.times) > 0
            self._starts[: len(priors), runs] = [each.strengths for each in tried]
            self._take(runs, lasts, _find_strengths(heard, found, lasts))

    def _see_meetings(self, runs: Indices, heard: Heard) -> None:
        """Let the best arm of some runs change places with one that is ahead of it whenever they meet."""
        for _ in range(MOST_CHANGES if runs.size else 0):
            merits = self.merits[runs]
            best = merits.argmax(axis=1)
            better = find_better(heard, best, merits)
            if (better == best).all():
                return
            for known in (self.strengths, self.sharpness):
                known[runs, best], known[runs, better] = known[runs, better], known[runs, best]

    def _take(self, runs: Indices, lasts: Mask, fitted: Strengths) -> None:
        """Remember in which of some runs strengths last, and how strong the arms of those are."""
        self.lasts[runs] = lasts
        some = runs[lasts]
        self.strengths[some], self.sharpness[some], self.sharper[some] = fitted


def _find_strengths(heard: Heard, first: First, lasts: Mask) -> Strengths:
    """Return strengths in the runs in which they last: by who was first or, if all of that is told, who was ahead."""
    if len(heard.heats) == 2 or heard.kind in (Kind.WINNER, Kind.RACE) or not lasts.any():
        return Strengths(np.log(first.strengths[lasts]), first.sharpness[lasts], np.zeros((lasts.sum(), 1)))
    return fit_pairs(heard.of(np.flatnonzero(lasts)), first.strengths[lasts], _limit(EFFORT, heard))


def _limit(effort: Effort, heard: Heard) -> Effort:
    """Return so much effort that it does not take longer than the pulls."""
    return effort._replace(steps=min(effort.steps, 1 + MOST_WORK // heard.heats[:, 0].size))
