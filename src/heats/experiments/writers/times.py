"""The files of ``times``."""

from __future__ import annotations

from pathlib import Path

from heats.environments import read
from heats.experiments.experiment import Context
from heats.experiments.times.page import make_times_page
from heats.experiments.times.study import find_tables, list_times_cells, run_times


def count_times_cells(context: Context) -> int:
    """Return how many cells are played on all tables."""
    return sum(len(list_times_cells(name, read(path).n_arms)) for name, path in find_tables(context.tables).items())


def write_times(context: Context) -> list[Path]:
    """Race on all tables, and write how often each way to look finds the smallest mean."""
    numbers, page = context.out / "times.csv", context.out / "times.md"
    tables = find_tables(context.tables)
    results = run_times(tables, numbers, context.reps, context.seed, context.workers, context.tick)
    page.write_text(make_times_page(results, context.reps, context.seed), encoding="utf-8")
    return [numbers, page]
