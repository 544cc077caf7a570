"""All rounds: how likely the best arm survives each round of a plan, whatever the plan.

Theory of operation
-------------------
``survival`` gives the chance F that the best arm is dropped from one heat in one world. The model makes of it the
chance p to survive a round, for any number of arms left, any heat size, number kept and number of pulls:

    p = 1 − (share of arms that play) · F(size, keep, evidence)                                              (1)

*Evidence* is the number of pulls an arm's place in its heat rests on. Where every round starts from nothing, it is
the pulls of the round. Where a record ranks the heats, pulls of earlier rounds count as well, but less, since they
were made in other company: each round forgets a tenth, and never more than 100 are carried over. With e the
evidence before a round of b pulls,

    e′ = carry(e) + b · (share of arms that play),     carry(e) = min(0.9·e, 100)                            (2)

The model does not know the world. It averages the *logarithms* of p over worlds chosen to differ (`WORLDS`), so that
no world is given up for another:

    log p = mean over worlds of log(1 − F_world)                                                             (3)

A record fitted to winners is modelled by roots of wins; with few pulls many arms have equally many wins, and plain
counts describe better what happens. Between 1 and 17 pulls the one fades into the other with weights 1/b   (4)

Tables of log F are made once for every size, field and number of pulls on a grid; what lies between is interpolated.
Approximated, to make few tables: sizes above 16 are judged like the next smaller of 20, 24, 32, 48, 64 that keeps the
same share; fields in consistent worlds larger than a heat are tabulated at factors of two, and interpolated in the
logarithm of their arms (`_list_fields`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.planning.plan import MOST_CARRIED_PULLS, FeedbackHint, Problem, Round
from heats.planning.survival import Field, Show, log_failure, make_pull_grid

REMEMBERED = 0.9  # of the evidence of earlier rounds, this share counts after each round
SIZES = np.array([*range(2, 17), 20, 24, 32, 48, 64])  # of heats with tables; others are judged like smaller ones
LARGEST_SIZE = int(SIZES[-1])
MOST_KEEP_CHOICES = 15  # numbers to keep that are told apart in heats of a size
MOST_FIELDS = 20  # with tables, beyond those up to a heat: factors of two up to half a million heats
ANY_FIELD = 0  # in a contextual world
FEW_PULLS = 17  # with fewer, ties between equal numbers of wins matter: (4)
MOST_TABLE_PULLS = 1e5  # evidence beyond is beyond doubt, unless the race is closer than this:
CLOSE_EDGE = 0.6
ROUNDS_AT_ONCE = 2048  # of a plan, to bound memory


class Worlds(NamedTuple):
    """What planning imagines: what pulls show in contextual worlds, and in consistent ones."""

    contextual: tuple[Show, ...]
    consistent: tuple[Show, ...] = ()


WORLDS: dict[FeedbackHint | None, Worlds] = {
    "reward": Worlds((Show.REWARDS,), (Show.REWARDS,)),
    "winner": Worlds((Show.WINS,), (Show.WINS,)),
    "ranking": Worlds((Show.RANKINGS,), (Show.RANKINGS,)),
    None: Worlds((Show.REWARDS, Show.WINS), (Show.REWARDS, Show.WINS)),
}
FITTED_WORLDS = Worlds((Show.FITTED_WINS,), (Show.FITTED_WINS,))


class Model:
    """The chances of the best arm in every round that may come up."""

    def __init__(self, problem: Problem, feedback: FeedbackHint | None, edge: float | None, *, carries: bool) -> None:
        self.n_arms, self.heat_size = problem.n_arms, problem.heat_size
        self.remembered = REMEMBERED if carries else 0.0
        self.pulls = _list_pulls(problem.budget, edge)
        self._worlds = FITTED_WORLDS if carries and feedback != "ranking" else WORLDS[feedback]
        self._edge = edge
        self._fields = _list_fields(problem)
        self._tables: list[Array] = []  # of log F, (choices, pulls), all with the same number of rows
        self._numbers: dict[tuple[int, int], int] = {}  # of tables, by size and field

    # What a round does to the evidence

    def carry(self, evidence: float) -> float:
        """Return what evidence is worth in the next round: carry(e) of equation (2)."""
        return min(self.remembered * evidence, MOST_CARRIED_PULLS)

    def add_pulls(self, evidence: float, each: Round) -> float:
        """Return the evidence per arm after a round: e′ of equation (2)."""
        if not self.remembered:
            return float(each.pulls)
        return self.carry(evidence) + each.pulls * (each.heats * each.size / each.arms)

    def add_up_evidence(self, rounds: Sequence[Round]) -> Array:
        """Return the evidence per arm after each round of a plan."""
        return np.array(list(accumulate(rounds, self.add_pulls, initial=0.0))[1:])

    # What evidence makes of the chance to survive

    def log_survival(self, active: int, size: int) -> Array:
        """Return log p of a round with ``active`` arms in heats of ``size``, by what is kept and by evidence."""
        low, high, part = self._find_tables(active, size)
        failure = (1 - part) * self._tables[low] + part * self._tables[high]
        playing = active // size * size / active
        logs: Array = np.log1p(-playing * np.exp(failure[: list_keep_choices(size).size]))  # equation (1)
        return logs

    def log_chances(self, rounds: Sequence[Round]) -> Array:
        """Return log p of all rounds of a plan."""
        evidence = self.add_up_evidence(rounds)
        parts = [slice(start, start + ROUNDS_AT_ONCE) for start in range(0, len(rounds), ROUNDS_AT_ONCE)]
        return np.concatenate(
            [interpolate_rows(self.tabulate_rounds(rounds[part]), self.pulls, evidence[part]) for part in parts]
        )

    def tabulate_rounds(self, rounds: Sequence[Round]) -> Array:
        """Return log p of rounds by evidence, ``(rounds, pulls)``: as ``log_survival``, for many at once."""
        found = [self._find_tables(each.arms, each.size) for each in rounds]
        low, high, part = (np.array(column) for column in zip(*found, strict=True))
        playing = np.array([each.heats * each.size / each.arms for each in rounds])
        choice, share = _place_keeps(rounds)
        tables, choices = np.stack(self._tables), choice[:, None] + np.array([0, 1])
        failure = (1 - part[:, None, None]) * tables[low[:, None], choices]
        failure += part[:, None, None] * tables[high[:, None], choices]
        logs = np.log1p(-playing[:, None, None] * np.exp(failure))  # equation (1)
        mixed: Array = (1 - share[:, None]) * logs[:, 0] + share[:, None] * logs[:, 1]
        return mixed

    def _find_tables(self, active: int, size: int) -> tuple[int, int, float]:
        """Return the tables of the fields below and above, and how far the field is from the one to the other."""
        above = bisect_left(self._fields, active)
        high = self._fields[above] if self._worlds.consistent else ANY_FIELD
        if active == high or high == ANY_FIELD:
            number = self._number_table(size, high)
            return number, number, 0.0
        low = self._fields[above - 1]
        part = math.log(active / low) / math.log(high / low)
        return self._number_table(size, low), self._number_table(size, high), part

    def _number_table(self, size: int, field: int) -> int:
        """Return the number of a table, which is made when it is first asked for."""
        key = (min(size, LARGEST_SIZE), field)
        if key not in self._numbers:
            table = self._average_worlds(*key)
            missing = MOST_KEEP_CHOICES - len(table)  # small heats have fewer choices: the last one is repeated
            self._numbers[key] = len(self._tables)
            self._tables.append(np.pad(table, ((0, missing), (0, 0)), mode="edge"))
        return self._numbers[key]

    def _average_worlds(self, size: int, field: int) -> Array:
        """Return log F such that log(1 − F) is its mean over the worlds: equation (3)."""
        failures = self._list_failures(self._worlds, size, field, self.pulls)
        if self._worlds is FITTED_WORLDS:
            few = self.pulls[1:FEW_PULLS]
            counts = self._list_failures(WORLDS["winner"], size, field, self.pulls[:FEW_PULLS])[..., 1:]
            weights = (1 / few - 1 / FEW_PULLS) / (1 - 1 / FEW_PULLS)  # equation (4): 1 at one pull, 0 at 17
            failures[..., 1:FEW_PULLS] += weights * (counts - failures[..., 1:FEW_PULLS])
        survival = np.log1p(-np.exp(failures)).mean(axis=0)
        return round_digits(np.log(-np.expm1(survival)))

    def _list_failures(self, worlds: Worlds, size: int, field: int, pulls: Array) -> Array:
        """Return log F in every world, ``(worlds, choices, pulls)``."""
        alike = int(SIZES[np.searchsorted(SIZES, size, side="right") - 1])
        keeps = np.clip(np.round(list_keep_choices(size) * alike / size).astype(int), 1, alike - 1)  # the same share
        tables = [_make_table(show, alike, pulls.size, None, self._edge) for show in worlds.contextual]
        tables += [
            _make_table(show, alike, pulls.size, Field(field, self.n_arms), self._edge) for show in worlds.consistent
        ]
        return np.array([table[keeps - 1] for table in tables])


def round_budget(budget: int, edge: float | None) -> int:
    """Return the largest budget with the same tables."""
    return int(_list_pulls(budget, edge)[-1])


def _list_pulls(budget: float, edge: float | None) -> Array:
    """Return the numbers of pulls at which tables are made; a lead half as large takes four times as many."""
    closeness = 1.0 if edge is None else max(1.0, (CLOSE_EDGE - 0.5) / (edge - 0.5))
    return make_pull_grid(min(budget, MOST_TABLE_PULLS * closeness**2))


@lru_cache(maxsize=1024)  # tables of up to 30 kB
def _make_table(show: Show, size: int, n_pulls: int, field: Field | None, edge: float | None) -> Array:
    """Return log F in one world, made once: in a contextual one it is the same for all problems."""
    table = log_failure(show, size, _list_pulls(math.inf, edge)[:n_pulls], field, edge)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=4096)
def list_keep_choices(size: int) -> Indices:
    """Return the numbers to keep that are tried in heats of a size: all, or fifteen as far from each other."""
    parts = MOST_KEEP_CHOICES + 1
    choices = np.arange(1, size) if size <= parts else np.round(np.arange(1, parts) * (size / parts)).astype(np.int64)
    choices.flags.writeable = False
    return choices


def _place_keeps(rounds: Sequence[Round]) -> tuple[Indices, Array]:
    """Return between which choices the numbers kept are, by the position of the lower one, and how far from it."""
    parts = MOST_KEEP_CHOICES + 1
    sizes, keeps = (np.array([getattr(each, name) for each in rounds])[:, None] for name in ("size", "keep"))
    choices = np.round(np.arange(1, parts) * np.maximum(1, sizes / parts))
    low = np.clip((choices < keeps).sum(axis=1) - 1, 0, parts - 3)
    rows = np.arange(len(rounds))
    below, above = choices[rows, low], choices[rows, low + 1]
    return low, np.clip((keeps[:, 0] - below) / (above - below), 0, 1)


def _list_fields(problem: Problem) -> list[int]:
    """Return the numbers of arms at which tables of consistent worlds are made.

    All up to a heat, then in factors of two to all arms; if a heat is larger than all sizes there are tables for, these
    sizes instead of all. Beyond half a million heats the factors are larger.
    """
    largest = min(problem.heat_size, LARGEST_SIZE)
    small = range(2, largest + 1) if problem.heat_size <= LARGEST_SIZE else SIZES.tolist()
    steps = min(MOST_FIELDS, math.ceil(math.log2(problem.n_arms / largest)) + 1)
    large = np.round(np.geomspace(largest, problem.n_arms, steps)).astype(np.int64)[:-1].tolist()
    return sorted({*small, *large, problem.n_arms})


def round_digits(numbers: Array) -> Array:
    """Round to nine digits (30 bits), so that processors that differ in the last bit agree on the plan."""
    mantissa, exponent = np.frexp(numbers)
    rounded: Array = np.ldexp(np.round(mantissa * 2.0**30) / 2.0**30, exponent)
    return rounded


def interpolate_columns(rows: Array, at: Array, wanted: Array) -> Array:
    """Return all rows, given at some places, at other places: the same ones for each row."""
    high, part = _place(at, wanted)
    found: Array = rows[:, high - 1] * (1 - part) + rows[:, high] * part
    return found


def interpolate_rows(rows: Array, at: Array, wanted: Array) -> Array:
    """Return each row, given at some places, at one place of its own."""
    high, part = _place(at, wanted)
    numbers = np.arange(len(rows))
    found: Array = rows[numbers, high - 1] * (1 - part) + rows[numbers, high] * part
    return found


def _place(at: Array, wanted: Array) -> tuple[Indices, Array]:
    """Return the position of the next place above each one wanted, and how far it is from the one below."""
    high = np.minimum(np.maximum(at.searchsorted(wanted), 1), at.size - 1)
    low = at[high - 1]
    return high, np.minimum(np.maximum((wanted - low) / (at[high] - low), 0), 1)
