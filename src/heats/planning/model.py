"""How likely the best arm survives the rounds of a tournament: heats of ``survival``, in worlds chosen to differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heats.base.arrays import Array
from heats.planning import survival
from heats.planning.schedule import Shape

FeedbackHint: TypeAlias = Literal["reward", "winner", "ranking"]

MOST_CARRIED_PULLS = (
    100  # pulls of earlier rounds count as up to this many: what an arm did in other company never decides
)
FADING = 0.9  # of the evidence of earlier rounds, gathered in other company, so much counts after each round
SIZES = np.array([*range(2, 17), 20, 24, 32, 48, 64])  # heats between are judged like smaller ones of the same share
CHOICES = 15  # how many numbers to keep are told apart, at most
FEW = 17  # pulls; with fewer, ties matter
MOST_PULLS = 1e5  # evidence beyond is beyond doubt

World: TypeAlias = Callable[..., Iterator[survival.Company]]


class Worlds(NamedTuple):
    """What planning imagines: worlds drawn anew for every set, and worlds in which arms keep their strengths."""

    anew: tuple[World, ...]
    kept: tuple[World, ...] = ()


WORLDS: dict[FeedbackHint | None, Worlds] = {
    "reward": Worlds((survival.rewards,), (survival.kept_rewards,)),
    "winner": Worlds((survival.wins,), (survival.kept_wins,)),
    "ranking": Worlds((survival.ranks,), (survival.kept_ranks,)),
    None: Worlds((survival.rewards, survival.wins), (survival.kept_rewards, survival.kept_wins)),
}
FITTED = Worlds((survival.fitted_wins,), (survival.kept_fitted_wins,))


class Priced(NamedTuple):
    """A round with its pulls per heat."""

    shape: Shape
    pulls: int


class Model:
    """The chances of the best arm in every round that may come up, averaged (their logarithms) over the worlds."""

    def __init__(
        self,
        n_arms: int,
        heat_size: int,
        budget: int,
        feedback: FeedbackHint | None,
        edge: float | None,
        *,
        carry: bool,
    ) -> None:
        self.n_arms = n_arms
        self.heat_size = heat_size
        self.fading = FADING if carry else 0.0
        self.pulls = survival.pull_grid(min(budget, MOST_PULLS))
        self._worlds = FITTED if carry and feedback != "ranking" else WORLDS[feedback]
        self._edge = edge
        self._tables: dict[tuple[int, int], Array] = {}  # by size and field
        self._known: dict[tuple[World, int, int | None, int], Array] = {}  # by world, size, field and number of pulls
        steps = math.ceil(math.log2(n_arms / heat_size)) + 1  # of the numbers of arms at which kept worlds are made
        fields = np.geomspace(heat_size, n_arms, steps) if n_arms > heat_size else np.array([n_arms])
        self._fields = np.unique(np.round(fields)).astype(int)

    def choices(self, size: int) -> NDArray[np.int64]:
        """Return the numbers to keep that are tried in heats of this size."""
        if size <= CHOICES + 1:
            return np.arange(1, size)
        return np.unique(np.round(np.arange(1, CHOICES + 1) * size / (CHOICES + 1)).astype(int))

    def logs(self, active: int, size: int) -> Array:
        """Return log-chances to survive a round of so many arms in heats of a size, ``(choices, pulls)``."""
        failure = self._failure(size, active)
        playing = active // size * size / active
        logs: Array = np.log1p(-playing * np.exp(failure))
        return logs

    def log_chance(self, shape: Shape, evidence: Sequence[float]) -> list[float]:
        """Return log-chances to survive a round, by the evidence per arm after its pulls."""
        logs = self.logs(shape.heats * shape.size + shape.byes, shape.size)
        rows = between(logs, self.pulls, np.array(evidence))
        choices = self.choices(shape.size)
        return [float(np.interp(shape.keep, choices, column)) for column in rows.T]

    def log_chances(self, rounds: Sequence[Priced]) -> list[float]:
        """Return log-chances to survive the rounds of a plan, one by one."""
        evidence, found = 0.0, []
        for shape, pulls in rounds:
            evidence = self.grown(evidence, shape, pulls)
            found += self.log_chance(shape, [evidence])
        return found

    def grown(self, evidence: float, shape: Shape, pulls: int) -> float:
        """Return the evidence per arm after a round: with a record it grows, for arms that rest it does not."""
        if not self.fading:
            return float(pulls)
        return self.faded(evidence) + pulls * shape.heats * shape.size / (shape.heats * shape.size + shape.byes)

    def faded(self, evidence: float) -> float:
        """Return what evidence is worth in the next round."""
        return min(self.fading * evidence, MOST_CARRIED_PULLS)

    def _failure(self, size: int, active: int) -> Array:
        """Return log-failures; those of worlds that depend on the field are interpolated between some fields."""
        if not self._worlds.kept or active <= self._fields[0]:
            return self._table(size, active if active <= SIZES[-1] else _near(active, self.n_arms))
        high = int(np.searchsorted(self._fields, active))
        low, up = int(self._fields[high - 1]), int(self._fields[high])
        part = math.log(active / low) / math.log(up / low)
        mixed: Array = (1 - part) * self._table(size, low) + part * self._table(size, up)
        return mixed

    def _table(self, size: int, field: int) -> Array:
        """Return log-failures averaged over the worlds: such that log(1 - failure) is the mean of theirs."""
        if not self._worlds.kept:
            field = size
        if (size, field) not in self._tables:
            failures = self._failures(self._worlds, size, field, self.pulls)
            if self._worlds is FITTED:  # the fewer the pulls, the more arms have equally many wins
                few = self.pulls[1:FEW]
                counted = self._failures(WORLDS["winner"], size, field, self.pulls[:FEW])[..., 1:]
                failures[..., 1:FEW] += (counted - failures[..., 1:FEW]) * (1 / few - 1 / FEW) / (1 - 1 / FEW)
            survived = np.log1p(-np.exp(failures)).mean(axis=0)
            self._tables[size, field] = round_to_nine_digits(np.log(-np.expm1(survived)))
        return self._tables[size, field]

    def _failures(self, worlds: Worlds, size: int, field: int, pulls: Array) -> Array:
        """Return log-failures in every world, ``(worlds, choices, pulls)``."""
        alike = int(SIZES[np.searchsorted(SIZES, size, side="right") - 1])
        rows = np.clip(np.round(self.choices(size) * alike / size).astype(int), 1, alike - 1) - 1
        found = [self._heats(world, alike, None, pulls)[rows] for world in worlds.anew]
        found += [self._heats(world, alike, field, pulls)[rows] for world in worlds.kept]
        return np.array(found)

    def _heats(self, world: World, size: int, field: int | None, pulls: Array) -> Array:
        """Return log-failures in one world, made once; a field is what worlds depend on in which strengths are kept."""
        key = (world, size, field, pulls.size)
        if key not in self._known:
            about = () if field is None else (field, self.n_arms)
            self._known[key] = survival.log_failure(world(size, self._edge, pulls, *about), size, pulls)
        return self._known[key]


def _near(field: int, most: int) -> int:
    """Return a number of arms nearby, of which there are few, so that few tables are made."""
    return min(most, round(1.1 ** round(math.log(field, 1.1))))


def round_to_nine_digits(logs: Array) -> Array:
    """Round to nine digits, so that processors that differ in the last bit agree on the plan."""
    mantissa, exponent = np.frexp(logs)
    round_to_nine_digits: Array = np.ldexp(np.round(mantissa * 2.0**30) / 2.0**30, exponent)
    return round_to_nine_digits


def between(rows: Array, at: Array, wanted: Array) -> Array:
    """Interpolate all rows at the same places."""
    high = np.clip(np.searchsorted(at, wanted), 1, at.size - 1)
    part = np.clip((wanted - at[high - 1]) / (at[high] - at[high - 1]), 0, 1)
    between: Array = rows[:, high - 1] * (1 - part) + rows[:, high] * part
    return between
