"""The paper's synthetic experiments as data: settings, grids, algorithms, and one cell of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.engine.baselines import RoundRobin
from heats.engine.statistics import Statistic, mean, median, power_mean
from heats.environments import Environment, Gaussian, Winners
from heats.experiments.shared.verdicts import Share
from heats.planning.build import plan
from heats.planning.plan import Plan
from heats.simulation.simulate import Algorithm, simulate

ARMS = (50, 100)
HEAT_SIZES = (2, 4, 6, 8, 10)
BUDGETS = (50, 100, 200, 300, 500)
GAP = 0.1
ALGORITHMS = ("csws-paper", "csr-paper", "csh-paper", "round-robin", "csws-exact", "csr-exact", "csh-exact")


class Setting(NamedTuple):
    """What is seen of which world, and how it is scored."""

    title: str
    decoy: bool = False
    winners: bool = False
    statistic: Statistic = mean


SETTINGS = {
    "reward": Setting("rewards"),
    "reward-decoy": Setting("rewards, Borda winner set apart", decoy=True),
    "preference-decoy": Setting("winners only, Borda winner set apart", decoy=True, winners=True),
    "preference": Setting("winners only", winners=True),
    "median": Setting("rewards scored by their median", statistic=median),
    "power-mean": Setting("rewards scored by their power mean (q = 2)", statistic=power_mean(2)),
}
SPREADS = ("deviation", "variance")


class Cell(NamedTuple):
    """One success rate: a setting, a problem, an algorithm."""

    setting: str
    spread: str
    n_arms: int
    heat_size: int
    budget: int
    algorithm: str

    @property
    def id(self) -> str:
        """A name such as reward-deviation/n50-k4-B200/csh-exact."""
        return f"{self.setting}-{self.spread}/n{self.n_arms}-k{self.heat_size}-B{self.budget}/{self.algorithm}"


class Result(NamedTuple):
    """A cell, played: how often the best arm was found."""

    cell: Cell
    share: Share  # of the runs that found it


def list_cells(setting: str, spread: str = "deviation", algorithms: Sequence[str] = ALGORITHMS) -> list[Cell]:
    """Return the cells of a figure: 50 problems, all algorithms."""
    problems = product(ARMS, HEAT_SIZES, BUDGETS, algorithms)
    return [Cell(setting, spread, *each) for each in problems]


def run_cell(cell: Cell, reps: int, seed: int) -> Result:
    """Play a cell, every run in a world of its own; the numbers depend on the cell's name, reps and seed only."""
    setting = SETTINGS[cell.setting]
    key = int(randomness.draw_bits(randomness.fold_seed(seed), *cell.id.encode()) >> np.uint64(2))
    world: Environment = Gaussian(cell.n_arms, GAP, setting.decoy, key, cell.spread, redraw=True)  # type: ignore[arg-type]  # one of SPREADS
    if setting.winners:
        world = Winners(world)
    problem = (cell.n_arms, cell.heat_size, cell.budget)
    played = make_algorithm(cell.algorithm, *problem, winners=setting.winners, statistic=setting.statistic)
    statistic = setting.statistic if isinstance(played, Plan) else None
    found = simulate(played, world, reps, key, statistic)
    return Result(cell, Share(found.successes, reps))


def make_algorithm(
    name: str, n_arms: int, heat_size: int, budget: int, *, winners: bool, statistic: Statistic = mean
) -> Algorithm:
    """Return one of ALGORITHMS, or planned, by its name; it may leave heats unseen where the budget is small."""
    problem = (n_arms, heat_size, budget)
    if name == "round-robin":
        return RoundRobin(*problem, statistic=statistic)
    if name == "planned":
        return plan(*problem, feedback="winner" if winners else "reward", blind=True)
    rule, _, schedule = name.partition("-")
    return plan(*problem, rule, schedule=schedule, record="off", blind=True)  # type: ignore[arg-type]  # by its name
