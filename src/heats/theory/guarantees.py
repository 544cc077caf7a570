"""What a plan guarantees, and the smallest budget that guarantees what is wanted. Holds for any plan, round by round.

In round r the best arm i* survives if 2·γ̄(b_r) < Δ, where Δ is its lead over the first arm that leaves its heat.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from heats.errors import InvalidArgument
from heats.planning.build import plan
from heats.planning.plan import RECORDS, Plan, check_problem
from heats.planning.rules import Rule, find_rule
from heats.planning.schedule import Shape, list_rounds, share_budget
from heats.theory.budgets import check_gap
from heats.theory.rates import Rate, as_rate

MOST_WORK = 10**9  # rounds × heats up to which the smallest budget is searched for: some seconds


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
    if not RECORDS[plan.record].guaranteed:
        raise InvalidArgument(
            f"a plan with record={plan.record!r} ranks heats by more than their own scores, which the theorems do not "
            "cover; use record='ties' or 'off'."
        )
    blind = [number for number, each in enumerate(plan.rounds, 1) if not each.pulls]
    if blind:
        raise InvalidArgument(
            f"round {blind[0]} of the plan makes no pull, so it guarantees nothing; give it more budget."
        )
    settles = as_rate(rate)
    return Guarantee(tuple(2 * settles.rate(each.pulls) for each in plan.rounds))


def smallest_budget(
    n_arms: int, heat_size: int, strategy: str | Rule, gap: float, rate: Rate | Callable[[int], float]
) -> int:
    """Return the smallest budget whose exact plan resolves ``gap`` in every round, i.e. 2·γ(b_r) < gap for all r.

    A larger budget may give some round a pull less (what is left over goes elsewhere), so budgets are not simply
    bisected: all that could do are tried in increasing order.
    """
    n_arms, heat_size, _ = check_problem(n_arms, heat_size, 1)
    keep = find_rule(strategy)[1]
    return _smallest(list_rounds(n_arms, heat_size, keep), pulls_needed(gap, rate))


def plan_for_gap(
    n_arms: int, heat_size: int, strategy: str | Rule, gap: float, rate: Rate | Callable[[int], float]
) -> Plan:
    """Return the exact plan with the smallest budget that resolves ``gap`` in every round."""
    return plan(n_arms, heat_size, smallest_budget(n_arms, heat_size, strategy, gap, rate), strategy)


def _smallest(rounds: list[Shape], needed: int) -> int:
    """Return the smallest budget whose exact schedule gives every heat ``needed`` pulls.

    The schedule shares x: ⌊x/heats⌋ pulls per heat. At x = needed·(widest round) all have enough, so no more is
    ever needed. Below, what flooring left over must make up for what is missing: missing < cost(x+1) − cost(x).
    """
    heats = [shape.heats for shape in rounds]
    if sum(heats) * len(heats) > MOST_WORK:
        raise InvalidArgument(
            f"{len(heats)} rounds with {sum(heats)} heats are too many to search for the smallest budget; "
            "take fewer arms, a smaller heat_size, or a strategy with fewer rounds."
        )
    widths = np.array(heats, dtype=np.int64)
    enough = needed * max(heats)
    if enough * len(heats) > 2**62:
        raise InvalidArgument(f"{needed} pulls per heat cost more than 2^62 pulls; ask for a larger gap.")
    for start in range(max(0, enough - sum(heats)), enough + 1, 4096):
        shares = np.arange(start, min(start + 4096, enough + 1))[:, None]
        pulls = np.maximum(1, shares // widths)
        costs = pulls @ widths
        left = np.maximum(1, (shares + 1) // widths) @ widths - costs  # budgets cost .. cost+left-1 share the same x
        missing = np.maximum(0, needed - pulls) @ widths
        for row in np.flatnonzero(missing < left):
            for spare in range(int(missing[row]), int(left[row])):
                budget = int(costs[row]) + spare
                if min(share_budget(heats, budget)) >= needed:
                    return budget
    raise AssertionError("the share needed·(widest round) gives every heat enough")


def pulls_needed(gap: float, rate: Rate | Callable[[int], float]) -> int:
    """Return how many pulls a heat needs to resolve ``gap``: the smallest t with 2·γ(t) < gap."""
    return as_rate(rate).pulls_below(check_gap(gap) / 2)
