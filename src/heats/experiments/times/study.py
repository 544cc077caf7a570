"""Tables of times → how often each way to look finds the smallest mean; a cell that is finished is kept in a CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Array, Indices
from heats.base.threads import use_one_thread
from heats.environments import RuntimeTable, read
from heats.experiments.saps.runs_table import SHIPPED
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.kept import Kept
from heats.experiments.shared.verdicts import Share
from heats.experiments.times.estimates import LOOKS
from heats.experiments.times.raced import Track, choose

HEAT_SIZES = (2, 4, 8)
PULLS_PER_ARM = (3, 10)
MOST_ARMS = 20  # of a table: more take too long
AT_RANDOM, HALVING = DEALS = ("all take turns", "halving")
JOB_RACES = 100
SAPS = "saps"


class TimesCell(NamedTuple):
    """A problem on a table; its repr is part of what its numbers are drawn from."""

    table: str
    n_arms: int
    heat_size: int
    budget: int
    dealt: str  # one of DEALS
    look: str  # one of LOOKS


class TimesResult(NamedTuple):
    """A cell, played."""

    cell: TimesCell
    share: Share  # of the races that found the smallest mean
    regret: float  # how much longer than the smallest the mean found is; an arm taken at random has 1 on average
    error: float  # the standard error of that


def find_tables(paths: Iterable[Path]) -> dict[str, Path]:
    """Return the tables to race on by name: that of Section 6, and all files with times of 8 to 20 arms."""
    found = {SAPS: SHIPPED}
    for path in paths:
        world = read(path)
        if isinstance(world, RuntimeTable) and max(HEAT_SIZES) <= world.n_arms <= MOST_ARMS:
            found[path.stem] = path
    return found


def list_times_cells(table: str, n_arms: int) -> list[TimesCell]:
    """Return the cells of a table."""
    budgets = [times * n_arms for times in PULLS_PER_ARM]
    return [TimesCell(table, n_arms, *each) for each in product(HEAT_SIZES, budgets, DEALS, LOOKS)]


def run_times(
    tables: dict[str, Path], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> list[TimesResult]:
    """Play the cells that the CSV at ``path`` does not have; return all it has for these reps and seed."""
    known = TIMES.read(path)
    jobs = []
    for name, table in tables.items():
        cells = list_times_cells(name, read(table).n_arms)
        missing = [cell for cell in cells if (cell, reps, seed) not in known]
        tick(len(cells) - len(missing))
        jobs += [(table, [cell for cell in missing if cell[:4] == each]) for each in {cell[:4]: 0 for cell in missing}]
    for done in run_jobs(partial(_play_some, reps=reps, seed=seed), jobs, workers):
        known |= {(result.cell, reps, seed): result for result in done}
        TIMES.write(path, known)
        tick(len(done))
    return [result for (_, *made), result in sorted(known.items()) if made == [reps, seed]]


def _play_some(path: Path, cells: Sequence[TimesCell], reps: int, seed: int) -> list[TimesResult]:
    world = read(path)
    assert isinstance(world, RuntimeTable)  # others were left out
    with use_one_thread():
        return [play_cell(cell, world, reps, seed) for cell in cells]


def play_cell(cell: TimesCell, world: RuntimeTable, reps: int, seed: int) -> TimesResult:
    """Play a cell; all ways to look are shown the same heats, as long as these do not depend on what was seen."""
    found = np.concatenate([_find(cell, world, seed, start, reps) for start in range(0, reps, JOB_RACES)])
    regrets = measure_time_regrets(world.mean_seconds)[found]
    error = regrets.std(ddof=1) / np.sqrt(reps) if reps > 1 else 0.0
    share = Share(int((found == world.best).sum()), reps)
    return TimesResult(cell, share, round(float(regrets.mean()), 5), round(float(error), 5))


def _find(cell: TimesCell, world: RuntimeTable, seed: int, start: int, reps: int) -> Indices:
    """Return the arms that were found in some races."""
    key = randomness.draw_bits(randomness.fold_seed(seed), *repr(cell[:-1]).encode(), start)
    rng = np.random.Generator(np.random.SFC64(int(key)))
    track, look, races = Track(world), LOOKS[cell.look], min(JOB_RACES, reps - start)
    if cell.dealt == HALVING:
        raced, left = track.race_halving(look, races, cell.heat_size, cell.budget, rng)
    else:
        raced = track.race_all(races, cell.heat_size, cell.budget, rng)
        left = np.tile(np.arange(world.n_arms), (races, 1))
    return choose(look(raced), left, 1)[:, 0]


def measure_time_regrets(means: Array) -> Array:
    """Return how much larger than the smallest every mean is, over how much larger they are on average."""
    lost: Array = means - means.min()
    return lost / (lost.mean() or 1.0)


def _make_row(cell: TimesCell, reps: int, seed: int, each: TimesResult) -> tuple[object, ...]:
    return (*cell, reps, seed, each.share.successes, *each.share.format(), f"{each.regret:.5f}", f"{each.error:.5f}")


def _parse_row(row: dict[str, str]) -> tuple[tuple[TimesCell, int, int], TimesResult]:
    n_arms, heat_size, budget, reps = (int(row[name]) for name in ("n", "k", "B", "reps"))
    cell = TimesCell(row["table"], n_arms, heat_size, budget, row["dealt"], row["look"])
    result = TimesResult(cell, Share(int(row["successes"]), reps), float(row["regret"]), float(row["error"]))
    return (cell, reps, int(row["seed"])), result


COLUMNS = (
    *("table", "n", "k", "B", "dealt", "look", "reps", "seed"),
    *("successes", "rate", "low", "high", "regret", "error"),
)
TIMES = Kept("reproduce times", COLUMNS, _make_row, _parse_row)
