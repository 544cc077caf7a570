"""Races for real → a table beside the recorded ones, and their CSV."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from heats.base.text import format_table
from heats.experiments.saps.live import HEAT_SIZE, TABLE_REPS, Live
from heats.experiments.saps.race import RaceResult
from heats.experiments.shared.csv_files import write_rows

TITLES = ("algorithm", "found", "in steps", "CPU steps", "table: found", "in steps", "CPU steps")


def describe_live(results: dict[str, Live]) -> str:
    """Return the races beside the table's, for people."""
    reps = max(len(each.played) for each in results.values())
    budget = next(iter(results.values())).recorded.cell.budget
    rows = [
        (
            name,
            f"{each.successes} of {reps}",
            *_average_costs(each),
            f"{each.recorded.share.rate:.1%}",
            *_format_costs(each.recorded),
        )
        for name, each in results.items()
    ]
    return "\n".join(
        [
            f"Raced for real on fresh instances: k = {HEAT_SIZE}, B = {budget}, {reps} of each algorithm; beside it "
            f"the table of runs, {TABLE_REPS} of each.",
            "Found: how often the arm with the smallest mean of the table. Steps: of the finishers, and of all runs.",
            "",
            *format_table(TITLES, rows),
        ]
    )


def write_live(path: Path, results: dict[str, Live], seed: int) -> None:
    """Write every tournament that was raced."""
    rows = (
        (*each.recorded.cell, seed, rep, winner, each.best, finishers, cpu)
        for each in results.values()
        for rep, (winner, finishers, cpu) in enumerate(each.played)
    )
    write_rows(path, ("k", "B", "algorithm", "seed", "rep", "winner", "best", "finishers", "cpu"), rows)


def _average_costs(live: Live) -> tuple[str, str]:
    return (
        f"{np.mean([each.finishers for each in live.played]):,.0f}",
        f"{np.mean([each.cpu for each in live.played]):,.0f}",
    )


def _format_costs(result: RaceResult) -> tuple[str, str]:
    return f"{result.finishers:,.0f}", f"{result.cpu:,.0f}"
