"""Cells → results on all cores; what is finished is kept in a CSV, and a run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.kept import Kept
from heats.experiments.shared.verdicts import Share
from heats.experiments.synthetic.grid import Cell, Result, run_cell

JOB_CELLS = 7
JOBS_PER_SAVE = 20


def run_cells(
    wanted: Iterable[Cell], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[Cell, Result]:
    """Return the results of all cells, running those that the CSV at ``path`` does not have for these reps and seed.

    Whatever else the file holds stays there.
    """
    cells = list(wanted)
    known = CELLS.read(path)
    missing = [cell for cell in cells if (cell, reps, seed) not in known]
    tick(len(cells) - len(missing))
    jobs = [(missing[i : i + JOB_CELLS],) for i in range(0, len(missing), JOB_CELLS)]
    try:
        for number, done in enumerate(run_jobs(partial(_run_some, reps=reps, seed=seed), jobs, workers), 1):
            known |= {(result.cell, reps, seed): result for result in done}
            tick(len(done))
            if number % JOBS_PER_SAVE == 0:
                CELLS.write(path, known)
    finally:  # an error or Ctrl-C: what is finished is kept
        if missing:
            CELLS.write(path, known)
    return {cell: known[cell, reps, seed] for cell in cells}


def _run_some(cells: list[Cell], reps: int, seed: int) -> list[Result]:
    return [run_cell(cell, reps, seed) for cell in cells]


def write_cells(path: Path, results: dict[Cell, Result], seed: int) -> None:
    """Write the numbers of one figure."""
    CELLS.write(path, {(cell, result.share.runs, seed): result for cell, result in results.items()})


def _make_row(cell: Cell, reps: int, seed: int, result: Result) -> tuple[object, ...]:
    return (*cell, reps, seed, result.share.successes, *result.share.format())


def _parse_row(row: dict[str, str]) -> tuple[tuple[Cell, int, int], Result]:
    cell = Cell(row["setting"], row["spread"], int(row["n"]), int(row["k"]), int(row["B"]), row["algorithm"])
    reps = int(row["reps"])
    return (cell, reps, int(row["seed"])), Result(cell, Share(int(row["successes"]), reps))


COLUMNS = ("setting", "spread", "n", "k", "B", "algorithm", "reps", "seed", "successes", "rate", "low", "high")
CELLS = Kept("reproduce", COLUMNS, _make_row, _parse_row)
