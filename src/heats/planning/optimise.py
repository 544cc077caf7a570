"""The planned strategy: which numbers to keep and to pull make the best arm most likely to survive all rounds.

Theory of operation
-------------------
The model gives every round a chance p. A plan is a chain of rounds from n arms to one, each keeping q of the arms of
its heats and pulling them b times. Planning maximises Σ log p with Σ heats·b ≤ budget, in four steps:

1. *A price instead of a budget.* With λ for a pull the sum falls apart into rounds, and with a arms left and evidence e
   so far the best that can still be reached obeys

       V(a, e) = max over q, b of  log p(a, q, e′) − λ·heats(a)·b + V(a′, e′),     V(1, ·) = 0                (1)

   where a′ = heats·q + byes arms are left and e′ is the evidence after the round (see ``model``). That is a dynamic
   program over a, from two arms upwards (`_Program`). Where no record is carried over, V does not depend on e.
2. *Bisect the price* between 1e-260 and 1e3. The cost of the best plan falls with λ; the lowest λ whose plan can be
   paid is wanted. The plans found on the way are candidates (`_list_candidates`).
3. *Spend what is left over* of the budget, which steps of the grid of pulls leave: an eighth of its pulls more to the
   round where a pull gains most, again and again; then wherever a pull fits (`_spend`).
4. *Compare* the last candidates with CSWS, CSR and CSH, all of them filled up, and take the best of all.

Approximated, to be fast: above 64 arms, V is known at numbers of arms a sixteenth apart and interpolated in log a; b
and e are on the grid of the model; with a record a round must at least replace what is forgotten of the evidence.
Fixed rules of more than 1000 rounds are not compared. Choices are made between numbers rounded to nine digits, and the
first of equal ones is taken: the same plan on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices
from heats.planning.model import (
    MOST_KEEP_CHOICES,
    Model,
    interpolate_columns,
    interpolate_rows,
    list_keep_choices,
    round_digits,
)
from heats.planning.plan import MOST_CARRIED_PULLS, Round, price_rounds
from heats.planning.rules import RULES, Rule, winner_stays
from heats.planning.schedule import (
    list_affordable_rounds,
    list_rounds,
    share_budget,
    share_budget_blindly,
    spend_rest,
)

LOWEST_PRICE, HIGHEST_PRICE = 1e-260, 1e3  # of a pull, in units of log p: nothing is too dear, nothing is worth it
BISECTIONS = 28  # until prices differ by two millionths
LAST_CANDIDATES = 3  # of those that the bisection finds: the next to last may be the better one, once filled up
MOST_ROUNDS_COMPARED = 1000  # of a fixed rule
EVERY_NUMBER_UP_TO = 64  # arms; above, in steps of a sixteenth, which every round drops at least
SIXTEENTHS = MOST_KEEP_CHOICES + 1
SPENDING_STEPS = 200
SLACK = 0.1  # of a bound, for what the program interpolates or does not know
PART_OF_PULLS = 8  # a step adds an eighth of the pulls of a round


def optimise(model: Model, budget: int, *, blind: bool) -> list[Round]:
    """Return the rounds with the best modelled chance that cost at most ``budget``, which must cover every heat once.

    With ``blind`` arms may be dropped unseen before the first pull, and the budget may be smaller.
    """
    candidates = [_spend(model, rounds, budget) for rounds in _list_candidates(model, budget, blind=blind)]
    failures = [math.log(-math.expm1(float(model.log_chances(rounds).sum()))) for rounds in candidates]
    return candidates[int(round_digits(np.array(failures)).argmin())]


def bound_log_chance(model: Model, budget: int, *, blind: bool) -> float:
    """Return a log chance that no plan with at most ``budget`` pulls exceeds, as far as the program knows all plans.

    Whatever the price λ, a plan that costs no more than B reaches at most V(n, 0) + λ·B: the best price says it best.
    With a record V is that of a program that need not replace what is forgotten (`_Program`).
    """
    solved = list(_bisect_price(model, budget, blind=blind))
    if model.remembered:
        values = [_solve_relaxed(_list_states(model), each.price, blind) for each in solved]
    else:
        values = [each.value for each in solved]
    bound = min(0.0, *(value + each.price * budget for value, each in zip(values, solved, strict=True)))
    knows_all = model.n_arms <= EVERY_NUMBER_UP_TO and model.heat_size <= SIXTEENTHS
    return bound if knows_all else (1 - SLACK) * bound


def _list_candidates(model: Model, budget: int, *, blind: bool) -> list[list[Round]]:
    """Return plans that can be paid: those of fixed rules, and the last ones that bisecting the price finds."""
    n, k = model.n_arms, model.heat_size
    plain = [rounds for rule in RULES.values() if (rounds := _follow_rule(n, k, rule, budget))]
    found = plain or [_follow_blindly(n, k, budget)]
    found += [each.rounds for each in _bisect_price(model, budget, blind=blind) if each.cost <= budget]
    chosen = [*found[: len(RULES)], *found[-LAST_CANDIDATES:]]
    return [rounds for number, rounds in enumerate(chosen) if rounds not in chosen[:number]]


class _Solved(NamedTuple):
    """What the dynamic program says to one price."""

    price: float  # λ
    value: float  # V(n, 0)
    rounds: list[Round]
    cost: int


def _bisect_price(model: Model, budget: int, *, blind: bool) -> Iterator[_Solved]:
    """Yield what the program says to ever closer prices around the lowest one whose plan can be paid."""
    states = _list_states(model)
    low, high = math.log(LOWEST_PRICE), math.log(HIGHEST_PRICE)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        solved = _solve(states, math.exp(middle), blind)
        if solved.cost <= budget:
            high = middle
        else:
            low = middle
        yield solved


@lru_cache(maxsize=512)  # programs, of a millisecond each: budgets next to each other meet the same prices
def _solve(states: _States, price: float, blind: bool) -> _Solved:
    program = _Program(states, price, blind=blind)
    rounds = program.follow()
    return _Solved(price, program.value, rounds, _count_pulls(rounds))


@lru_cache(maxsize=512)
def _solve_relaxed(states: _States, price: float, blind: bool) -> float:
    return _Program(states, price, blind=blind, relaxed=True).value


class _State(NamedTuple):
    """All that can be done when some number of arms is left."""

    heats: int
    size: int
    byes: int
    playing: float  # share of the arms that are in a heat
    keeps: Indices  # choices of q
    log_survival: Array  # log p, (q, evidence)
    above: Indices  # the state next above the number of arms that each q leaves,
    part: Array  # and how far that is from the state below


class _States:
    """The numbers of arms at which V is known: all small ones, then in steps of a sixteenth."""

    def __init__(self, model: Model) -> None:
        numbers = list(range(1, min(model.n_arms, EVERY_NUMBER_UP_TO) + 1))
        while numbers[-1] < model.n_arms:
            numbers.append(min(model.n_arms, numbers[-1] * SIXTEENTHS // (SIXTEENTHS - 1)))
        self.model, self._numbers, self._logs = model, np.array(numbers), np.log(numbers)
        self._met: dict[int, _State] = {}
        self.known = [self._make(active, max(1, number - 1)) for number, active in enumerate(numbers[1:], 1)]

    def meet(self, active: int) -> _State:
        """Return the state of any number of arms."""
        if active not in self._met:
            self._met[active] = self._make(active, self._numbers.size - 1)
        return self._met[active]

    def _make(self, active: int, last: int) -> _State:
        """Return a state that is followed by states up to ``last``."""
        size = min(self.model.heat_size, active)
        heats, byes = divmod(active, size)
        keeps = list_keep_choices(size)
        left = heats * keeps + byes  # a′ of equation (1)
        above = np.clip(np.searchsorted(self._numbers, left), 1, last)
        low, high = self._logs[above - 1], self._logs[above]
        part = np.clip((np.log(left) - low) / (high - low), 0, 1)[:, None]
        log_survival = self.model.log_survival(active, size)
        return _State(heats, size, byes, heats * size / active, keeps, log_survival, above, part)


@lru_cache(maxsize=4)
def _list_states(model: Model) -> _States:
    return _States(model)


class _Program:
    """The dynamic program for one price per pull: V of equation (1), ``(states, evidence)``.

    ``relaxed`` is for bounds: evidence may shrink, and what lies between two numbers of the grid is as good as both.
    """

    def __init__(self, states: _States, price: float, *, blind: bool, relaxed: bool = False) -> None:
        model = states.model
        self._model, self._states, self._price, self._blind, self._relaxed = model, states, price, blind, relaxed
        self._carried = np.minimum(model.remembered * model.pulls, MOST_CARRIED_PULLS)  # carry(e)
        value = self._value_with_record if model.remembered else self._value
        self._values = np.zeros((len(states.known) + 1, model.pulls.size if model.remembered else 1))
        for number, state in enumerate(states.known, 1):  # V(1, ·) = 0
            self._values[number] = value(state)

    @property
    def value(self) -> float:
        """V(n, 0)."""
        return float(self._values[-1, 0])

    def follow(self) -> list[Round]:
        """Return the rounds of the best choices, from all arms on."""
        active, evidence, rounds = self._model.n_arms, 0.0, []
        while active > 1:
            rounds.append(self._choose(self._states.meet(active), evidence))
            evidence = self._model.add_pulls(evidence, rounds[-1])
            active = rounds[-1].survivors
        return rounds

    def _value(self, state: _State) -> float:
        """Return V(a) where evidence is the pulls of the round: e′ = b."""
        gains = state.log_survival - self._price * state.heats * self._model.pulls  # log p − λ·heats·b
        best = gains[:, 0 if self._blind else 1 :].max(axis=1) + self._look_ahead(state)[:, 0]
        return float(best.max())

    def _value_with_record(self, state: _State) -> Array:
        """Return V(a, e) for every e: the maximum over e′, of which each costs b = (e′ − carry(e)) / playing pulls."""
        pulls, after = self._model.pulls, self._look_ahead(state)
        each = self._price * state.heats / state.playing  # λ·heats·b = each·(e′ − carry(e))
        gains = (state.log_survival + after - each * pulls).max(axis=0)  # over q, by e′
        from_here = np.maximum.accumulate(gains[::-1])[::-1]  # the best of this e′ and all above
        first = self._find_first_evidence(state)
        values: Array = from_here[first] + each * self._carried
        if self._blind:  # nothing is known and nothing is looked at
            values[0] = max(values[0], float((state.log_survival[:, 0] + after[:, 0]).max()))
        return values

    def _find_first_evidence(self, state: _State) -> Indices:
        """Return for every e the place of the least e′ that a round may lead to."""
        pulls = self._model.pulls
        if self._relaxed:
            least = self._carried + (0 if self._blind else state.playing)
            return np.maximum(np.searchsorted(pulls, least, side="right") - 1, 0)
        # At least one pull, and as much evidence as there was, so far as it counts: what is forgotten is replaced.
        least = np.maximum(self._carried + state.playing, np.minimum(pulls, MOST_CARRIED_PULLS))
        return np.minimum(np.searchsorted(pulls, least), pulls.size - 1)

    def _look_ahead(self, state: _State) -> Array:
        """Return V(a′, ·) for every q: between states by the logarithm of the number of arms."""
        above, part = state.above, state.part
        values: Array = (1 - part) * self._values[above - 1] + part * self._values[above]
        return values

    def _choose(self, state: _State, evidence: float) -> Round:
        """Return the round that attains the maximum of equation (1)."""
        model, ahead = self._model, state.log_survival + self._look_ahead(state)  # log p + V(a′, e′), (q, e′)
        first = 0 if self._blind and evidence == 0 else 1
        pulls, values = model.pulls[first:], ahead[:, first:]
        if model.remembered:
            then = model.carry(evidence) + pulls * state.playing  # e′
            enough = then >= min(evidence, MOST_CARRIED_PULLS, then[-1])
            pulls, then = pulls[enough], then[enough]
            values = interpolate_columns(ahead, model.pulls, then)
        values = round_digits(values - self._price * state.heats * pulls)
        keep, many = np.unravel_index(int(values.argmax()), values.shape)
        return Round(state.heats, state.size, int(state.keeps[keep]), int(pulls[many]), state.byes)


def _spend(model: Model, rounds: Sequence[Round], budget: int) -> list[Round]:
    """Spend what is left where it gains most, in steps of an eighth of a round's pulls; then wherever it fits."""
    times = max(1, budget // max(1, _count_pulls(rounds)))  # beyond doubt: the same shares of more
    rounds = [msgspec.structs.replace(each, pulls=each.pulls * times) for each in rounds]
    table, left = model.tabulate_rounds(rounds), budget - _count_pulls(rounds)
    for _ in range(SPENDING_STEPS):
        payable = [each.pulls > 0 and each.heats <= left for each in rounds]
        gains = round_digits(np.where(payable, _gain_per_pull(model, rounds, table), 0))
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        each = rounds[best]
        more = min(max(1, each.pulls // PART_OF_PULLS), left // each.heats)
        rounds[best] = msgspec.structs.replace(each, pulls=each.pulls + more)
        left -= more * each.heats
    seen = [number for number, each in enumerate(rounds) if each.pulls]
    pulls = spend_rest([rounds[i].heats for i in seen], [rounds[i].pulls for i in seen], budget)
    for number, many in zip(seen, pulls, strict=True):
        rounds[number] = msgspec.structs.replace(rounds[number], pulls=many)
    return rounds


def _gain_per_pull(model: Model, rounds: Sequence[Round], table: Array) -> Array:
    """Return d Σ log p / d cost of each round: in it, and through the record in all later ones."""
    evidence = model.add_up_evidence(rounds)
    ahead = np.maximum(2.0, evidence / 4)  # the derivative is a difference that looks a quarter ahead
    now, then = (interpolate_rows(table, model.pulls, at) for at in (evidence, evidence + ahead))
    slopes: Array = (then - now) / ahead  # d log p / d e′
    heats = np.array([each.heats for each in rounds], dtype=np.float64)
    if not model.remembered:
        return slopes / heats
    carried = np.where(model.remembered * evidence < MOST_CARRIED_PULLS, model.remembered, 0.0)  # d carry(e) / d e
    gains: Array = np.empty(len(rounds))
    later = 0.0
    for number in reversed(range(len(rounds))):
        gains[number] = later = slopes[number] + carried[number] * later
    playing = np.array([each.heats * each.size / each.arms for each in rounds])  # d e′ / d b
    gains *= playing / heats
    return gains


def _follow_rule(n_arms: int, heat_size: int, rule: Rule, budget: int) -> list[Round]:
    """Return the plan of a fixed rule, or nothing if it costs too much or takes too many rounds."""
    shapes = list_affordable_rounds(n_arms, heat_size, rule, budget, MOST_ROUNDS_COMPARED)
    return price_rounds(shapes, share_budget([shape.heats for shape in shapes], budget))


def _follow_blindly(n_arms: int, heat_size: int, budget: int) -> list[Round]:
    """Return the plan of CSWS, which takes the fewest rounds, whether or not the budget covers every heat."""
    shapes = list_rounds(n_arms, heat_size, winner_stays)
    return price_rounds(shapes, share_budget_blindly([shape.heats for shape in shapes], budget))


def _count_pulls(rounds: Sequence[Round]) -> int:
    return sum(each.cost for each in rounds)
