"""A plan in words and numbers: what a round keeps and costs, how likely the best survives it, and the alternatives."""

from __future__ import annotations

import math

from heats.base.text import format_table
from heats.planning.model import FeedbackHint
from heats.planning.plan import Plan, chances, plan
from heats.planning.rules import RULES
from heats.planning.schedule import affordable


def explain_plan(made: Plan, feedback: FeedbackHint | None = None, edge: float | None = None) -> str:
    """Return the plan as a table with the modelled chances, next to the paper's strategies with the same budget."""
    problem = (made.n_arms, made.heat_size)
    survival = chances(made, feedback, edge)
    described = made.describe({"best survives": [_share(chance) for chance in survival]})
    rows: list[tuple[object, ...]] = [
        (made.strategy, len(made.rounds), made.cost, made.record, _share(math.prod(survival)))
    ]
    for rule in ("planned", *RULES):
        if rule == made.strategy:
            continue
        if rule in RULES and not made.blind and not affordable(*problem, RULES[rule], made.budget):
            rows.append((rule, "", "too few", "", ""))
            continue
        other = plan(*problem, made.budget, rule, feedback=feedback, blind=made.blind)
        chance = _share(math.prod(chances(other, feedback, edge)))
        rows.append((rule, len(other.rounds), other.cost, other.record, chance))
    told = feedback or "any"
    about = f"Modelled chance to find the best ({told} feedback; docs/planning.md says what is modelled):"
    return "\n".join(
        [described, "", about, "", *format_table(("strategy", "rounds", "pulls", "record", "chance"), rows)]
    )


def _share(chance: float) -> str:
    """Return a chance to as many places as tell it from certainty."""
    if chance >= 1 - 1e-9:
        return "1 - " + (f"{1 - chance:.0e}" if chance < 1 else "1e-16")
    places = max(1, math.ceil(-math.log10(1 - chance)) - 1)
    return f"{chance:.{places}%}"
