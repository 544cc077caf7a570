"""A world and the number of a run of adaptive play → whether it stopped, whether that was right, what it saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from heats.engine.belief.posterior import find_posterior
from heats.experiments.standings.runs import play_adaptively
from heats.experiments.standings.worlds import (
    ADAPTIVE_ARMS,
    ADAPTIVE_SIZES,
    ARMS,
    FAMILY,
    HEAT_SIZES,
    KINDS,
    PROMISED,
    World,
)

SURE = 0.95
TIMES = 10  # pulls per arm


class Outcome(NamedTuple):
    """What came of runs: how many there were, stopped early, were right then, and shares of budgets saved, summed."""

    runs: int
    stopped: int
    successes: int
    saved: float
    known: float  # the same, had it been known for stopping which kind of world it is

    @property
    def right(self) -> float:
        """The share that was right of those that stopped; 1 where none did."""
        return self.successes / self.stopped if self.stopped else 1.0


def list_worlds() -> list[World]:
    """Return the consistent worlds that standings are calibrated in, and the paper's family."""
    kept = product(["kept"], KINDS, PROMISED, ARMS, HEAT_SIZES)
    family = product(["adaptive"], KINDS, FAMILY, ADAPTIVE_ARMS, ADAPTIVE_SIZES)
    return [World(*each, TIMES * each[3]) for each in (*kept, *family)]


def play_runs(world: World, numbers: range, seed: int) -> Outcome:
    """Play some runs of a world; each depends on the seed, the world's name and its own number only.

    All are played to the end: what they did before they would have stopped is the same.
    """
    stopped, right, saved, known = np.zeros((4, len(numbers)))
    for bests, game in play_adaptively(world, numbers, seed):
        left = 1 - sum(game.sizes[: game.round]) / world.budget
        if not left or (evidence := game.evidence) is None or game.posterior is None:
            continue
        sure = (game.posterior.take_chances(game.winners) >= SURE) & (stopped == 0)
        stopped[sure], saved[sure], right[sure] = 1, left, (game.winners == bests)[sure]
        if not known.all():
            told = find_posterior(evidence, is_contextual=world.shape in FAMILY).chances.max(axis=1)
            known[(told >= SURE) & (known == 0)] = left
    return Outcome(len(numbers), int(stopped.sum()), int(right.sum()), float(saved.sum()), float(known.sum()))


def add_up(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of all runs together."""
    runs, stopped, successes, saved, known = (sum(column) for column in zip(*outcomes, strict=True))
    return Outcome(int(runs), int(stopped), int(successes), float(saved), float(known))
