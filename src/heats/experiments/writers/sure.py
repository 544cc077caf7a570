"""The files of ``sure``."""

from __future__ import annotations

from pathlib import Path

from heats.experiments.experiment import Context
from heats.experiments.sure.page import make_sure_page
from heats.experiments.sure.results import run_worlds
from heats.experiments.sure.runs import list_worlds


def count_sure_runs(context: Context) -> int:
    """Return how many runs are played in all worlds."""
    return sum(world.count_runs(context.reps) for world in list_worlds())


def write_sure(context: Context) -> list[Path]:
    """Play in all worlds, and write how often runs that stopped early are right, and what they save."""
    numbers, page = context.out / "sure.csv", context.out / "sure.md"
    results = run_worlds(list_worlds(), numbers, context.reps, context.seed, context.workers, context.tick)
    page.write_text(make_sure_page(results, context.reps, context.seed), encoding="utf-8")
    return [numbers, page]
