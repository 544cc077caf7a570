"""Section 6 of the paper: which of 20 SAPS parameterizations is fastest, found by racing k of them at a time.

Played on a table of runs (``runs_table``): a pull draws an instance, the first of the heat to solve it wins, the others
are stopped. Successive Halving runs one parameterization per pull, to its end, and may make k·B pulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Array, Indices
from heats.engine.adaptive import Adaptive
from heats.engine.baselines import SuccessiveHalving
from heats.environments import RuntimeTable
from heats.experiments.saps.runs_table import ARMS, RunsTable, load_table
from heats.experiments.shared.csv_files import write_rows
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.verdicts import Share
from heats.experiments.synthetic.grid import make_algorithm
from heats.simulation.simulate import Algorithm, simulate

HEAT_SIZES = (2, 4, 8)
BUDGETS = (50, 100, 200, 300, 500)
RULES = tuple(f"{rule}-{schedule}" for schedule in ("paper", "exact") for rule in ("csws", "csr", "csh"))
HALVING, ADAPTIVE = "successive-halving", "adaptive"
ALGORITHMS = (*RULES, "round-robin", HALVING, "planned")


class RaceCell(NamedTuple):
    """One point of the figure; its repr is part of what its numbers are drawn from."""

    heat_size: int
    budget: int
    algorithm: str


class RaceResult(NamedTuple):
    """A cell, played: how often the fastest arm was found, and what that took, in steps."""

    cell: RaceCell
    share: Share  # of the runs that found it
    favourites: int  # how often the arm was found that wins most heats of that size
    found: float  # mean steps of the arm found
    finishers: float  # sum of the finishers' times: all runs of a pull in parallel
    finishers_error: float  # standard error of that mean over the repetitions
    cpu: float  # sum of the times of all runs, of which those that did not finish ran as long as the one that did


def list_races() -> list[RaceCell]:
    """Return all cells."""
    return [RaceCell(*each) for each in product(HEAT_SIZES, BUDGETS, ALGORITHMS)]


def run_races(
    table: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[RaceCell, RaceResult]:
    """Play all cells on the table at that path; the numbers do not depend on the workers."""
    job = partial(_run_size, table, reps, seed)
    jobs = [(k, name) for k in reversed(HEAT_SIZES) for name in ALGORITHMS]  # the longest first
    results: dict[RaceCell, RaceResult] = {}
    for done in run_jobs(job, jobs, workers):
        results |= {result.cell: result for result in done}
        tick(len(done))
    return {cell: results[cell] for cell in list_races()}


def _run_size(path: Path, reps: int, seed: int, heat_size: int, algorithm: str) -> list[RaceResult]:
    table = load_table(path)
    price = Price(table)
    return [run_race(RaceCell(heat_size, budget, algorithm), table, price, reps, seed) for budget in BUDGETS]


def run_race(cell: RaceCell, table: RunsTable, price: Price, reps: int, seed: int) -> RaceResult:
    """Play one cell."""
    algorithm = make_racer(cell)
    world = table.make_world("seconds" if isinstance(algorithm, SuccessiveHalving) else "winner")
    key = int(randomness.draw_bits(randomness.fold_seed(seed), *repr(cell).encode()) >> np.uint64(2))
    first = simulate(algorithm, world, reps, key, cost=price.until_first)
    again = simulate(algorithm, world, reps, key, cost=price.of_all)
    assert first.costs is not None
    assert again.costs is not None
    error = first.costs.std(ddof=1) / np.sqrt(reps) if reps > 1 else 0.0
    found = world.mean_seconds[first.winners].mean()
    means = (float(found), float(first.costs.mean()), float(error), float(again.costs.mean()))
    favourites = int((first.winners == world.win_shares(cell.heat_size).argmax()).sum())
    return RaceResult(cell, Share(first.successes, reps), favourites, *means)


def make_racer(cell: RaceCell) -> Algorithm:
    """Return the algorithm of a cell."""
    k, budget, name = cell
    if name == HALVING:
        return SuccessiveHalving(ARMS, k * budget, blind=True)
    if name == ADAPTIVE:
        return Adaptive(ARMS, k, budget)
    return make_algorithm(name, ARMS, k, budget, winners=True)


class Price:
    """What a pull of a heat costs in the mean over all instances, looked up where it is known already."""

    def __init__(self, table: RunsTable) -> None:
        self._world: RuntimeTable = table.make_world()
        self._known = np.full(2**ARMS, np.nan)  # by set of arms, as bits

    def until_first(self, heats: Indices) -> Array:
        """Return the time until the first of each heat has finished, or the cutoff."""
        sets = np.bitwise_or.reduce(1 << heats, axis=-1)
        fresh, where = np.unique(sets, return_index=True)
        unknown = np.isnan(self._known[fresh])
        if unknown.any():
            shown = heats.reshape(-1, heats.shape[-1])[where[unknown]]
            self._known[fresh[unknown]] = self._world.parallel_seconds(shown)
        prices: Array = self._known[sets]
        return prices

    def of_all(self, heats: Indices) -> Array:
        """Return the time of all runs, each stopped when the first has finished."""
        prices: Array = heats.shape[-1] * self.until_first(heats)
        return prices


COLUMNS = ("k", "B", "algorithm", "reps", "seed", "successes", "favourites", "rate", "low", "high")
COSTS = ("found", "finishers", "finishers_error", "cpu")


def write_races(path: Path, results: Iterable[RaceResult], seed: int) -> None:
    """Write the numbers of the figure."""
    write_rows(path, (*COLUMNS, *COSTS), (_make_row(each, seed) for each in results))


def _make_row(each: RaceResult, seed: int) -> tuple[object, ...]:
    share = each.share
    costs = (f"{getattr(each, name):.1f}" for name in COSTS)
    return (*each.cell, share.runs, seed, share.successes, each.favourites, *share.format(), *costs)
