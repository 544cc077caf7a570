"""Results and regrets → their means, by algorithm; outcomes of duels → their means, by family or table."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from heats.experiments.beyond.duels import Duel, Outcome
from heats.experiments.beyond.grid import ALGORITHMS
from heats.experiments.beyond.regrets import Regret
from heats.experiments.shared.verdicts import BEYOND_MANY, compare
from heats.experiments.synthetic.grid import Cell, Result, list_cells

Key = TypeVar("Key", bound=Hashable)


class Average(NamedTuple):
    """The mean of several duels."""

    adaptive: float
    planned: float
    gain: float
    error: float  # standard error of the gain

    @property
    def sign(self) -> int:
        """1 if adaptive play is ahead beyond chance, -1 if it is behind, else 0."""
        return compare(self.gain, self.error, BEYOND_MANY)


def average_success(results: dict[Cell, Result], setting: str) -> dict[str, float]:
    """Return the mean success of every algorithm over the 50 problems of a setting."""
    return {
        name: float(np.mean([results[cell].share.rate for cell in list_cells(setting, algorithms=(name,))]))
        for name in ALGORITHMS
    }


def average_regrets(regrets: Iterable[Regret]) -> dict[str, dict[str, float]]:
    """Return the mean regret over k and B, by table and algorithm."""
    parts: dict[str, dict[str, list[float]]] = {}
    for (table, *_, name), regret, _ in regrets:
        parts.setdefault(table, {each: [] for each in ALGORITHMS})[name].append(regret)
    return {table: {name: float(np.mean(part)) for name, part in row.items()} for table, row in parts.items()}


def average_duels(outcomes: Sequence[Outcome]) -> Average:
    """Return the means of duels, every problem counted once however often it was played."""
    rows = [(each.adaptive, each.planned, each.gain) for each in outcomes]
    adaptive, planned, gain = np.mean(rows, axis=0).tolist()
    return Average(adaptive, planned, gain, math.hypot(*(each.error for each in outcomes)) / len(outcomes))


def group_duels(outcomes: Iterable[Outcome], key: Callable[[Duel], Key]) -> dict[Key, list[Outcome]]:
    """Return the outcomes by what ``key`` says of their duels."""
    groups: dict[Key, list[Outcome]] = {}
    for each in outcomes:
        groups.setdefault(key(each.duel), []).append(each)
    return groups
