"""What a model is asked: the rounds that planned takes, and chances that no plan of some budgets exceeds.

Models are imported when they are first needed: they take SciPy, which not every run does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from heats.errors import InvalidArgument
from heats.planning.fixed import refuse_budget
from heats.planning.plan import RECORDS, Problem, Record, Round, Schedule, price_rounds
from heats.planning.request import Hints, Request
from heats.planning.rules import RULES, find_rule
from heats.planning.schedule import bound_pulls, count_pulls, list_rounds, printed_pulls

if TYPE_CHECKING:
    from heats.planning.model import Model

ROUNDING = 1e-12  # of chances


def find_model(problem: Problem, hints: Hints, record: Record) -> Model:
    """Return the model of a problem, which it shares with others that differ a little in their budgets."""
    from heats.planning.model import round_budget

    return _make_model(problem._replace(budget=round_budget(problem.budget, hints.edge)), hints, record)


@lru_cache(maxsize=32)
def _make_model(problem: Problem, hints: Hints, record: Record) -> Model:
    from heats.planning.model import Model

    return Model(problem, hints.feedback, hints.edge, carries=hints.feedback in RECORDS[record].carries)


@lru_cache(maxsize=256)
def optimise_rounds(problem: Problem, hints: Hints, record: Record, blind: bool) -> tuple[Round, ...]:
    """Return the rounds that are survived most likely by the model."""
    from heats.planning.optimise import optimise

    return tuple(optimise(find_model(problem, hints, record), problem.budget, blind=blind))


def check_optimised(problem: Problem, schedule: Schedule, *, blind: bool) -> None:
    """Refuse what planned cannot do."""
    if schedule != "exact":
        raise InvalidArgument(f"{{schedule}} is for {', '.join(RULES)}; name one as strategy.", schedule=schedule)
    n, k, budget = problem
    least = _count_least_heats(n, k)
    if budget < least and not blind:
        rounds = f"{n} candidates take at least {least} heats of {k}"
        raise refuse_budget(problem, rounds, least, _count_least_heats(n, min(2 * k, n)))


def _count_least_heats(n_arms: int, heat_size: int) -> int:
    """Return how many heats it takes at least: one drops at most all of its arms but one."""
    return -(-(n_arms - 1) // (heat_size - 1))


def bound_planned(asked: Request, low: int, high: int) -> float:
    """Return a chance that no planned tournament with a budget from ``low`` to ``high`` exceeds."""
    from heats.planning.optimise import bound_log_chance

    if high < _count_least_heats(asked.problem.n_arms, asked.problem.heat_size) and not asked.blind:
        return 0.0
    model = find_model(asked.problem._replace(budget=high), asked.hints, asked.record)
    return math.exp(bound_log_chance(model, high, blind=asked.blind)) + ROUNDING


def bound_rule(asked: Request, low: int, high: int) -> float:
    """Return a chance that no tournament by a fixed rule with a budget from ``low`` to ``high`` exceeds."""
    name, keep = find_rule(asked.strategy)
    n, k, _ = asked.problem
    shapes = list_rounds(n, k, keep)
    heats = [shape.heats for shape in shapes]
    least = 1 if asked.blind else sum(heats)
    if asked.schedule == "exact":
        pulls = bound_pulls(heats, max(low, least), high) if high >= least else [0]
    else:
        pulls = printed_pulls(name, n, k, len(heats), high)
        if count_pulls(heats, printed_pulls(name, n, k, len(heats), low)) > high:  # it overspends them all
            return 0.0
    if 0 in pulls and not asked.blind:
        return 0.0
    model = find_model(asked.problem._replace(budget=high), asked.hints, asked.record)
    return math.exp(float(model.log_chances(price_rounds(shapes, pulls)).sum())) + ROUNDING
