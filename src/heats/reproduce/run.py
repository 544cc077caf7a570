"""Run the cells of figures on all cores, keep what is finished, and go on from there."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from heats.errors import BrokenFile
from heats.reproduce.sweeps import Cell, Result, run_cell

COLUMNS = ("setting", "spread", "n", "k", "B", "algorithm", "reps", "seed", "successes", "rate", "low", "high")


def run_cells(
    wanted: Iterable[Cell], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[Cell, Result]:
    """Return the results of all cells, running those that the CSV at ``path`` does not have for these reps and seed."""
    todo = list(wanted)
    results = {cell: found for cell, found in _load(path, reps, seed).items() if cell in set(todo)}
    missing = [cell for cell in todo if cell not in results]
    tick(len(results))
    try:
        with ProcessPoolExecutor(workers) as pool:
            futures = [
                pool.submit(partial(_run_some, reps=reps, seed=seed), missing[i : i + 7])
                for i in range(0, len(missing), 7)
            ]
            for number, future in enumerate(as_completed(futures), 1):
                done = future.result()
                results |= {result.cell: result for result in done}
                tick(len(done))
                if number % 20 == 0:
                    _save(path, results, seed)
    finally:
        _save(path, results, seed)
    return {cell: results[cell] for cell in todo}


def _run_some(cells: list[Cell], reps: int, seed: int) -> list[Result]:
    return [run_cell(cell, reps, seed) for cell in cells]


def _save(path: Path, results: dict[Cell, Result], seed: int) -> None:
    """Write all rows, in the order of their names, to a new file that then takes the old one's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    with fresh.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for cell in sorted(results):
            result = results[cell]
            low, high = result.interval
            table.writerow(
                (*cell, result.reps, seed, result.successes, f"{result.rate:.4f}", f"{low:.4f}", f"{high:.4f}")
            )
    fresh.replace(path)


def _load(path: Path, reps: int, seed: int) -> dict[Cell, Result]:
    if not path.exists():
        return {}
    found: dict[Cell, Result] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                cell = Cell(
                    row["setting"], row["spread"], int(row["n"]), int(row["k"]), int(row["B"]), row["algorithm"]
                )
                if (int(row["reps"]), int(row["seed"])) == (reps, seed):
                    found[cell] = Result(cell, reps, int(row["successes"]))
            except (KeyError, ValueError, TypeError):
                raise BrokenFile(f"{path}, line {number}: no result of heats reproduce; move the file away.") from None
    return found
