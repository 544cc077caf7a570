"""The files of ``beyond``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heats.experiments.beyond import figures
from heats.experiments.beyond.budgets import STEPS, Needed, find_budgets, list_searches, write_budgets
from heats.experiments.beyond.duels import Outcome, find_duels
from heats.experiments.beyond.fights import count_looks, fight_duels, read_duels
from heats.experiments.beyond.grid import ALGORITHMS, SETTINGS, list_all
from heats.experiments.beyond.page import make_beyond_page
from heats.experiments.beyond.regrets import Regret, run_tables
from heats.experiments.experiment import Context
from heats.experiments.shared.drawing import save_figure
from heats.experiments.synthetic.cells import write_cells
from heats.experiments.synthetic.figures import draw_success
from heats.experiments.synthetic.grid import Cell, Result


def count_points(context: Context) -> int:
    """Return how much is played: the grid, every step of the search for budgets, the recorded tables, all duels."""
    tables = sum(map(len, context.tables.values()))
    return len(list_all()) + STEPS * len(list_searches()) + tables + len(find_duels(context.tables))


def write_beyond(context: Context) -> list[Path]:
    """Play planned beside the paper's algorithms, and adaptive play beside planned; draw and write what came of it.

    Tables that were played before are not forgotten.
    """
    out, reps, seed = context.out, context.reps, context.seed
    results = context.run_cells(list_all())
    needed = find_budgets(context.run_cells)
    tables = out / "beyond-tables.csv"
    regrets = run_tables(context.tables, tables, reps, seed, context.workers, context.tick)
    write_cells(out / "beyond.csv", results, seed)
    write_budgets(out / "beyond-budget.csv", needed, reps, seed)
    adaptive = out / "beyond-adaptive.csv"
    duels = _fight_twice(context, adaptive)
    numbers = [context.cells_file, out / "beyond.csv", out / "beyond-budget.csv", *([tables] if regrets else [])]
    numbers.append(adaptive)
    drawn = _draw_all(out, results, needed, regrets)
    page = out / "beyond.md"
    page.write_text(make_beyond_page(results, needed, regrets, duels, reps, seed), encoding="utf-8")
    return [*numbers, *drawn, page]


def _fight_twice(context: Context, path: Path) -> list[Outcome]:
    """Fight all duels, and again those in which adaptive play seems behind."""
    wanted = find_duels(context.tables)
    once, again = count_looks(context.reps)
    found = fight_duels(wanted, path, once, context.seed, context.workers, context.tick)
    doubtful = {duel: table for duel, table in wanted.items() if found[duel].sign < 0}
    context.points += len(doubtful)
    fight_duels(doubtful, path, again, context.seed, context.workers, context.tick)
    return read_duels(path, context.reps, context.seed)


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
