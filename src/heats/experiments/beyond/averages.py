"""Results and regrets → their means, by algorithm."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from heats.experiments.beyond.grid import ALGORITHMS
from heats.experiments.beyond.regrets import Regret
from heats.experiments.synthetic.grid import Cell, Result, list_cells


def average_success(results: dict[Cell, Result], setting: str) -> dict[str, float]:
    """Return the mean success of every algorithm over the 50 problems of a setting."""
    return {
        name: float(np.mean([results[cell].rate for cell in list_cells(setting, algorithms=(name,))]))
        for name in ALGORITHMS
    }


def average_regrets(regrets: Iterable[Regret]) -> dict[str, dict[str, float]]:
    """Return the mean regret over k and B, by table and algorithm."""
    parts: dict[str, dict[str, list[float]]] = {}
    for (table, *_, name), regret, _ in regrets:
        parts.setdefault(table, {each: [] for each in ALGORITHMS})[name].append(regret)
    return {table: {name: float(np.mean(part)) for name, part in row.items()} for table, row in parts.items()}
