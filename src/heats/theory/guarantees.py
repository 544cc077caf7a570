"""What a plan guarantees, and the smallest budget that guarantees what is wanted. Holds for any plan, round by round.

In round r the best arm i* survives if 2·γ̄(b_r) < Δ, where Δ is its lead over the first arm that leaves its heat.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from heats.base.checks import refuse
from heats.errors import InvalidArgument
from heats.planning.build import plan
from heats.planning.plan import RECORDS, Plan, check_problem
from heats.planning.rules import Rule, find_rule
from heats.planning.schedule import list_rounds
from heats.theory.budgets import check_gap
from heats.theory.rates import Rate, as_rate
from heats.theory.search import find_smallest_budget


class Guarantee(msgspec.Struct, frozen=True):
    """The decisive gap each round resolves: i* survives if it leads the first arm that leaves by *more* than that."""

    gaps: tuple[float, ...]

    @property
    def gap(self) -> float:
        """The gap that every round resolves: i* wins if all its decisive gaps are larger."""
        return max(self.gaps)

    @property
    def weakest_round(self) -> int:
        """The round, from 0, that resolves the least."""
        return self.gaps.index(self.gap)


def guarantee(plan: Plan, rate: Rate | Callable[[int], float]) -> Guarantee:
    """Say which decisive gap a plan resolves in each round if scores settle at ``rate`` (Theorem 2, by rounds)."""
    if not RECORDS[check_plan(plan).record].guaranteed:
        raise InvalidArgument(
            "a plan with {record} ranks heats by more than their own scores, which the theorems do not cover; they "
            "cover 'ties' and 'off'.",
            plan=plan,
            record=plan.record,
        )
    blind = [number for number, each in enumerate(plan.rounds, 1) if not each.pulls]
    if blind:
        raise InvalidArgument(
            f"round {blind[0]} of the plan makes no pull, so it guarantees nothing; give it more budget.", plan=plan
        )
    settles = as_rate(rate)
    return Guarantee(tuple(2 * settles.rate(each.pulls) for each in plan.rounds))


def smallest_budget(
    n_arms: int, heat_size: int, strategy: str | Rule, gap: float, rate: Rate | Callable[[int], float]
) -> int:
    """Return the smallest budget whose exact plan resolves ``gap`` in every round, i.e. 2·γ(b_r) < gap for all r.

    A larger budget may give some round a pull less (what is left over goes elsewhere), so budgets are not simply
    bisected: those that could do are tried in increasing order.
    """
    n_arms, heat_size, _ = check_problem(n_arms, heat_size, 1)
    keep = find_rule(strategy)[1]
    widths = [shape.heats for shape in list_rounds(n_arms, heat_size, keep)]
    return find_smallest_budget(widths, pulls_needed(gap, rate))


def plan_for_gap(
    n_arms: int, heat_size: int, strategy: str | Rule, gap: float, rate: Rate | Callable[[int], float]
) -> Plan:
    """Return the exact plan with the smallest budget that resolves ``gap`` in every round."""
    return plan(n_arms, heat_size, smallest_budget(n_arms, heat_size, strategy, gap, rate), strategy)


def pulls_needed(gap: float, rate: Rate | Callable[[int], float]) -> int:
    """Return how many pulls a heat needs to resolve ``gap``: the smallest t with 2·γ(t) < gap."""
    return as_rate(rate).pulls_below(check_gap(gap) / 2)


def check_plan(plan: object) -> Plan:
    """Return a plan, or refuse what is none."""
    if not isinstance(plan, Plan):
        raise refuse("plan", plan, "must be a plan; heats.plan makes one")
    return plan
