"""A world and the number of a run of adaptive play → whether it stopped, whether that was right, what it saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from heats.base.threads import use_one_thread
from heats.engine.adaptive import Adaptive
from heats.experiments.standings.runs import draw_seed, play_stage
from heats.experiments.standings.worlds import ARMS, HEAT_SIZES, KINDS, PROMISED, World, draw_world

SURE = 0.95
TIMES = 10  # pulls per arm


class Outcome(NamedTuple):
    """What came of runs: how many there were, stopped early, were right then, and shares of budgets saved, summed."""

    runs: int
    stopped: int
    successes: int
    saved: float

    @property
    def right(self) -> float:
        """The share that was right of those that stopped; 1 where none did."""
        return self.successes / self.stopped if self.stopped else 1.0


def list_worlds() -> list[World]:
    """Return the consistent worlds that standings are calibrated in, with a budget between theirs."""
    return [World("kept", *each, TIMES * each[2]) for each in product(KINDS, PROMISED, ARMS, HEAT_SIZES)]


def play_runs(world: World, numbers: range, seed: int) -> Outcome:
    """Play some runs of a world; each depends on the seed, the world's name and its own number only."""
    with use_one_thread():
        return add_up([_play_run(world, draw_seed(world, number, seed)) for number in numbers])


def add_up(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of all runs together."""
    runs, stopped, successes = (sum(each[column] for each in outcomes) for column in range(3))
    return Outcome(int(runs), int(stopped), int(successes), sum(each.saved for each in outcomes))


def _play_run(world: World, seed: int) -> Outcome:
    rng = np.random.default_rng(seed)
    drawn = draw_world(world, seed, rng)
    machine = Adaptive(world.n_arms, world.heat_size, world.budget, seed=seed)
    while not machine.done:
        play_stage(machine, drawn, rng)
        chance = None if machine.done else machine.find_chance()
        if chance is not None and chance >= SURE:
            machine.stop(chance)
            return Outcome(1, 1, int(machine.winner == drawn.best), 1 - machine.spent / world.budget)
    return Outcome(1, 0, 0, 0.0)
