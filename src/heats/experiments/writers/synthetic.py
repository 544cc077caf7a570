"""The files of the synthetic experiments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

from heats.experiments.experiment import Context
from heats.experiments.shared.csv_files import write_rows
from heats.experiments.shared.drawing import save_figure
from heats.experiments.synthetic import sufficient
from heats.experiments.synthetic.cells import write_cells
from heats.experiments.synthetic.figures import draw_success
from heats.experiments.synthetic.grid import ARMS, GAP, HEAT_SIZES, list_cells
from heats.theory.tables import paper_tables

DELTA = 0.05  # the chance to be wrong that the tables are for
FEEDBACK: tuple[Literal["winner", "reward"], ...] = ("winner", "reward")
SIGMA = 0.2  # the largest deviation in the synthetic worlds


def write_success(setting: str, context: Context) -> list[Path]:
    """Write the figure of a setting and its numbers."""
    stem = context.out / f"fig-{setting}"
    results = {cell: context.results[cell] for cell in list_cells(setting)}
    drawn = save_figure(draw_success(setting, "deviation", results), stem)
    write_cells(stem.with_suffix(".csv"), results, context.seed)
    return [*drawn, stem.with_suffix(".csv")]


def write_sufficient_budgets(context: Context) -> list[Path]:
    """Write the figure of sufficient budgets and its numbers."""
    stem = context.out / "fig-budgets"
    drawn = save_figure(sufficient.draw_budgets(), stem)
    rows = (
        (rule, k, *row)
        for rule, k in product(sufficient.RULES, sufficient.SIZES)
        for row in sufficient.list_budgets(rule, k)
    )
    write_rows(stem.with_suffix(".csv"), ("algorithm", "k", "n", "R", "R P_1"), rows)
    return [*drawn, stem.with_suffix(".csv")]


def write_tables(context: Context) -> list[Path]:
    """Write Tables 1-4 for the grid's n and k, gap 0.1 and δ = 0.05."""
    path = context.out / "tables.csv"
    write_rows(path, ("table", "feedback", "n", "k", "algorithm", "quantity", "value"), _list_table_rows())
    return [path]


def _list_table_rows() -> Iterator[tuple[object, ...]]:
    for n, k, feedback in product(ARMS, HEAT_SIZES, FEEDBACK):
        for title, rows in paper_tables(n, k, GAP, DELTA, feedback, SIGMA).items():
            number = title.partition(":")[0]
            for row in rows:
                for quantity, value in row.values.items():
                    yield number, feedback, n, k, row.algorithm, quantity, value
