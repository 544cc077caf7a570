"""Section 6 on equal terms: success over one grid of processor times, whatever number of pulls that takes.

Runs side by side cost as much as all of them; Successive Halving makes one run per pull, to its end. Every algorithm
gets the largest budget that takes, on average, no more than the processor time in question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.threads import use_one_thread
from heats.experiments.saps.race import ADAPTIVE, HALVING, HEAT_SIZES, RULES, Price, RaceCell, make_racer
from heats.experiments.saps.runs_table import RunsTable, load_table
from heats.experiments.shared.csv_files import write_rows
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.verdicts import Share
from heats.simulation.simulate import Simulation, simulate

CPU_TIMES = (1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000)  # steps
RACERS = (*RULES, "planned", ADAPTIVE)
ALONE = 1  # the size of "heats" of Successive Halving
FIRST_GUESS = 100  # pulls
PILOT_REPS = 200
MOST_TRIES = 12
CLOSE = 0.04  # to the processor time, relative


class EqualCell(NamedTuple):
    """One point of the figure; its repr is part of what its numbers are drawn from."""

    time: int  # of the processor, in steps
    heat_size: int
    algorithm: str


class EqualResult(NamedTuple):
    """A cell, played."""

    cell: EqualCell
    budget: int  # pulls that take no more than that time
    share: Share  # of the runs that found the fastest arm
    found: float  # mean steps of the arm found
    cpu: float  # steps taken in truth, on average


def list_equal_cells() -> list[EqualCell]:
    """Return all cells, those of Successive Halving last."""
    races = [EqualCell(time, k, name) for k, name, time in product(HEAT_SIZES, RACERS, CPU_TIMES)]
    return [*races, *(EqualCell(time, ALONE, HALVING) for time in CPU_TIMES)]


def list_times(cells: Iterable[EqualCell]) -> list[int]:
    """Return the processor times of cells, the smallest first."""
    return sorted({cell.time for cell in cells})


def list_racers(cells: Iterable[EqualCell]) -> list[tuple[int, str]]:
    """Return the heat sizes and algorithms of cells that are races."""
    return list(dict.fromkeys(cell[1:] for cell in cells if cell.heat_size != ALONE))


def count_reps(algorithm: str, reps: int) -> int:
    """Return how often a cell is played; adaptive play, which takes by far the longest, a quarter as often."""
    return max(1, reps // 4) if algorithm == ADAPTIVE else reps


def run_equal(
    table: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[EqualCell, EqualResult]:
    """Play all cells on the table at that path; the numbers do not depend on the workers."""
    groups: dict[tuple[int, str], list[EqualCell]] = {}
    for cell in list_equal_cells():
        groups.setdefault(cell[1:], []).append(cell)
    jobs = [(group,) for group in sorted(groups.values(), key=lambda group: group[0].algorithm != ADAPTIVE)]
    results: dict[EqualCell, EqualResult] = {}
    for done in run_jobs(partial(_play_some, table, reps, seed), jobs, workers):  # the longest first
        results |= {result.cell: result for result in done}
        tick(len(done))
    return {cell: results[cell] for cell in list_equal_cells()}


def _play_some(path: Path, reps: int, seed: int, cells: list[EqualCell]) -> list[EqualResult]:
    table = load_table(path)
    price = Price(table)
    with use_one_thread():
        return [play_equal(cell, table, price, reps, seed) for cell in cells]


def play_equal(cell: EqualCell, table: RunsTable, price: Price, reps: int, seed: int) -> EqualResult:
    """Find the budget of a cell, and play it."""
    runs = count_reps(cell.algorithm, reps)
    key = int(randomness.draw_bits(randomness.fold_seed(seed), *repr(cell).encode()) >> np.uint64(2))
    pilots = count_reps(cell.algorithm, PILOT_REPS)
    budget = find_budget(cell.time, lambda pulls: _average_cost(_play(cell, pulls, table, price, pilots, key + 1)))
    played = _play(cell, budget, table, price, runs, key)
    found = float(table.runtime.mean(axis=0)[played.winners].mean())
    return EqualResult(cell, budget, Share(played.successes, runs), found, _average_cost(played))


def find_budget(time: float, spend: Callable[[int], float]) -> int:
    """Return about the most pulls that take at most that processor time, given what so many pulls take.

    What pulls take may rise in steps: then the next step down is taken.
    """
    fits, too_many, pulls = 0, 0, FIRST_GUESS
    for _ in range(MOST_TRIES):
        spent = spend(pulls)
        if spent > time:
            too_many = pulls
        else:
            fits = pulls
            if spent >= (1 - CLOSE) * time or pulls + 1 == too_many:
                break
        guess = round(pulls * (1 - CLOSE / 2) * time / spent) if spent else 2 * pulls
        within = fits < guess < (too_many or math.inf)
        pulls = guess if within else (fits + too_many) // 2 if too_many else 2 * pulls
    return max(1, fits)


def _play(cell: EqualCell, pulls: int, table: RunsTable, price: Price, reps: int, key: int) -> Simulation:
    world = table.make_world("seconds" if cell.algorithm == HALVING else "winner")
    racer = make_racer(RaceCell(cell.heat_size, pulls, cell.algorithm))
    return simulate(racer, world, reps, key, cost=price.of_all)


def _average_cost(played: Simulation) -> float:
    assert played.costs is not None
    return float(played.costs.mean())


COLUMNS = ("time", "k", "algorithm", "B", "reps", "seed", "successes", "rate", "low", "high", "found", "cpu")


def write_equal(path: Path, results: Iterable[EqualResult], seed: int) -> None:
    """Write the numbers of the figure."""
    write_rows(path, COLUMNS, (_make_row(each, seed) for each in results))


def _make_row(each: EqualResult, seed: int) -> tuple[object, ...]:
    share = each.share
    numbers = (share.runs, seed, share.successes, *share.format())
    return (*each.cell, each.budget, *numbers, f"{each.found:.1f}", f"{each.cpu:.1f}")
