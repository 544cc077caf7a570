"""Arguments → a plan; a plan → its modelled chances.

The model behind both is imported when it is first needed: it takes SciPy, which not every run does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from heats.base.checks import between, one_of, true_or_false
from heats.errors import BudgetTooSmall, InvalidArgument, PlanOverspends
from heats.planning.plan import (
    RECORDS,
    SCHEDULES,
    FeedbackHint,
    Plan,
    Problem,
    Record,
    Round,
    Schedule,
    check_feedback,
    check_problem,
    check_record_name,
    price_rounds,
)
from heats.planning.rules import PLANNED, RULES, Rule, find_rule, is_planned
from heats.planning.schedule import (
    count_pulls,
    lay_rounds,
    list_rounds,
    printed_least,
    printed_pulls,
    share_budget,
    share_budget_blindly,
)

if TYPE_CHECKING:
    from heats.planning.model import Model

LOWEST_EDGE, HIGHEST_EDGE = 0.501, 0.999


class Hints(NamedTuple):
    """What is known about the feedback: its kind, and how often the best would beat the second best in a pull."""

    feedback: FeedbackHint | None
    edge: float | None


def plan(
    n_arms: int,
    heat_size: int,
    budget: int,
    strategy: str | Rule = "planned",
    *,
    feedback: FeedbackHint | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule = "exact",
    record: Record | None = None,
    blind: bool = False,
) -> Plan:
    """Lay out every round of a tournament before the first pull.

    Parameters
    ----------
    n_arms, heat_size, budget
        How many candidates there are (the paper's n), how many fit in one comparison (k), and how
        many comparisons may be made in all (B).
    strategy
        ``"planned"`` chooses for every round how many arms stay and how often heats are pulled, so that the best arm
        most likely survives. ``"csws"`` keeps the winner of a heat, ``"csr"`` drops its last, ``"csh"`` keeps its
        better half; or a function f(size) that says how many arms of a heat stay.
    feedback
        What will be told, if you know: ``"reward"``, ``"winner"`` (or races) or ``"ranking"``. Planned makes use of it,
        and the plan keeps it.
    edge
        How close the race is, if you know: how often the best would beat the second best in a single pull, such as
        0.55 (close) or 0.9 (clear). Planned makes use of it; without, it plans for 0.72 and for a field in which the
        strongest are close.
    guaranteed
        Keep to what the paper's theorems cover: a record of ``"ties"`` or ``"off"``.
    schedule
        ``"exact"`` divides the budget over the rounds that really happen and spends all it can;
        ``"paper"`` uses R, P_r and b_r = ⌊B/(P_r R)⌋ of Section 4.1 as printed.
    record
        What an arm did in earlier rounds decides ties of a heat (``"ties"``), nothing (``"off"``), or, together with
        this round, the whole ranking of a heat: by its mean lead (``"pooled"``) or by a Plackett-Luce fit to all pulls
        (``"fitted"``, for winners and rankings). The last two are outside the paper's guarantees. Left out: ``"ties"``;
        planned takes ``"fitted"`` for winners and rankings of three and more.
    blind
        Allow heats that nobody looks at. Otherwise such a plan is refused.

    Returns
    -------
    Plan
        One ``Round`` per elimination; together they cost at most ``budget`` pulls.

    Raises
    ------
    BudgetTooSmall
        If some heat would be judged without a single pull; the message names the smallest budget that works.
    PlanOverspends
        If the printed schedule would cost more than the budget (CSH with odd heat sizes).

    Examples
    --------
    >>> plan(100, 4, 500, "csh").rounds[0]
    Round(heats=25, size=4, keep=2, pulls=2, byes=0)
    """
    problem = check_problem(n_arms, heat_size, budget)
    true_or_false("blind", blind)
    one_of("schedule", schedule, SCHEDULES)
    hints = _check_hints(feedback, edge)
    if edge is not None and not is_planned(strategy):
        raise InvalidArgument("{edge} is used by {strategy} only; leave it out.", edge=edge, strategy=PLANNED)
    record = _choose_record(record, hints, problem, guaranteed=guaranteed, optimised=is_planned(strategy))
    rounds: Sequence[Round]
    if is_planned(strategy):
        _check_optimised(problem, schedule, blind=blind)
        name, rounds = PLANNED, _optimise_rounds(problem, hints, record, blind)
    elif schedule == "exact":
        name, rounds = _follow_exactly(problem, strategy, blind=blind)
    else:
        name, rounds = _follow_as_printed(problem, strategy, blind=blind)
    return Plan(
        **problem._asdict(),
        rounds=tuple(rounds),
        strategy=name,
        schedule=str(schedule),
        record=record,
        blind=blind,
        feedback=hints.feedback,
    )


def chances(plan: Plan, feedback: FeedbackHint | None = None, edge: float | None = None) -> tuple[float, ...]:
    """Return the modelled chance that the best arm survives, for every round; their product is that of the whole plan.

    The model is the one that the planned strategy optimises (docs/planning.md); ``feedback`` and ``edge`` as there.
    """
    if not isinstance(plan, Plan):
        raise InvalidArgument("{plan} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).", plan=plan)
    problem = Problem(plan.n_arms, plan.heat_size, plan.budget)
    model = _make_model(problem, _check_hints(feedback, edge), plan.record)
    return tuple(math.exp(log) for log in model.log_chances(plan.rounds).tolist())


# The planned strategy


@lru_cache(maxsize=32)
def _make_model(problem: Problem, hints: Hints, record: Record) -> Model:
    from heats.planning.model import Model

    return Model(problem, hints.feedback, hints.edge, carries=hints.feedback in RECORDS[record].carries)


@lru_cache(maxsize=256)
def _optimise_rounds(problem: Problem, hints: Hints, record: Record, blind: bool) -> tuple[Round, ...]:
    from heats.planning.optimise import optimise

    return tuple(optimise(_make_model(problem, hints, record), problem.budget, blind=blind))


def _check_optimised(problem: Problem, schedule: Schedule, *, blind: bool) -> None:
    """Refuse what planned cannot do."""
    if schedule != "exact":
        raise InvalidArgument(f"{{schedule}} is for {', '.join(RULES)}; name one as strategy.", schedule=schedule)
    n, k, budget = problem
    least = _count_least_heats(n, k)
    if budget < least and not blind:
        rounds = f"{n} candidates take at least {least} heats of {k}"
        raise _refuse_budget(problem, rounds, least, _count_least_heats(n, min(2 * k, n)))


def _count_least_heats(n_arms: int, heat_size: int) -> int:
    """Return how many heats it takes at least: one drops at most all of its arms but one."""
    return -(-(n_arms - 1) // (heat_size - 1))


# Fixed rules


def _follow_exactly(problem: Problem, strategy: str | Rule, *, blind: bool) -> tuple[str, list[Round]]:
    """Return the name of a rule and its rounds with the exact schedule."""
    name, keep = find_rule(strategy)
    n, k, budget = problem
    shapes = list_rounds(n, k, keep)
    heats = [shape.heats for shape in shapes]
    least = sum(heats)
    if budget < least and not blind:
        rounds = f"the {len(heats)} rounds have {least} heats"
        raise _refuse_budget(problem, rounds, least, _count_heats(n, min(2 * k, n), keep, least))
    return name, price_rounds(
        shapes, share_budget(heats, budget) if budget >= least else share_budget_blindly(heats, budget)
    )


def _follow_as_printed(problem: Problem, strategy: str | Rule, *, blind: bool) -> tuple[str, list[Round]]:
    """Return the name of a rule and its rounds with the schedule of Section 4.1 as printed."""
    name, keep = find_rule(strategy)
    if not isinstance(strategy, str):
        raise InvalidArgument(
            f"{{schedule}} exists only for {', '.join(RULES)}, not for the rule {name}; use schedule='exact'.",
            schedule="paper",
        )
    n, k, budget = problem
    shapes = list_rounds(n, k, keep)
    heats = [shape.heats for shape in shapes]
    pulls = printed_pulls(name, n, k, len(heats), budget)
    spent = count_pulls(heats, pulls)
    if spent > budget:
        raise PlanOverspends(
            f"the printed {name} schedule for n={n}, k={k} would spend {spent} pulls of a budget of {budget}: its "
            "bounds on rounds and heats are too small for odd heats. Use {schedule}, which never overspends.",
            schedule="exact",
        )
    if 0 in pulls and not blind:
        least = printed_least(name, n, k, heats)
        more = f"Give at least {least} pulls" if least else "No budget helps, it would overspend every one"
        raise BudgetTooSmall(
            f"{{budget}} leaves a heat of the printed {name} schedule without a single pull. {more}, "
            f"use {{schedule}} (which needs {sum(heats)}), or allow unseen heats with {{blind}}.",
            budget=budget,
            schedule="exact",
            blind=True,
        )
    return name, price_rounds(shapes, pulls)


def _count_heats(n_arms: int, heat_size: int, keep: Rule, most: int) -> int:
    """Return how many heats all rounds have together; beyond ``most`` it stops to count."""
    total = 0
    for shape in lay_rounds(n_arms, heat_size, keep):
        total += shape.heats
        if total >= most:
            break
    return total


def _refuse_budget(problem: Problem, rounds: str, least: int, fewer: int) -> BudgetTooSmall:
    """Return the error that a budget does not cover every heat, and what would help: larger heats, if they do."""
    larger = min(2 * problem.heat_size, problem.n_arms)
    help_ = f", raise heat_size (with {larger} it takes {fewer})" if fewer < least else ""
    return BudgetTooSmall(
        f"{{budget}} leaves a heat without a single pull: {rounds}. Give at least {least} pulls{help_}, "
        "or allow unseen heats with {blind}.",
        budget=problem.budget,
        blind=True,
    )


# Checks


def _check_hints(feedback: object, edge: object) -> Hints:
    """Return the hints, or refuse what cannot be one."""
    why = "at 0.5 the two best cannot be told apart"
    share = None if edge is None else between("edge", edge, LOWEST_EDGE, HIGHEST_EDGE, why=why)
    return Hints(check_feedback(feedback), share)


def _choose_record(record: object, hints: Hints, problem: Problem, *, guaranteed: bool, optimised: bool) -> Record:
    """Return the record that was asked for, or else the one that suits, or refuse it."""
    true_or_false("guaranteed", guaranteed)
    if record is None:
        # In pairs a fit gains nothing over deciding ties, and loses where strength depends on the opponent.
        fits = hints.feedback in ("winner", "ranking") and problem.heat_size > 2
        return "fitted" if optimised and fits and not guaranteed else "ties"
    name = check_record_name(record)
    if guaranteed and not RECORDS[name].guaranteed:
        raise InvalidArgument("{record} is not covered by the paper's theorems; take ties or off.", record=name)
    if hints.feedback in RECORDS[name].refuses:
        raise InvalidArgument(
            "{record} is a model of wins and rankings, not of rewards; take another record.", record=name
        )
    return name
