"""Arguments → a plan; a plan → its modelled chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from heats.base.checks import between
from heats.errors import BudgetTooSmall, InvalidArgument, PlanOverspends
from heats.planning.fixed import follow_as_printed, follow_exactly
from heats.planning.modelled import bound_planned, bound_rule, check_optimised, find_model, optimise_rounds
from heats.planning.needed import Chances, Watch, find_largest_chance, find_smallest
from heats.planning.plan import (
    MOST_BUDGET_PULLS,
    FeedbackHint,
    Plan,
    Problem,
    Record,
    Round,
    Schedule,
    check_problem,
)
from heats.planning.request import Request, check_hints, check_request
from heats.planning.rules import PLANNED, RULES, Rule, is_planned
from heats.planning.voters import check_voters, find_budget, is_too_often, limit_pulls


def plan(
    n_arms: int,
    heat_size: int,
    budget: int | None = None,
    strategy: str | Rule = "planned",
    *,
    chance: float | None = None,
    feedback: FeedbackHint | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule = "exact",
    record: Record | None = None,
    blind: bool = False,
    voters: int | None = None,
    votes_each: int | None = None,
) -> Plan:
    """Lay out every round of a tournament before the first pull.

    Parameters
    ----------
    n_arms, heat_size, budget
        How many candidates there are (the paper's n), how many fit in one comparison (k), and how
        many comparisons may be made in all (B).
    chance
        Instead of a budget, how likely the best arm shall be found: then the budget is the smallest one whose plan has
        a modelled chance (the product of :func:`chances`) of at least that. More budget does not always help, since
        what is left over is spent where it fits: all smaller budgets fall short, and a larger one now and then. Up to
        64 candidates, heats of 16 and 10 000 pulls that is exact. Above 10 000 pulls budgets of three digits are
        looked at, such as 12 300; with more candidates or larger heats planned itself approximates, and a smaller
        budget is found unless its plan fails a tenth less often than such plans should.
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
    voters, votes_each
        How many people vote, if people do: no heat is pulled more often than that, so nobody has to see one twice.
        Rounds with heats that would be give pulls to others, and planned takes the rounds that are best then. With
        ``votes_each`` the budget may be left out: it is what all voters have together.

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
    asked = check_request(
        *(n_arms, heat_size, strategy),
        feedback=feedback,
        edge=edge,
        guaranteed=guaranteed,
        schedule=schedule,
        record=record,
        blind=blind,
        voters=check_voters(voters, votes_each),
    )
    return lay_out(asked, find_budget(budget, asked.voters, votes_each), chance)


def lay_out(asked: Request, budget: int | None, chance: float | None, watch: Watch = lambda done, total: None) -> Plan:
    """Return the plan with a budget, or with the smallest one that has a chance; ``watch`` sees the search go on."""
    if chance is None:
        if budget is None:
            raise InvalidArgument(
                "say how many pulls may be made, as {budget}, or how likely the best shall be found, as {chance}.",
                budget=100,
                chance=0.95,
            )
        return _lay_rounds(asked, budget)
    if budget is not None:
        raise InvalidArgument(
            "{budget} and {chance} were both given, but the one follows from the other; leave one out.",
            budget=budget,
            chance=chance,
        )
    if asked.voters is not None:
        raise InvalidArgument(
            "{chance} may take more votes than {voters} can give; say how many comparisons may be made, as a budget or "
            "as votes_each.",
            chance=chance,
            voters=asked.voters,
        )
    why = "how likely the best shall be found, neither never nor always"
    wanted = between("chance", chance, 0, 1, open_low=True, open_high=True, why=why)
    return _lay_rounds(asked, _find_budget(asked, wanted, watch))


def _lay_rounds(asked: Request, budget: int) -> Plan:
    """Return the plan with a budget."""
    problem = check_problem(asked.problem.n_arms, asked.problem.heat_size, budget)
    _, strategy, hints, record, schedule, blind, voters = asked
    rounds: Sequence[Round]
    if is_planned(strategy):
        check_optimised(problem, schedule, blind=blind)
        name, rounds = PLANNED, optimise_rounds(problem, hints, record, blind)
    elif schedule == "exact":
        name, rounds = follow_exactly(problem, strategy, blind=blind)
    else:
        name, rounds = follow_as_printed(problem, strategy, blind=blind)
    if voters is not None and is_too_often(rounds, voters):
        rounds = _rearrange(asked, problem, rounds, voters)
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
    model = find_model(problem, check_hints(feedback, edge), plan.record)
    return tuple(math.exp(log) for log in model.log_chances(plan.rounds).tolist())


# Voters, of whom nobody sees a heat twice


def _rearrange(asked: Request, problem: Problem, rounds: Sequence[Round], voters: int) -> Sequence[Round]:
    """Return rounds whose heats are not pulled too often: of planned, the likeliest of it and of the fixed rules."""
    if asked.schedule != "exact":
        most = max(each.pulls for each in rounds)
        raise InvalidArgument(
            f"the printed schedule pulls a heat {most} times, and with {{voters}} somebody would see it twice. Use "
            "{schedule}, which gives these pulls to other rounds, or a smaller budget.",
            voters=voters,
            schedule="exact",
        )
    found = [limit_pulls(rounds, voters, problem.budget)]
    if not is_planned(asked.strategy):
        return found[0]
    for name in RULES:
        with suppress(BudgetTooSmall, InvalidArgument):  # too few pulls, or too many rounds
            found.append(limit_pulls(follow_exactly(problem, name, blind=False)[1], voters, problem.budget))
    model = find_model(problem, asked.hints, asked.record)
    return max(found, key=lambda each: round(float(model.log_chances(each).sum()), 9))


# A chance instead of a budget


def _find_budget(asked: Request, wanted: float, watch: Watch) -> int:
    """Return the smallest budget whose plan has the chance wanted, or refuse what none has."""

    def reach(budget: int) -> float:
        try:
            made = _lay_rounds(asked, budget)
        except (BudgetTooSmall, PlanOverspends):
            return 0.0
        return math.prod(chances(made, *asked.hints))

    reach(1)  # refuses what no budget mends
    bound = bound_planned if is_planned(asked.strategy) else bound_rule
    known = Chances(reach, partial(bound, asked))
    found = find_smallest(wanted, known, watch)
    if found is None:
        best, budget = find_largest_chance(known)
        if best == 0:
            _lay_rounds(asked, MOST_BUDGET_PULLS)  # says why there is no plan at all
        raise InvalidArgument(
            f"{{chance}} is not reached by any budget up to {MOST_BUDGET_PULLS} pulls: the largest modelled chance "
            f"found is {best:.6g}, with {budget} pulls; ask for a smaller chance.",
            chance=wanted,
        )
    return found
