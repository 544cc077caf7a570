"""Section 6 raced for real: SAPS runs on fresh instances, pull by pull, to compare with what the table of runs says.

The parameterizations are those of the table, the instances are not. It is one cell of the figure, since every run is
made when it is asked for: k = 4 and B = 50, which takes about 10 s of processor time per repetition.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.engine.baselines import SuccessiveHalving
from heats.engine.feedback import Race
from heats.engine.machine import Machine, Query
from heats.engine.specs import TournamentSpec
from heats.experiments.saps.race import ALGORITHMS, Price, RaceCell, RaceResult, make_racer, run_race
from heats.experiments.saps.runs_table import CUTOFF_STEPS, RunsTable, load_table
from heats.experiments.shared.jobs import run_jobs
from heats.planning.plan import Plan
from heats.sat.formula import Cnf
from heats.sat.parameters import Parameters

HEAT_SIZE, BUDGET = 4, 50
REPS = 3
INSTANCES = 200  # that pulls draw from
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
    """Race every algorithm ``reps`` times; the numbers do not depend on the workers."""
    recorded = load_table(runs)
    cells = [RaceCell(HEAT_SIZE, budget, name) for name in ALGORITHMS]
    played: dict[tuple[RaceCell, int], Played] = {}
    for rep, cell, found in run_jobs(partial(_play_job, runs, seed), product(range(reps), cells), workers):
        played[cell, rep] = found
        tick(1)
    price = Price(recorded)
    return {
        cell.algorithm: Live(
            [played[cell, rep] for rep in range(reps)],
            run_race(cell, recorded, price, TABLE_REPS, seed),
            recorded.best,
        )
        for cell in cells
    }


def _play_job(runs: Path, seed: int, rep: int, cell: RaceCell) -> tuple[int, RaceCell, Played]:
    return rep, cell, play_live(runs, cell, seed, rep)


def play_live(runs: Path, cell: RaceCell, seed: int, rep: int) -> Played:
    """Race one tournament: a heat's runs one after another, each for at most as long as the best so far."""
    recorded = _load_once(runs)
    machine = _make_machine(cell, int(randomness.draw_bits(randomness.fold_seed(seed), *repr(cell).encode(), rep)) >> 1)
    fresh = recorded.seed + 1 + seed  # other instances than those of the table
    finishers = cpu = 0
    while not machine.done:
        query = machine.ask()
        assert query is not None  # one that asks and tells in turn is owed something until it is done
        number = int(randomness.pick_below(INSTANCES, randomness.draw_bits(query.seed, Purpose.LIVE_INSTANCE)))
        first = race_heat(recorded, query, _make_instance(fresh, number))
        taken = min(first.values(), default=CUTOFF_STEPS)
        machine.tell(query, [-float(taken)] if isinstance(machine, SuccessiveHalving) else Race(first))
        finishers += taken
        cpu += taken * len(query.arms)  # as if side by side: all are stopped when the first has finished
    assert machine.winner is not None
    return Played(machine.winner, finishers, cpu)


def race_heat(recorded: RunsTable, query: Query, cnf: Cnf) -> dict[int, int]:
    """Return the steps of the first to finish; none if nobody did before the cutoff."""
    from heats.sat import saps

    first: dict[int, int] = {}
    for arm in query.arms:
        key = int(randomness.draw_bits(query.seed, Purpose.LIVE_RUN, arm))
        limit = min(first.values(), default=CUTOFF_STEPS)
        found = saps.solve(cnf, *Parameters(*recorded.parameters[arm].tolist()), key, limit)
        if found.solved and found.steps < limit:
            first = {arm: found.steps}
        elif found.solved:
            first[arm] = found.steps
    return first


def _make_machine(cell: RaceCell, seed: int) -> Machine:
    algorithm = make_racer(cell)
    spec = TournamentSpec(algorithm) if isinstance(algorithm, Plan) else algorithm.spec
    return Machine.from_spec(spec, seed=seed)


@lru_cache(maxsize=INSTANCES)
def _make_instance(seed: int, number: int) -> Cnf:
    from heats.sat import swgcp

    return swgcp.make_instance(number, seed).cnf


_load_once = lru_cache(maxsize=1)(load_table)
