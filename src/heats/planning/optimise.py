"""The planned strategy: which keep and how many pulls per round make the best arm most likely to survive them all.

The model gives every round a chance; planning maximises the product of these chances over all rounds that can follow
each other, with the budget as a constraint. For a price per pull this is a dynamic program over the
number of arms left (and, where a record is kept, over the evidence per arm so far); the price is bisected until the
plan costs what may be spent. What is left over goes where it helps most.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from heats.base.arrays import Array
from heats.planning.model import CHOICES, MOST_CARRIED_PULLS, Model, Priced, between, round_to_nine_digits
from heats.planning.rules import RULES, winner_stays
from heats.planning.schedule import Shape, affordable, blind_pulls, exact_pulls, shapes, spend_rest

EXACT_UP_TO = 64  # more arms than this are looked at in steps of a sixteenth, which a round then drops at least
STEP = CHOICES + 1


def optimise(model: Model, budget: int, *, blind: bool) -> list[Priced]:
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
    return full[int(round_to_nine_digits(np.array(failures)).argmin())]


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
        logs, after = model.logs(active, size), self._after(heats * model.choices(size) + byes, number)
        if not model.fading:
            gains = logs - self._price * heats * model.pulls
            best: Array = (gains[:, 0 if self._blind else 1 :].max(axis=1) + after[:, 0]).max(keepdims=True)
            return best
        each = self._price * active / size  # of a pull for every arm
        best_from = np.maximum.accumulate((logs + after - each * model.pulls)[:, ::-1], axis=1)[:, ::-1].max(axis=0)
        faded = np.array([model.faded(evidence) for evidence in model.pulls])
        least = np.maximum(
            faded + heats * size / active, np.minimum(model.pulls, MOST_CARRIED_PULLS)
        )  # what fades is replaced
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
        grown = model.faded(evidence) + pulls * heats * size / active if model.fading else pulls
        if model.fading:
            enough = grown >= min(evidence, MOST_CARRIED_PULLS, grown[-1])
            pulls, grown = pulls[enough], grown[enough]
        after = self._after(heats * choices + byes, self._states.size)
        logs = model.logs(active, size)
        values = between(logs, model.pulls, grown) - self._price * heats * pulls
        values += between(after, model.pulls, grown) if model.fading else after
        keep, many = np.unravel_index(int(round_to_nine_digits(values).argmax()), values.shape)
        return Priced(Shape(heats, size, int(choices[keep]), byes), int(pulls[many]))


def _states(n_arms: int) -> NDArray[np.int64]:
    """Return the numbers of arms at which values are kept: all small ones, then in steps of a sixteenth."""
    states = list(range(1, min(n_arms, EXACT_UP_TO) + 1))
    while states[-1] < n_arms:
        states.append(min(n_arms, states[-1] * STEP // (STEP - 1)))
    return np.array(states)


def _spend(model: Model, rounds: list[Priced], budget: int) -> list[Priced]:
    """Spend what is left where it gains most, in steps of an eighth of a round's pulls; then wherever it fits."""
    times = max(1, budget // max(1, _cost(rounds)))  # beyond doubt: the same shares of more
    rounds = [Priced(shape, pulls * times) for shape, pulls in rounds]
    left = budget - _cost(rounds)
    for _ in range(200):
        paid = [each.pulls > 0 and each.shape.heats <= left for each in rounds]
        gains = round_to_nine_digits(np.where(paid, _slopes(model, rounds), 0))
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
        stays = model.fading if model.fading * evidence < MOST_CARRIED_PULLS else 0.0
        slopes.append(((then - now) / ahead, stays))
    later, gains = 0.0, []
    for (shape, _), (slope, stays) in zip(reversed(rounds), reversed(slopes), strict=True):
        later = slope + stays * later
        gains.append(later * model.grown(0.0, shape, 1) / shape.heats)
    return np.array(gains[::-1])


def _plain(n_arms: int, heat_size: int, rule: Callable[[int], int], budget: int) -> list[Priced]:
    """Return the plan of a fixed rule, or nothing if it costs too much."""
    laid = affordable(n_arms, heat_size, rule, budget)
    heats = [shape.heats for shape in laid]
    return [Priced(shape, pulls) for shape, pulls in zip(laid, exact_pulls(heats, budget), strict=True)]


def _blind(n_arms: int, heat_size: int, budget: int) -> list[Priced]:
    laid = list(shapes(n_arms, heat_size, winner_stays))
    pulls = blind_pulls([shape.heats for shape in laid], budget)
    return [Priced(shape, each) for shape, each in zip(laid, pulls, strict=True)]


def _cost(rounds: list[Priced]) -> int:
    return sum(each.shape.heats * each.pulls for each in rounds)
