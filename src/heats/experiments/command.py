"""Names → experiments → files: check, play what several need once, then let each write its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from heats.base import randomness
from heats.base.checks import whole
from heats.errors import InvalidArgument
from heats.experiments.beyond.regrets import find_cells
from heats.experiments.experiment import Context, Experiment
from heats.experiments.registry import check_tables, choose_experiments
from heats.experiments.saps import live as live_races
from heats.experiments.saps.equal import list_equal_cells
from heats.experiments.saps.live_report import describe_live, write_live
from heats.experiments.saps.race import ALGORITHMS, list_races
from heats.experiments.saps.runs_table import find_table
from heats.experiments.shared.drawing import check_matplotlib
from heats.experiments.shared.jobs import count_workers
from heats.experiments.writers.saps import play_equal_races, play_races

Progress = Callable[[int, int], None]


def reproduce(
    names: Sequence[str],
    out: Path,
    reps: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
    tables: Sequence[str | Path] = (),
) -> list[Path]:
    """Make the figures and tables called ``names`` (or all) under ``out``; return the files written.

    ``tables`` are recorded ones, files or folders, on which ``beyond`` and ``times`` play as well.
    """
    whole("reps", reps, 1)
    randomness.fold_seed(seed)
    cores = count_workers(workers)
    wanted = choose_experiments(names)
    check_tables(wanted, tables)
    experiments = list(wanted.values())
    context = Context(out, reps, seed, cores, tuple(names), find_cells(tables), progress)
    if any(each.needs_matplotlib for each in experiments):
        check_matplotlib()
    for each in experiments:
        each.prepare(context)
    written = _play_shared(experiments, context)
    for each in experiments:
        written += each.write(context)
    return list(dict.fromkeys(written))


def _play_shared(experiments: Iterable[Experiment], context: Context) -> list[Path]:
    """Play once what several experiments may need; return the file that keeps it."""
    cells = list(dict.fromkeys(cell for each in experiments for cell in each.cells()))
    races = any(each.races for each in experiments)
    context.points = len(cells) + (len(list_races()) + len(list_equal_cells()) if races else 0)
    context.points += sum(each.points(context) for each in experiments)
    if cells:
        context.results = context.run_cells(cells)
    if races:
        context.races, context.equal = play_races(context), play_equal_races(context)
    return [context.cells_file] if cells else []


def live(
    names: Sequence[str],
    out: Path,
    reps: int = live_races.REPS,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> tuple[str, Path]:
    """Race Section 6 for real; return what came of it in words, and the file with every tournament."""
    if list(names) != ["fig-race"]:
        raise InvalidArgument("only fig-race can be raced live, and alone; make the others without.", names=names)
    whole("reps", reps, 1)
    randomness.fold_seed(seed)
    cores = count_workers(workers)
    context = Context(out, reps, seed, cores, tuple(names), progress=progress, points=reps * len(ALGORITHMS))
    found = live_races.run_live(find_table(out), reps, seed, cores, context.tick)
    write_live(out / "fig-race-live.csv", found, seed)
    return describe_live(found), out / "fig-race-live.csv"
