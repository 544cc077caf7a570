"""Adaptive play beside a plan, problem by problem: the paper's family, strengths that last, recorded tables.

Both are told the same kind of feedback. A problem in which adaptive play seems behind is played again, ten times as
often: of 200 problems that are level some always seem so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Array, Indices
from heats.engine.adaptive import Adaptive
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments import Environment, Gaussian, Winners, read
from heats.environments.protocol import Rng
from heats.experiments.beyond.regrets import HEAT_SIZES as TABLE_SIZES
from heats.experiments.beyond.regrets import PULLS_PER_ARM, measure_regrets
from heats.experiments.shared.csv_files import read_rows, write_rows
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.synthetic.grid import ARMS, BUDGETS, GAP, HEAT_SIZES
from heats.planning.build import plan
from heats.simulation.simulate import Algorithm, simulate

FAMILY, DECOY, LASTING = "paper's family", "with a decoy", "lasting strengths"
RUNS_PER_REP = 2  # a difference needs more runs than a share
AGAIN = 10  # times as many runs, where adaptive play seems behind
BEHIND = 3.29  # standard errors: the 99.9 % level


class Duel(NamedTuple):
    """A problem: a world or a table by its name, what is told, how large."""

    world: str
    told: str  # reward, winner or ranking
    n_arms: int
    heat_size: int
    budget: int


class Outcome(NamedTuple):
    """A duel, fought: the mean success of both, or on tables their mean regret, with standard errors."""

    duel: Duel
    runs: int
    adaptive: float
    adaptive_error: float
    planned: float
    planned_error: float

    @property
    def gain(self) -> float:
        """By how much adaptive play is ahead: in success, or less regret."""
        ahead = self.adaptive - self.planned
        return ahead if self.duel.world in (FAMILY, DECOY, LASTING) else -ahead

    @property
    def error(self) -> float:
        """The standard error of that."""
        return math.hypot(self.adaptive_error, self.planned_error)

    @property
    def is_behind(self) -> bool:
        """Whether adaptive play is behind beyond chance."""
        return self.gain < -BEHIND * self.error


class LastingStrengths(Environment):
    """Log-strengths that are normal with deviation 1, drawn anew in every repetition; arm 0 is the best."""

    best = 0
    ties = False

    def __init__(self, n_arms: int, told: str, seed: int) -> None:
        self.n_arms, self.kind = n_arms, Kind.REWARDS if told == "reward" else Kind(told)
        self._seed = seed
        self._strengths: Array = np.zeros((1, n_arms))

    def block(self, start: int, reps: int) -> LastingStrengths:
        """Return the worlds of some repetitions."""
        worlds = LastingStrengths(self.n_arms, self.kind.value, self._seed)
        worlds.kind = self.kind
        drawn = np.random.default_rng([self._seed, start]).normal(size=(reps, self.n_arms))
        runs, best = np.arange(reps), drawn.argmax(axis=1)
        drawn[runs, best], drawn[:, 0] = drawn[:, 0].copy(), drawn.max(axis=1)
        worlds._strengths = drawn
        return worlds

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw rewards with normal noise, or the order of strengths in Gumbel noise."""
        strengths = np.take_along_axis(self._strengths, heats.reshape(len(heats), -1), axis=1).reshape(heats.shape)
        shape = (*heats.shape[:-1], pulls, heats.shape[-1])
        if self.kind is Kind.REWARDS:
            return strengths[..., None, :] + rng.normal(size=shape)
        keys = strengths[..., None, :] + rng.gumbel(size=shape)
        if self.kind is Kind.WINNER:
            return winner_shares(keys)
        shares: Array = np.argsort(np.argsort(keys, axis=-1), axis=-1) / (heats.shape[-1] - 1)
        return shares


def list_duels() -> list[Duel]:
    """Return the problems that need no table."""
    family = [Duel(*each) for each in product((FAMILY, DECOY), ("winner", "reward"), ARMS, HEAT_SIZES, BUDGETS)]
    lasting = [
        Duel(LASTING, told, n, k, times * n)
        for told, n, k, times in product(("winner", "ranking", "reward"), (20, 50), (2, 4), (2, 5, 15))
    ]
    return [*family, *lasting]


