"""The smallest budget with 90 % success, for every problem and algorithm, by bisection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import NamedTuple

from heats.experiments.beyond.grid import ALGORITHMS
from heats.experiments.shared.csv_files import write_rows
from heats.experiments.synthetic.grid import ARMS, HEAT_SIZES, Cell, Result

WANTED = 0.9
SEARCHED = ("reward", "preference")
STEPS = 6  # of a bisection
BUDGETS = tuple(round(10 * 1.105**i) for i in range(2**STEPS - 1))  # 10 to 4876


class Search(NamedTuple):
    """What a budget is looked for."""

    setting: str
    n_arms: int
    heat_size: int
    algorithm: str

    def at(self, budget: int) -> Cell:
        """Return the cell with that budget."""
        return Cell(self.setting, "deviation", self.n_arms, self.heat_size, budget, self.algorithm)


class Needed(NamedTuple):
    """The smallest budget with the wanted success, and its success; none where all of them are too small."""

    search: Search
    budget: int | None
    rate: float | None


def list_searches() -> list[Search]:
    """Return everything a budget is looked for."""
    return [Search(*each) for each in product(SEARCHED, ARMS, HEAT_SIZES, ALGORITHMS)]


def find_budgets(run: Callable[[list[Cell]], dict[Cell, Result]]) -> list[Needed]:
    """Bisect ``BUDGETS``, all searches in step; ``run`` plays cells."""
    played: dict[Cell, Result] = {}
    below = dict.fromkeys(list_searches(), -1)
    enough = dict.fromkeys(list_searches(), len(BUDGETS))
    for _ in range(STEPS):
        middle = {search: (below[search] + enough[search]) // 2 for search in below}
        played |= run([search.at(BUDGETS[place]) for search, place in middle.items()])
        for search, place in middle.items():
            side = enough if played[search.at(BUDGETS[place])].share.rate >= WANTED else below
            side[search] = place
    return [_make_needed(search, place, played) for search, place in enough.items()]


def _make_needed(search: Search, place: int, played: dict[Cell, Result]) -> Needed:
    if place == len(BUDGETS):
        return Needed(search, None, None)
    return Needed(search, BUDGETS[place], played[search.at(BUDGETS[place])].share.rate)


COLUMNS = ("setting", "n", "k", "algorithm", "reps", "seed", "budget", "rate")


def write_budgets(path: Path, found: Iterable[Needed], reps: int, seed: int) -> None:
    """Write the numbers of the figure of budgets; empty where none was enough."""
    rows = ((*search, reps, seed, budget, None if rate is None else f"{rate:.4f}") for search, budget, rate in found)
    write_rows(path, COLUMNS, rows)
