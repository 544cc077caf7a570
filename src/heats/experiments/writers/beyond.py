"""The files of ``beyond``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heats.experiments.beyond import figures
from heats.experiments.beyond.budgets import STEPS, Needed, find_budgets, list_searches, write_budgets
from heats.experiments.beyond.grid import ALGORITHMS, SETTINGS, list_all
from heats.experiments.beyond.page import make_beyond_page
from heats.experiments.beyond.regrets import Regret, run_tables
from heats.experiments.experiment import Context
from heats.experiments.shared.drawing import save_figure
from heats.experiments.synthetic.cells import write_cells
from heats.experiments.synthetic.figures import draw_success
from heats.experiments.synthetic.grid import Cell, Result


def count_points(context: Context) -> int:
    """Return how many numbers are played: the grid, every step of the search for budgets, and the recorded tables."""
    return len(list_all()) + STEPS * len(list_searches()) + sum(map(len, context.tables.values()))


def write_beyond(context: Context) -> list[Path]:
    """Play planned beside the paper's algorithms; draw and write what came of it, with all tables ever played."""
    out, reps, seed = context.out, context.reps, context.seed
    results = context.run_cells(list_all())
    needed = find_budgets(context.run_cells)
    tables = out / "beyond-tables.csv"
    regrets = run_tables(context.tables, tables, reps, seed, context.workers, context.tick)
    write_cells(out / "beyond.csv", results, seed)
    write_budgets(out / "beyond-budget.csv", needed, reps, seed)
    numbers = [context.cells_file, out / "beyond.csv", out / "beyond-budget.csv", *([tables] if regrets else [])]
    drawn = _draw_all(out, results, needed, regrets)
    page = out / "beyond.md"
    page.write_text(make_beyond_page(results, needed, regrets, reps, seed), encoding="utf-8")
    return [*numbers, *drawn, page]


def _draw_all(
    out: Path, results: dict[Cell, Result], needed: Sequence[Needed], regrets: Sequence[Regret]
) -> list[Path]:
    drawn = save_figure(figures.draw_means(results), out / "beyond")
    drawn += save_figure(figures.draw_budgets(needed), out / "beyond-budget")
    for setting in SETTINGS:
        drawn += save_figure(draw_success(setting, "deviation", results, ALGORITHMS), out / f"beyond-{setting}")
    if regrets:
        drawn += save_figure(figures.draw_regrets(regrets), out / "beyond-tables")
    return drawn
