"""The files of Section 6."""

from __future__ import annotations

from pathlib import Path

from heats.experiments.experiment import Context
from heats.experiments.saps.equal import EqualCell, EqualResult, run_equal, write_equal
from heats.experiments.saps.figure import draw_equal, draw_races
from heats.experiments.saps.race import RaceCell, RaceResult, run_races, write_races
from heats.experiments.saps.runs_table import FILE_NAME, find_table, make_table
from heats.experiments.shared.drawing import save_figure

RACE_CSV, EQUAL_CSV = "fig-race.csv", "fig-race-cpu.csv"


def play_races(context: Context) -> dict[RaceCell, RaceResult]:
    """Play all races, and write their numbers."""
    table = find_table(context.out)
    races = run_races(table, context.reps, context.seed, context.workers, context.tick)
    write_races(context.out / RACE_CSV, races.values(), context.seed)
    return races


def play_equal_races(context: Context) -> dict[EqualCell, EqualResult]:
    """Play them over processor times, and write their numbers."""
    table = find_table(context.out)
    played = run_equal(table, context.reps, context.seed, context.workers, context.tick)
    write_equal(context.out / EQUAL_CSV, played.values(), context.seed)
    return played


def write_race(context: Context) -> list[Path]:
    """Write the figures of the races; their numbers are there."""
    drawn = save_figure(draw_races(context.races), context.out / "fig-race")
    drawn += save_figure(draw_equal(context.equal), context.out / "fig-race-cpu")
    return [*drawn, context.out / RACE_CSV, context.out / EQUAL_CSV]


def make_runs(context: Context) -> None:
    """Make the table of runs anew: races that are asked for as well are run on it."""
    make_table(context.out, context.seed, context.workers, context.progress)


def name_runs(context: Context) -> list[Path]:
    """Return the table that was made."""
    return [context.out / FILE_NAME]
