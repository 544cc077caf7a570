"""Adaptive play beside planned: a problem → how well each of them does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Array
from heats.base.threads import use_one_thread
from heats.engine.adaptive import Adaptive
from heats.environments import Environment, Gaussian, Kind, Orders, Winners, read
from heats.experiments.beyond.lasting import LastingStrengths
from heats.experiments.beyond.regrets import TableCell, measure_regrets
from heats.experiments.shared.verdicts import BEYOND_MANY, Share, compare
from heats.experiments.synthetic.grid import ARMS, BUDGETS, GAP, HEAT_SIZES
from heats.planning.build import plan
from heats.simulation.simulate import Algorithm, simulate

FAMILIES = PAPER, DECOY, LASTING, TABLES = "paper's family", "with a decoy", "lasting strengths", "recorded tables"
RANKED_SIZE = 4  # of heats that are told as rankings in the paper's family: there the larger ones are all but solved
LASTING_ARMS, LASTING_SIZES, LASTING_TIMES = (20, 50), (2, 4), (2, 5, 15)  # the last: pulls per arm
DIGITS = 5  # of what is kept; they tell shares of up to 20 000 runs apart


class Duel(NamedTuple):
    """A problem to be played in both ways; its repr is part of what its numbers are drawn from."""

    family: str  # one of FAMILIES
    table: str  # the name of a recorded one, else empty
    told: str  # reward, winner or ranking
    n_arms: int
    heat_size: int
    budget: int


class Outcome(NamedTuple):
    """A duel, fought: the share of runs in which each found the best arm, or on a table the mean regret of each."""

    duel: Duel
    runs: int  # of each
    adaptive: float
    adaptive_error: float  # standard errors, one by one
    planned: float
    planned_error: float

    @property
    def gain(self) -> float:
        """By how much adaptive play is ahead: more success, or less regret."""
        more = self.adaptive - self.planned
        return -more if self.duel.family == TABLES else more

    @property
    def error(self) -> float:
        """The standard error of the gain: that of two shares, or of two means."""
        if self.duel.family == TABLES:
            return math.hypot(self.adaptive_error, self.planned_error)
        mine, theirs = (Share(round(rate * self.runs), self.runs) for rate in (self.adaptive, self.planned))
        return mine.measure_error(theirs)

    @property
    def sign(self) -> int:
        """1 if adaptive play is ahead beyond chance, -1 if it is behind, else 0."""
        return compare(self.gain, self.error, BEYOND_MANY)


def list_duels() -> list[Duel]:
    """Return the problems that need no table.

    Rankings are told of heats of more than two: of two they say who won, no more.
    """
    paper = product((PAPER, DECOY), ("",), ("winner", "reward"), ARMS, HEAT_SIZES, BUDGETS)
    ranked = product((PAPER,), ("",), ("ranking",), ARMS, (RANKED_SIZE,), BUDGETS)
    lasting = (
        (LASTING, "", told, n, k, times * n)
        for told, n, k, times in product(("winner", "ranking", "reward"), LASTING_ARMS, LASTING_SIZES, LASTING_TIMES)
        if told != "ranking" or k > 2
    )
    return [Duel(*each) for part in (paper, ranked, lasting) for each in part]


def find_duels(tables: Mapping[Path, Iterable[TableCell]]) -> dict[Duel, Path | None]:
    """Return all problems, each with the table that it is played on, if any: the problems of its cells.

    Winners are told, and where voters rank without ties, rankings too.
    """
    found: dict[Duel, Path | None] = dict.fromkeys(list_duels())
    for path, cells in tables.items():
        ranks = read(path).kind is Kind.RANKING
        for name, *problem in dict.fromkeys(cell[:4] for cell in cells):
            found[Duel(TABLES, name, "winner", *problem)] = path
            if ranks and problem[1] > 2:
                found[Duel(TABLES, name, "ranking", *problem)] = path
    return found


def fight(duel: Duel, table: Path | None, runs: int, seed: int) -> Outcome:
    """Play a problem in both ways, apart from each other; the numbers depend on the arguments only.

    Another number of runs draws everything anew: a second look must not begin with the runs that made it necessary.
    """
    found = []
    with use_one_thread():
        for name in ("adaptive", "planned"):
            bits = randomness.draw_bits(randomness.fold_seed(seed), *repr((*duel, runs, name)).encode())
            key = int(bits >> np.uint64(2))
            values = _play(_make_algorithm(name, duel), duel, table, runs, key)
            error = values.std(ddof=1) / math.sqrt(runs) if runs > 1 else 0.0
            found += [round(float(number), DIGITS) for number in (values.mean(), error)]
    return Outcome(duel, runs, *found)


def _make_algorithm(name: str, duel: Duel) -> Algorithm:
    problem = (duel.n_arms, duel.heat_size, duel.budget)
    if name == "adaptive":
        return Adaptive(*problem)
    return plan(*problem, feedback=duel.told, blind=True)  # type: ignore[arg-type]  # one of its names


def _play(algorithm: Algorithm, duel: Duel, table: Path | None, runs: int, key: int) -> Array:
    """Return what the winner of every run is worth: its regret, or 1 if it is the best arm, else 0."""
    if table is not None:
        played = read(table, feedback=duel.told)
        return measure_regrets(played, duel.heat_size)[simulate(algorithm, played, runs, key).winners]
    found = simulate(algorithm, _make_world(duel, key), runs, key)
    hits: Array = (found.winners == found.best).astype(np.float64)
    return hits


def _make_world(duel: Duel, key: int) -> Environment:
    if duel.family == LASTING:
        world: Environment = LastingStrengths(duel.n_arms, key)
    else:
        world = Gaussian(duel.n_arms, GAP, duel.family == DECOY, key, redraw=True)
    if duel.told == "reward":
        return world
    return Winners(world) if duel.told == "winner" else Orders(world)
