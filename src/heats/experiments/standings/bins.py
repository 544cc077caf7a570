"""Runs of a world → bins by the chance stated, and whether that is as often right as it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.experiments.standings.runs import Run
from heats.experiments.standings.worlds import FAMILY, World

FEWEST = 300  # runs of a bin, unless a world has fewer
ERRORS = 2
VERDICTS = WITHIN, TOO_SURE, TOO_MODEST = "within", "too sure", "too modest"


class Limits(NamedTuple):
    """How far the chance stated may be above the share right, and below it; two standard errors come on top."""

    sure: float = 0.05
    modest: float = 0.10


LIMITS = Limits()
HARD_TO_SEE = 0.10  # too sure: a decoy beside rewards of pairs, while few candidates met twice
MODEST_PAIRS = 0.20  # too modest: pairs of a contextual world: of most candidates little is known


def find_limits(world: World) -> Limits:
    """Return what is promised of a world."""
    if world.group != "adaptive" or world.heat_size > 2:
        return LIMITS
    is_hard = world.kind == "reward" and FAMILY[world.shape] and world.budget <= 2 * world.n_arms
    is_modest = world.budget <= 5 * world.n_arms
    return Limits(HARD_TO_SEE if is_hard else LIMITS.sure, MODEST_PAIRS if is_modest else LIMITS.modest)


class Bin(NamedTuple):
    """Runs of which about the same was said: the mean chance stated, and how many were right."""

    runs: int
    said: float
    successes: int
    limits: Limits = LIMITS

    @property
    def right(self) -> float:
        """The share that was right."""
        return self.successes / self.runs

    @property
    def error(self) -> float:
        """The standard error of that share."""
        return float((self.right * (1 - self.right) / self.runs) ** 0.5)

    @property
    def excess(self) -> float:
        """How much more was said than was right."""
        return self.said - self.right

    @property
    def beyond(self) -> float:
        """How far outside the limits that is; 0 or less: within them."""
        return max(self.excess - self.limits.sure, -self.excess - self.limits.modest) - ERRORS * self.error

    @property
    def verdict(self) -> str:
        """Whether the chance stated is within the limits, too high or too low."""
        if self.beyond <= 0:
            return WITHIN
        return TOO_SURE if self.excess > 0 else TOO_MODEST


class Result(NamedTuple):
    """A world, played: all its runs, and these bin by bin, those of which least was said first."""

    world: World
    whole: Bin
    bins: tuple[Bin, ...]


def make_result(world: World, runs: Sequence[Run]) -> Result:
    """Sort runs by the chance stated and cut them into bins."""
    in_order = sorted(runs, key=lambda run: run.chance)  # by nothing else: a cut may go through equal chances
    cuts = np.array_split(np.arange(len(runs)), max(1, len(runs) // FEWEST))
    limits = find_limits(world)
    bins = tuple(_make_bin(in_order[cut[0] : cut[-1] + 1], limits) for cut in cuts)
    return Result(world, _make_bin(in_order, limits), bins)


def _make_bin(runs: Sequence[Run], limits: Limits) -> Bin:
    said = float(np.mean([run.chance for run in runs]))
    return Bin(len(runs), round(said, 4), sum(run.right for run in runs), limits)
