"""The files of ``standings``."""

from __future__ import annotations

from pathlib import Path

from heats.experiments.experiment import Context
from heats.experiments.shared.drawing import save_figure
from heats.experiments.standings.figure import draw_reliability
from heats.experiments.standings.page import make_standings_page
from heats.experiments.standings.results import run_worlds
from heats.experiments.standings.worlds import list_worlds


def count_runs(context: Context) -> int:
    """Return how many runs are played in all worlds."""
    return sum(world.count_runs(context.reps) for world in list_worlds())


def write_standings(context: Context) -> list[Path]:
    """Play in all worlds, and write how often the chance stated for the winner is right."""
    stem = context.out / "standings"
    numbers, page = stem.with_suffix(".csv"), stem.with_suffix(".md")
    results = run_worlds(list_worlds(), numbers, context.reps, context.seed, context.workers, context.tick)
    page.write_text(make_standings_page(results, context.reps, context.seed), encoding="utf-8")
    return [numbers, *save_figure(draw_reliability(results), stem), page]
