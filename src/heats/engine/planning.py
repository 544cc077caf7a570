"""The planned strategy: which keep and how many pulls per round make the best arm most likely to survive them all.

The model (``survival``) gives every round a chance; planning maximises the product of these chances over all rounds
that can follow each other, with the budget as a constraint. For a price per pull this is a dynamic program over the
number of arms left (and, where a record is kept, over the evidence per arm so far); the price is bisected until the
plan costs what may be spent. What is left over goes where it helps most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heats.engine import survival
from heats.engine.rules import RULES, winner_stays
from heats.engine.schedule import Shape, blind_pulls, exact_pulls, shapes, spend_rest

Array = NDArray[np.float64]
Feedback: TypeAlias = Literal["reward", "winner", "ranking"]

FADING = 0.9  # of the evidence of earlier rounds, gathered in other company, so much counts after each round
SIZES = np.array([*range(2, 17), 20, 24, 32, 48, 64])  # heats between are judged like smaller ones of the same share
CHOICES = 15  # how many numbers to keep are tried, at most; a large field drops at least a sixteenth
EXACT_UP_TO = 64  # more arms than this are looked at in steps of a sixteenth
FEW = 17  # pulls; with fewer, ties matter
MOST_PULLS = 1e5  # evidence beyond is beyond doubt


World: TypeAlias = Callable[..., Iterator[survival.Company]]


class Worlds(NamedTuple):
    """What planning imagines: worlds drawn anew for every set, and worlds in which arms keep their strengths."""

    anew: tuple[World, ...]
    kept: tuple[World, ...] = ()


WORLDS: dict[Feedback | None, Worlds] = {
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
        self, n_arms: int, heat_size: int, budget: int, feedback: Feedback | None, edge: float | None, *, carry: bool
    ) -> None:
        self.n_arms = n_arms
        self.heat_size = heat_size
        self.fading = FADING if carry else 0.0
        self.pulls = survival.pull_grid(min(budget, MOST_PULLS))
        self._worlds = FITTED if carry and feedback != "ranking" else WORLDS[feedback]
        self._edge = edge
        self._tables: dict[tuple[int, int], Array] = {}  # by size and field
        self._anew: dict[tuple[World, int, int], Array] = {}  # by world, size and number of pulls
        steps = math.ceil(math.log2(n_arms / heat_size)) + 1  # of the numbers of arms at which kept worlds are made
        fields = np.geomspace(heat_size, n_arms, steps) if n_arms > heat_size else np.array([n_arms])
        self._fields = np.unique(np.round(fields)).astype(int)

    def choices(self, size: int) -> NDArray[np.int64]:
        """Return the numbers to keep that are tried in heats of this size."""
        if size <= CHOICES + 1:
            return np.arange(1, size)
        return np.unique(np.round(np.arange(1, CHOICES + 1) * size / (CHOICES + 1)).astype(int))

    def logs(self, active: int) -> Array:
        """Return log-chances to survive the next round of so many arms, ``(choices, pulls)``."""
        size = min(self.heat_size, active)
        failure = self._failure(size, active)
        playing = active // size * size / active
        logs: Array = np.log1p(-playing * np.exp(failure))
        return logs

    def log_chance(self, shape: Shape, evidence: Sequence[float]) -> list[float]:
        """Return log-chances to survive a round, by the evidence per arm after its pulls."""
        rows = _between(self.logs(shape.heats * shape.size + shape.byes), self.pulls, np.array(evidence))
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
        return self.fading * evidence + pulls * shape.heats * shape.size / (shape.heats * shape.size + shape.byes)

    def _failure(self, size: int, active: int) -> Array:
        """Return log-failures; those of worlds that depend on the field are interpolated between some fields."""
        if not self._worlds.kept or active <= self._fields[0]:
            return self._table(size, active)
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
            self._tables[size, field] = _settled(np.log(-np.expm1(survived)))
        return self._tables[size, field]

    def _failures(self, worlds: Worlds, size: int, field: int, pulls: Array) -> Array:
        """Return log-failures in every world, ``(worlds, choices, pulls)``."""
        alike = int(SIZES[np.searchsorted(SIZES, size, side="right") - 1])
        rows = np.clip(np.round(self.choices(size) * alike / size).astype(int), 1, alike - 1) - 1
        found = []
        for world in worlds.anew:
            key = (world, alike, pulls.size)
            if key not in self._anew:
                self._anew[key] = survival.log_failure(world(alike, self._edge, pulls), alike, pulls)
            found.append(self._anew[key][rows])
        for world in worlds.kept:
            companies = world(alike, self._edge, pulls, field, self.n_arms)
            found.append(survival.log_failure(companies, alike, pulls)[rows])
        return np.array(found)


def _settled(logs: Array) -> Array:
    """Round to nine digits, so that processors that differ in the last bit agree on the plan."""
    mantissa, exponent = np.frexp(logs)
    settled: Array = np.ldexp(np.round(mantissa * 2.0**30) / 2.0**30, exponent)
    return settled


def planned(model: Model, budget: int, *, blind: bool) -> list[Priced]:
    """Return the rounds with the best modelled chance that cost at most ``budget``, which must cover every heat once.

    With ``blind`` arms may be dropped unseen before the first pull, and the budget may be smaller.
    """
    n, k = model.n_arms, model.heat_size
    found = [_plain(n, k, rule, budget) for rule in RULES.values()]
    candidates = [rounds for rounds in found if rounds] or [_blind(n, k, budget)]
    low, high = math.log(1e-260), math.log(1e3)
    for _ in range(28):  # of the prices that can be paid, the lowest
        middle = (low + high) / 2
        rounds = _Program(model, math.exp(middle), blind=blind).plan()
        if _cost(rounds) <= budget:
            high = middle
            candidates.append(rounds)
        else:
            low = middle
    full = [_spend(model, rounds, budget) for rounds in [*candidates[:3], *candidates[-3:]]]
    failures = [math.log(-math.expm1(sum(model.log_chances(rounds)))) for rounds in full]
    return full[int(_settled(np.array(failures)).argmin())]


class _Program:
    """The dynamic program for one price per pull."""

    def __init__(self, model: Model, price: float, *, blind: bool) -> None:
        self._model, self._price, self._blind = model, price, blind
        self._states = _states(model.n_arms)
        self._logs = np.log(self._states)
        self._values = np.zeros((self._states.size, model.pulls.size if model.fading else 1))
        for number in range(1, self._states.size):
            self._values[number] = self._value(number)

    def plan(self) -> list[Priced]:
        """Follow the best choices from the full field."""
        active, evidence, rounds = self._model.n_arms, 0.0, []
        while active > 1:
            rounds.append(self._step(active, evidence))
            shape, pulls = rounds[-1]
            evidence = self._model.grown(evidence, shape, pulls)
            active = shape.heats * shape.keep + shape.byes
        return rounds

    def _value(self, number: int) -> Array:
        """Return the best value with so many arms left, for every evidence so far."""
        model, active = self._model, int(self._states[number])
        size = min(model.heat_size, active)
        heats, byes = divmod(active, size)
        logs, after = model.logs(active), self._after(heats * model.choices(size) + byes, number)
        if not model.fading:
            gains = logs - self._price * heats * model.pulls
            best: Array = (gains[:, 0 if self._blind else 1 :].max(axis=1) + after[:, 0]).max(keepdims=True)
            return best
        each = self._price * active / size  # of a pull for every arm
        best_from = np.maximum.accumulate((logs + after - each * model.pulls)[:, ::-1], axis=1)[:, ::-1].max(axis=0)
        faded = model.fading * model.pulls
        least = np.maximum(faded + heats * size / active, model.pulls)  # a pull, and evidence never gets less
        first = np.minimum(np.searchsorted(model.pulls, least), model.pulls.size - 1)
        values: Array = best_from[first] + each * faded
        if self._blind:
            values[0] = max(values[0], float((logs[:, 0] + after[:, 0]).max()))
        return values

    def _after(self, left: NDArray[np.int64], number: int) -> Array:
        """Return the values with so many arms left, between states by the logarithm of their numbers of arms."""
        high = np.clip(np.searchsorted(self._states, left), 1, max(1, number - 1))
        low = high - 1
        part = (np.log(left) - self._logs[low]) / (self._logs[high] - self._logs[low])
        part = np.clip(part, 0, 1)[:, None]
        values: Array = (1 - part) * self._values[low] + part * self._values[high]
        return values

    def _step(self, active: int, evidence: float) -> Priced:
        """Return the best next round."""
        model = self._model
        size = min(model.heat_size, active)
        heats, byes = divmod(active, size)
        choices = model.choices(size)
        pulls = model.pulls[0 if self._blind and evidence == 0 else 1 :]
        grown = model.fading * evidence + pulls * heats * size / active if model.fading else pulls
        if model.fading:
            enough = grown >= min(evidence, grown[-1])
            pulls, grown = pulls[enough], grown[enough]
        after = self._after(heats * choices + byes, self._states.size)
        logs = model.logs(active)
        values = _between(logs, model.pulls, grown) - self._price * heats * pulls
        values += _between(after, model.pulls, grown) if model.fading else after
        keep, many = np.unravel_index(int(_settled(values).argmax()), values.shape)
        return Priced(Shape(heats, size, int(choices[keep]), byes), int(pulls[many]))


def _between(rows: Array, at: Array, wanted: Array) -> Array:
    """Interpolate all rows at the same places."""
    high = np.clip(np.searchsorted(at, wanted), 1, at.size - 1)
    part = np.clip((wanted - at[high - 1]) / (at[high] - at[high - 1]), 0, 1)
    between: Array = rows[:, high - 1] * (1 - part) + rows[:, high] * part
    return between


def _states(n_arms: int) -> NDArray[np.int64]:
    """Return the numbers of arms at which values are kept: all small ones, then in steps of a sixteenth."""
    states = list(range(1, min(n_arms, EXACT_UP_TO) + 1))
    while states[-1] < n_arms:
        states.append(min(n_arms, states[-1] * (CHOICES + 1) // CHOICES))
    return np.array(states)


def _spend(model: Model, rounds: list[Priced], budget: int) -> list[Priced]:
    """Spend what is left where it gains most, in steps of an eighth of a round's pulls; then wherever it fits."""
    times = max(1, budget // max(1, _cost(rounds)))  # beyond doubt: the same shares of more
    rounds = [Priced(shape, pulls * times) for shape, pulls in rounds]
    left = budget - _cost(rounds)
    for _ in range(200):
        paid = [each.pulls > 0 and each.shape.heats <= left for each in rounds]
        gains = _settled(np.where(paid, _slopes(model, rounds), 0))
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        shape, pulls = rounds[best]
        more = min(max(1, pulls // 8), left // shape.heats)
        rounds[best] = Priced(shape, pulls + more)
        left -= more * shape.heats
    seen = [number for number, each in enumerate(rounds) if each.pulls]
    rest = spend_rest([rounds[i].shape.heats for i in seen], [rounds[i].pulls for i in seen], budget)
    for number, pulls in zip(seen, rest, strict=True):
        rounds[number] = Priced(rounds[number].shape, pulls)
    return rounds


def _slopes(model: Model, rounds: list[Priced]) -> Array:
    """Return what one more pull gains in each round, in it and through the record in all later ones."""
    evidence, slopes = 0.0, []
    for shape, pulls in rounds:
        evidence = model.grown(evidence, shape, pulls)
        ahead = max(2.0, evidence / 4)
        now, then = model.log_chance(shape, [evidence, evidence + ahead])
        slopes.append((then - now) / ahead)
    later, gains = 0.0, []
    for (shape, _), slope in zip(reversed(rounds), reversed(slopes), strict=True):
        later = slope + model.fading * later
        gains.append(later * model.grown(0.0, shape, 1) / shape.heats)
    return np.array(gains[::-1])


def _plain(n_arms: int, heat_size: int, rule: Callable[[int], int], budget: int) -> list[Priced]:
    """Return the plan of a fixed rule, or nothing if it costs too much."""
    laid = list(shapes(n_arms, heat_size, rule))
    heats = [shape.heats for shape in laid]
    if sum(heats) > budget:
        return []
    return [Priced(shape, pulls) for shape, pulls in zip(laid, exact_pulls(heats, budget), strict=True)]


def _blind(n_arms: int, heat_size: int, budget: int) -> list[Priced]:
    laid = list(shapes(n_arms, heat_size, winner_stays))
    pulls = blind_pulls([shape.heats for shape in laid], budget)
    return [Priced(shape, each) for shape, each in zip(laid, pulls, strict=True)]


def _cost(rounds: list[Priced]) -> int:
    return sum(each.shape.heats * each.pulls for each in rounds)
