"""Section 6 raced for real: SAPS runs on fresh instances, pull by pull, to compare with what the table of runs says.

The parameterizations are those of the table, the instances are not. It is one cell of the figure, since every run is
made when it is asked for: k = 4 and B = 50, which takes about 10 s of processor time per repetition.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.base.text import format_table
from heats.engine.baselines import RoundRobin, SuccessiveHalving
from heats.engine.feedback import Race
from heats.engine.machine import Machine, Query
from heats.engine.tournament import Tournament
from heats.experiments import race
from heats.experiments.race import Price, RaceCell, RaceResult
from heats.experiments.race_table import ARMS, RaceTable, load
from heats.planning.plan import Plan
from heats.sat.formula import Cnf
from heats.sat.parameters import Parameters

HEAT_SIZE, BUDGET = 4, 50
REPS = 3
INSTANCES = 200  # pulls draw from so many
CUTOFF = 100_000  # steps, as in the table
TABLE_REPS = 1000


class Played(NamedTuple):
    """One tournament, in steps: who was found, the sum of the finishers' times, and that of all runs."""

    winner: int
    finishers: int
    cpu: int


class Live(NamedTuple):
    """An algorithm's races, and the same cell played on the table."""

    played: list[Played]
    recorded: RaceResult
    best: int  # the arm with the smallest mean in the table

    @property
    def successes(self) -> int:
        """How often that arm was found."""
        return sum(each.winner == self.best for each in self.played)


def run_live(
    runs: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None], budget: int = BUDGET
) -> dict[str, Live]:
    """Race every algorithm so often; the numbers do not depend on the workers."""
    recorded = load(runs)
    cells = [RaceCell(HEAT_SIZE, budget, name) for name in race.ALGORITHMS]
    played: dict[tuple[RaceCell, int], Played] = {}
    pool = ProcessPoolExecutor(workers)
    try:
        jobs = {pool.submit(play, runs, cell, seed, rep): (cell, rep) for rep in range(reps) for cell in cells}
        for future in as_completed(jobs):
            played[jobs[future]] = future.result()
            tick(1)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    price = Price(recorded)
    return {
        cell.algorithm: Live(
            [played[cell, rep] for rep in range(reps)],
            race.run_cell(cell, recorded, price, TABLE_REPS, seed),
            recorded.best,
        )
        for cell in cells
    }


def play(runs: Path, cell: RaceCell, seed: int, rep: int) -> Played:
    """Race one tournament: a heat's runs one after another, each for at most as long as the best so far."""
    recorded = _table(runs)
    machine = _machine(cell, int(randomness.draw_bits(randomness.fold_seed(seed), *repr(cell).encode(), rep)) >> 1)
    fresh = recorded.seed + 1 + seed  # other instances than those of the table
    finishers = cpu = 0
    while not machine.done:
        query = machine.ask()
        assert query is not None  # one that asks and tells in turn is owed something until it is done
        number = int(randomness.pick_below(INSTANCES, randomness.draw_bits(query.seed, Purpose.LIVE_INSTANCE)))
        first = _heat(recorded, query, _instance(fresh, number))
        taken = min(first.values(), default=CUTOFF)
        machine.tell(query, [-float(taken)] if isinstance(machine, SuccessiveHalving) else Race(first))
        finishers += taken
        cpu += taken * len(query.arms)  # as if side by side: all are stopped when the first has finished
    assert machine.winner is not None
    return Played(machine.winner, finishers, cpu)


def _heat(recorded: RaceTable, query: Query, cnf: Cnf) -> dict[int, int]:
    """Return the steps of the first to finish; none if nobody did before the cutoff."""
    from heats.sat import saps

    first: dict[int, int] = {}
    for arm in query.arms:
        key = int(randomness.draw_bits(query.seed, Purpose.LIVE_RUN, arm))
        limit = min(first.values(), default=CUTOFF)
        found = saps.solve(cnf, *Parameters(*recorded.parameters[arm].tolist()), key, limit)
        if found.solved and found.steps < limit:
            first = {arm: found.steps}
        elif found.solved:
            first[arm] = found.steps
    return first


def _machine(cell: RaceCell, seed: int) -> Machine:
    algorithm = race._algorithm(cell)
    if isinstance(algorithm, Plan):
        return Tournament(algorithm, seed=seed)
    if isinstance(algorithm, RoundRobin):
        return RoundRobin(ARMS, cell.heat_size, cell.budget, seed=seed)
    return SuccessiveHalving(ARMS, algorithm.budget, seed=seed, blind=True)


@lru_cache(maxsize=INSTANCES)
def _instance(seed: int, number: int) -> Cnf:
    from heats.sat import swgcp

    return swgcp.make_instance(number, seed).cnf


_table = lru_cache(maxsize=1)(load)

TITLES = ("algorithm", "found", "in steps", "CPU steps", "table: found", "in steps", "CPU steps")


def describe(results: dict[str, Live]) -> str:
    """Return the races beside the table's, for people."""
    reps = max(len(each.played) for each in results.values())
    budget = next(iter(results.values())).recorded.cell.budget
    rows = [
        (name, f"{each.successes} of {reps}", *_means(each), f"{each.recorded.rate:.1%}", *_costs(each.recorded))
        for name, each in results.items()
    ]
    return "\n".join(
        [
            f"Raced for real on fresh instances: k = {HEAT_SIZE}, B = {budget}, {reps} of each algorithm; beside it "
            f"the table of runs, {TABLE_REPS} of each.",
            "Found: how often the arm with the smallest mean of the table. Steps: of the finishers, and of all runs.",
            "",
            *format_table(TITLES, rows),
        ]
    )


def write_live(path: Path, results: dict[str, Live], seed: int) -> None:
    """Write every tournament that was raced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("k", "B", "algorithm", "seed", "rep", "winner", "best", "finishers", "cpu"))
        for each in results.values():
            for rep, (winner, finishers, cpu) in enumerate(each.played):
                rows.writerow((*each.recorded.cell, seed, rep, winner, each.best, finishers, cpu))


def _means(live: Live) -> tuple[str, str]:
    return (
        f"{np.mean([each.finishers for each in live.played]):,.0f}",
        f"{np.mean([each.cpu for each in live.played]):,.0f}",
    )


def _costs(result: RaceResult) -> tuple[str, str]:
    return f"{result.finishers:,.0f}", f"{result.cpu:,.0f}"