def list_table_duels(name: str, path: Path) -> list[Duel]:
    """Return the problems on a recorded table; rankings are told as such, too."""
    world = read(path, feedback="winner")
    told = ("winner", "ranking") if name.startswith("rankings") else ("winner",)
    sizes = [k for k in TABLE_SIZES if k <= world.n_arms]
    return [
        Duel(name, each, world.n_arms, k, times * world.n_arms)
        for each, k, times in product(told, sizes, PULLS_PER_ARM)
    ]


def fight_duels(
    path: Path, tables: Iterable[Path], reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> list[Outcome]:
    """Fight the duels that the CSV at ``path`` does not have, doubtful ones again; return all it has for the seed."""
    jobs: list[tuple[Duel, Path | None]] = [(duel, None) for duel in list_duels()]
    jobs += [(duel, table) for table in tables for duel in list_table_duels(table.stem, table)]
    known = _load(path)
    for runs in (RUNS_PER_REP * reps, AGAIN * RUNS_PER_REP * reps):
        missing = [job for job in jobs if (job[0], seed) not in known or known[job[0], seed].runs < runs]
        tick(len(jobs) - len(missing))
        for number, done in enumerate(run_jobs(partial(fight, runs=runs, seed=seed), missing, workers), 1):
            known[done.duel, seed] = done
            tick(1)
            if number % 20 == 0:
                _save(path, known)
        _save(path, known)
        jobs = [job for job in jobs if known[job[0], seed].is_behind]
    return [outcome for (_, played), outcome in known.items() if played == seed]


def fight(duel: Duel, table: Path | None, runs: int, seed: int) -> Outcome:
    """Play a problem in both ways; the numbers depend on the duel, the table, runs and seed only."""
    found = []
    for name in ("adaptive", "planned"):
        key = int(randomness.draw_bits(randomness.fold_seed(seed), *repr((duel, name)).encode()) >> np.uint64(2))
        world, values = _make_world(duel, table, key)
        each = values[simulate(_make_algorithm(name, duel), world, runs, key).winners]
        found += [float(each.mean()), float(each.std(ddof=1) / math.sqrt(runs)) if runs > 1 else 0.0]
    return Outcome(duel, runs, *found)


def _make_world(duel: Duel, table: Path | None, key: int) -> tuple[Environment, Array]:
    """Return the world, and what every arm is worth in it."""
    if table is not None:
        world = read(table, feedback=duel.told)
        return world, measure_regrets(read(table, feedback="winner"), duel.heat_size)
    if duel.world == LASTING:
        world = LastingStrengths(duel.n_arms, duel.told, key % 2**32)
    else:
        world = Gaussian(duel.n_arms, GAP, duel.world == DECOY, key, redraw=True)
        world = Winners(world) if duel.told == "winner" else world
    return world, (np.arange(duel.n_arms) == world.best).astype(np.float64)


def _make_algorithm(name: str, duel: Duel) -> Algorithm:
    problem = (duel.n_arms, duel.heat_size, duel.budget)
    if name == "adaptive":
        return Adaptive(*problem)
    return plan(*problem, feedback=duel.told, blind=True)  # type: ignore[arg-type]  # one of its names


COLUMNS = ("world", "told", "n", "k", "B", "seed", "runs", "adaptive", "its error", "planned", "its error too")


def _save(path: Path, known: dict[tuple[Duel, int], Outcome]) -> None:
    rows = (
        (*duel, seed, known[duel, seed].runs, *(f"{value:.5f}" for value in known[duel, seed][2:]))
        for duel, seed in sorted(known)
    )
    write_rows(path, COLUMNS, rows)


def _load(path: Path) -> dict[tuple[Duel, int], Outcome]:
    return dict(read_rows(path, _parse_row, "reproduce beyond")) if path.exists() else {}


def read_duels(path: Path, seed: int) -> Sequence[Outcome]:
    """Return the duels of a seed that were fought before."""
    return [outcome for (_, played), outcome in _load(path).items() if played == seed]


def _parse_row(row: dict[str, str]) -> tuple[tuple[Duel, int], Outcome]:
    duel = Duel(row["world"], row["told"], int(row["n"]), int(row["k"]), int(row["B"]))
    values = (float(row[column]) for column in COLUMNS[7:])
    return (duel, int(row["seed"])), Outcome(duel, int(row["runs"]), *values)
