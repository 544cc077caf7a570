"""Beyond the paper: the planned strategy beside its algorithms, on its grid, and the budget each needs for 90 %."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import NamedTuple

from heats.errors import BrokenFile
from heats.experiments import sweeps
from heats.experiments.sweeps import ARMS, HEAT_SIZES, Cell, Result

SETTINGS = ("reward", "reward-decoy", "preference", "preference-decoy")
PRINTED = ("csws-paper", "csr-paper", "csh-paper")
EXACT = ("csws-exact", "csr-exact", "csh-exact")
ALGORITHMS = (*PRINTED, *EXACT, "round-robin", "planned")

WANTED = 0.9
SEARCHED = ("reward", "preference")
STEPS = 6  # of a bisection
BUDGETS = tuple(round(10 * 1.105**i) for i in range(2**STEPS - 1))  # 10 to 4876

POINTS = len(SETTINGS) * len(ARMS) * len(HEAT_SIZES) * len(sweeps.BUDGETS) * len(ALGORITHMS)
POINTS += STEPS * len(SEARCHED) * len(ARMS) * len(HEAT_SIZES) * len(ALGORITHMS)


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


def cells(setting: str) -> list[Cell]:
    """Return the cells of a setting: 50 problems, eight algorithms."""
    return list(sweeps.cells(setting, algorithms=ALGORITHMS))


def searches() -> list[Search]:
    """Return everything a budget is looked for."""
    return [Search(*each) for each in product(SEARCHED, ARMS, HEAT_SIZES, ALGORITHMS)]


def find_budgets(run: Callable[[list[Cell]], dict[Cell, Result]]) -> list[Needed]:
    """Bisect ``BUDGETS``, all searches in step; ``run`` plays cells."""
    played: dict[Cell, Result] = {}
    below = dict.fromkeys(searches(), -1)
    enough = dict.fromkeys(searches(), len(BUDGETS))
    for _ in range(STEPS):
        middle = {search: (below[search] + enough[search]) // 2 for search in below}
        played |= run([search.at(BUDGETS[place]) for search, place in middle.items()])
        for search, place in middle.items():
            side = enough if played[search.at(BUDGETS[place])].rate >= WANTED else below
            side[search] = place
    return [_needed(search, place, played) for search, place in enough.items()]


def _needed(search: Search, place: int, played: dict[Cell, Result]) -> Needed:
    if place == len(BUDGETS):
        return Needed(search, None, None)
    return Needed(search, BUDGETS[place], played[search.at(BUDGETS[place])].rate)


COLUMNS = ("setting", "n", "k", "algorithm", "reps", "seed", "budget", "rate")


def write_budgets(path: Path, found: Iterable[Needed], reps: int, seed: int) -> None:
    """Write the numbers of the figure of budgets; empty where none was enough."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for search, budget, rate in found:
            table.writerow((*search, reps, seed, budget, None if rate is None else f"{rate:.4f}"))


def read_budgets(path: Path) -> list[Needed]:
    """Read them again."""
    found = []
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                search = Search(row["setting"], int(row["n"]), int(row["k"]), row["algorithm"])
                budget = int(row["budget"]) if row["budget"] else None
                found.append(Needed(search, budget, float(row["rate"]) if row["rate"] else None))
            except (KeyError, ValueError, TypeError):
                raise BrokenFile(f"{path}, line {number}: no result of heats reproduce beyond.") from None
    return found
