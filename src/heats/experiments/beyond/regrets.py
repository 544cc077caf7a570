"""Tournaments on recorded tables: how good the arm found is, judged by all heats that could be run on the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Array
from heats.environments import Environment, Kind, read
from heats.errors import InvalidArgument
from heats.experiments.beyond.grid import ALGORITHMS
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.kept import Kept
from heats.experiments.synthetic.grid import make_algorithm
from heats.simulation.simulate import simulate

HEAT_SIZES = (2, 4, 8)
PULLS_PER_ARM = (1, 3, 10)


class TableCell(NamedTuple):
    """One regret: a table by its name, a problem, an algorithm; its repr is part of what its numbers are drawn from."""

    table: str
    n_arms: int
    heat_size: int
    budget: int
    algorithm: str


class Regret(NamedTuple):
    """A cell, played: how much worse than the best is the arm found, where an average arm has 1."""

    cell: TableCell
    regret: float  # mean over the repetitions
    error: float  # its standard error


def find_cells(paths: Sequence[str | Path]) -> dict[Path, list[TableCell]]:
    """Return the cells of recorded tables; a folder of .npz files stands for all of them."""
    found: dict[str, Path] = {}
    for given in map(Path, paths):
        many = sorted(given.glob("*.npz")) if not (given / "description.txt").exists() else []
        for path in many or [given]:
            if found.setdefault(path.stem, path) != path:
                raise InvalidArgument(f"two tables are called {path.stem}; rename one of them.")
    return {path: _list_cells(name, read(path, feedback="winner").n_arms) for name, path in found.items()}


def _list_cells(name: str, n_arms: int) -> list[TableCell]:
    sizes = [k for k in HEAT_SIZES if k <= n_arms]
    budgets = [times * n_arms for times in PULLS_PER_ARM]
    return [TableCell(name, n_arms, *each) for each in product(sizes, budgets, ALGORITHMS)]


def run_tables(
    wanted: dict[Path, list[TableCell]], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> list[Regret]:
    """Play the cells that the CSV at ``path`` does not have; return all it has for these reps and seed."""
    known = REGRETS.read(path)
    jobs = []
    for table, cells in wanted.items():
        missing = [cell for cell in cells if (cell, reps, seed) not in known]
        tick(len(cells) - len(missing))
        parts = [[cell for cell in missing if cell.heat_size == k] for k in HEAT_SIZES]
        jobs += [(table, part) for part in parts if part]
    for done in run_jobs(partial(_run_some, reps=reps, seed=seed), jobs, workers):
        known |= {(result.cell, reps, seed): result for result in done}
        REGRETS.write(path, known)
        tick(len(done))
    return read_regrets(path, reps, seed)


def read_regrets(path: Path, reps: int, seed: int) -> list[Regret]:
    """Return the results that the CSV has for these reps and seed, of problems that all algorithms have played."""
    found = [result for key, result in REGRETS.read(path).items() if key[1:] == (reps, seed)]
    players = Counter(each.cell[:4] for each in found)
    return [each for each in found if players[each.cell[:4]] == len(ALGORITHMS)]


def _run_some(path: Path, wanted: list[TableCell], reps: int, seed: int) -> list[Regret]:
    """Play cells of one heat size."""
    world = read(path, feedback="winner")
    regrets = measure_regrets(world, wanted[0].heat_size)
    return [run_regret(cell, world, regrets, reps, seed) for cell in wanted]


def measure_regrets(world: Environment, heat_size: int) -> Array:
    """Return how much worse than the best every arm is, over how much worse arms are on average.

    By its share of wins over all heats, which is its Borda score; where rankings are told, by its mean place.
    """
    places = world.quality if world.kind is Kind.RANKING else None
    scores = world.win_shares(heat_size) if places is None else -places[1]
    lost: Array = scores.max() - scores
    return lost / (lost.mean() or 1.0)


def run_regret(cell: TableCell, world: Environment, regrets: Array, reps: int, seed: int) -> Regret:
    """Play a cell; the numbers depend on its name, the table, reps and seed only."""
    key = int(randomness.draw_bits(randomness.fold_seed(seed), *repr(cell).encode()) >> np.uint64(2))
    played = make_algorithm(cell.algorithm, *cell[1:4], winners=True)
    found = regrets[simulate(played, world, reps, key).winners]
    error = float(found.std(ddof=1) / np.sqrt(reps)) if reps > 1 else 0.0
    return Regret(cell, float(found.mean()), error)


def _make_row(cell: TableCell, reps: int, seed: int, each: Regret) -> tuple[object, ...]:
    return (*cell, reps, seed, f"{each.regret:.5f}", f"{each.error:.5f}")


def _parse_row(row: dict[str, str]) -> tuple[tuple[TableCell, int, int], Regret]:
    cell = TableCell(row["table"], int(row["n"]), int(row["k"]), int(row["B"]), row["algorithm"])
    result = Regret(cell, float(row["regret"]), float(row["error"]))
    return (cell, int(row["reps"]), int(row["seed"])), result


COLUMNS = ("table", "n", "k", "B", "algorithm", "reps", "seed", "regret", "error")
REGRETS = Kept("reproduce beyond", COLUMNS, _make_row, _parse_row)
