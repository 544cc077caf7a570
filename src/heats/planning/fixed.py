"""A fixed rule and a budget → its rounds, with the exact schedule or as printed; or why there are none."""

from __future__ import annotations

from heats.errors import BudgetTooSmall, InvalidArgument, PlanOverspends
from heats.planning.plan import Problem, Round, price_rounds
from heats.planning.rules import RULES, Rule, find_rule
from heats.planning.schedule import (
    count_pulls,
    lay_rounds,
    list_rounds,
    printed_least,
    printed_pulls,
    share_budget,
    share_budget_blindly,
)


def follow_exactly(problem: Problem, strategy: str | Rule, *, blind: bool) -> tuple[str, list[Round]]:
    """Return the name of a rule and its rounds with the exact schedule."""
    name, keep = find_rule(strategy)
    n, k, budget = problem
    shapes = list_rounds(n, k, keep)
    heats = [shape.heats for shape in shapes]
    least = sum(heats)
    if budget < least and not blind:
        rounds = f"the {len(heats)} rounds have {least} heats"
        raise refuse_budget(problem, rounds, least, _count_heats(n, min(2 * k, n), keep, least))
    return name, price_rounds(
        shapes, share_budget(heats, budget) if budget >= least else share_budget_blindly(heats, budget)
    )


def follow_as_printed(problem: Problem, strategy: str | Rule, *, blind: bool) -> tuple[str, list[Round]]:
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


def refuse_budget(problem: Problem, rounds: str, least: int, fewer: int) -> BudgetTooSmall:
    """Return the error that a budget does not cover every heat, and what would help: larger heats, if they do."""
    larger = min(2 * problem.heat_size, problem.n_arms)
    help_ = f", take {{heat_size}} (with which it takes {fewer})" if fewer < least else ""
    return BudgetTooSmall(
        f"{{budget}} leaves a heat without a single pull: {rounds}. Give at least {least} pulls{help_}, "
        "or allow unseen heats with {blind}.",
        budget=problem.budget,
        blind=True,
        heat_size=larger,
    )
