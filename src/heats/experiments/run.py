"""Run the cells of figures on all cores, keep what is finished, and go on from there."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from heats.errors import BrokenFile
from heats.experiments.sweeps import Cell, Result, run_cell

COLUMNS = ("setting", "spread", "n", "k", "B", "algorithm", "reps", "seed", "successes", "rate", "low", "high")

Found = TypeVar("Found")
Known = dict[tuple[Cell, int, int], Result]  # by cell, reps and seed


def run_cells(
    wanted: Iterable[Cell], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[Cell, Result]:
    """Return the results of all cells, running those that the CSV at ``path`` does not have for these reps and seed.

    Whatever else the file holds stays there.
    """
    cells = list(wanted)
    known = read_cells(path)
    missing = [cell for cell in cells if (cell, reps, seed) not in known]
    tick(len(cells) - len(missing))
    jobs = [(missing[i : i + 7],) for i in range(0, len(missing), 7)]
    try:
        for number, done in enumerate(spread(partial(_run_some, reps=reps, seed=seed), jobs, workers), 1):
            known |= {(result.cell, reps, seed): result for result in done}
            tick(len(done))
            if number % 20 == 0:
                _save(path, known)
    finally:  # an error or Ctrl-C: what is finished is kept
        if missing:
            _save(path, known)
    return {cell: known[cell, reps, seed] for cell in cells}


def spread(job: Callable[..., Found], jobs: Iterable[tuple[Any, ...]], workers: int) -> Iterator[Found]:
    """Yield what the jobs return, as they finish on so many processes; after an error or Ctrl-C the rest is dropped."""
    pool = ProcessPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(job, *each) for each in jobs]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _run_some(cells: list[Cell], reps: int, seed: int) -> list[Result]:
    return [run_cell(cell, reps, seed) for cell in cells]


def write_cells(path: Path, results: dict[Cell, Result], seed: int) -> None:
    """Write the numbers of one figure."""
    _save(path, {(cell, result.reps, seed): result for cell, result in results.items()})


def _save(path: Path, known: Known) -> None:
    """Write all rows, in the order of their names, to a new file that then takes the old one's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    with fresh.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for cell, reps, seed in sorted(known):
            result = known[cell, reps, seed]
            low, high = result.interval
            table.writerow((*cell, reps, seed, result.successes, f"{result.rate:.4f}", f"{low:.4f}", f"{high:.4f}"))
    fresh.replace(path)


def read_cells(path: Path) -> Known:
    """Read them again, by cell, reps and seed; nothing where there is no file."""
    if not path.exists():
        return {}
    known: Known = {}
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                cell = Cell(
                    row["setting"], row["spread"], int(row["n"]), int(row["k"]), int(row["B"]), row["algorithm"]
                )
                reps, seed = int(row["reps"]), int(row["seed"])
                known[cell, reps, seed] = Result(cell, reps, int(row["successes"]))
            except (KeyError, ValueError, TypeError):
                raise BrokenFile(f"{path}, line {number}: no result of heats reproduce; move the file away.") from None
    return known
