"""A plan in words and numbers: what a round keeps and costs, how likely the best survives it, and the alternatives."""

from __future__ import annotations

import math

from heats.base.text import format_table
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning.build import chances, plan
from heats.planning.plan import FeedbackHint, Plan
from heats.planning.request import Hints
from heats.planning.rules import PLANNED, RULES


def explain_plan(
    made: Plan, feedback: FeedbackHint | None = None, edge: float | None = None, voters: int | None = None
) -> str:
    """Return the plan as a table with the modelled chances, next to the other strategies with the same budget."""
    survival = chances(made, feedback, edge)
    described = made.describe({"best survives": [_format_chance(chance) for chance in survival]})
    rows = [_summarise(made, feedback, edge)]
    others = [name for name in (PLANNED, *RULES) if name != made.strategy]
    rows += [_try_strategy(name, made, Hints(feedback, edge), voters) for name in others]
    told = feedback or "any"
    about = f"Modelled chance to find the best ({told} feedback; docs/planning.md says what is modelled):"
    return "\n".join(
        [described, "", about, "", *format_table(("strategy", "rounds", "pulls", "record", "chance"), rows)]
    )


def _summarise(made: Plan, feedback: FeedbackHint | None, edge: float | None) -> tuple[object, ...]:
    """Return a plan as a row of the table of strategies."""
    chance = _format_chance(math.prod(chances(made, feedback, edge)))
    return made.strategy, len(made.rounds), made.cost, made.record, chance


def _try_strategy(name: str, made: Plan, hints: Hints, voters: int | None) -> tuple[object, ...]:
    """Return the row of another strategy for the same problem, or why there is none."""
    try:
        options = {"feedback": hints.feedback, "blind": made.blind, "voters": voters}
        other = plan(made.n_arms, made.heat_size, made.budget, name, **options)  # type: ignore[arg-type]
    except BudgetTooSmall:
        return name, "", "too few", "", ""
    except InvalidArgument:
        return name, "too many", "", "", ""
    return _summarise(other, *hints)


def _format_chance(chance: float) -> str:
    """Return a chance to as many places as tell it from certainty."""
    if chance >= 1 - 1e-9:
        return "1 - " + (f"{1 - chance:.0e}" if chance < 1 else "1e-16")
    places = max(1, math.ceil(-math.log10(1 - chance)) - 1)
    return f"{chance:.{places}%}"
