"""A wanted chance → the smallest budget whose plan reaches it, although more budget does not always help.

Theory of operation
-------------------
A plan spends what is left over where it fits, so that one pull more may leave it a little worse: the modelled chance
climbs in a zigzag, and bisection alone may miss a smaller budget that reaches what is wanted. So the search knows a
*bound* on the chance of all budgets from low to high, halves ranges, the lower half first, and leaves out those whose
bound falls short:

    fixed rules   pulls per heat as many as any of these budgets gives to a round: fewer are never better (``schedule``)
    planned       what no price of a pull can beat: the dual of the program with the highest budget (``optimise``)

Bounds of the first kind hold always. Those of the second hold for up to 64 arms in heats of up to 16; beyond, the
program interpolates, and they are given a tenth of the chance to fail as slack.

Up to 10 000 pulls every budget counts; above, those of three digits, such as 12 300.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from heats.planning.plan import MOST_BUDGET_PULLS

EVERY_BUDGET_UP_TO = 10_000
ROUND_BUDGETS = 900  # between a power of ten and the next: those of three digits
FACTOR = 4  # from one range of budgets to the next

Watch = Callable[[int, int], None]


class Chances(NamedTuple):
    """What is known of the chances of budgets: of one, and of all from low to high no more than that."""

    reach: Callable[[int], float]
    bound: Callable[[int, int], float]


def find_smallest(wanted: float, chances: Chances, watch: Watch) -> int | None:
    """Return the smallest budget that reaches the chance wanted, or None if all there are fall short.

    ``watch`` is called with (ranges looked at, all that are known of) again and again.
    """
    looked = count(1)
    last = _number(MOST_BUDGET_PULLS)
    low = 1
    while low <= last:
        ranges = [(low, min(FACTOR * low, last))]
        while ranges:
            first, final = ranges.pop()
            done = next(looked)
            watch(done, done + len(ranges))
            lowest, highest = nth_budget(first), nth_budget(final)
            if first == final and chances.reach(lowest) >= wanted:
                return lowest
            if first < final and chances.bound(lowest, highest) >= wanted:
                middle = (first + final) // 2
                ranges += [(middle + 1, final), (first, middle)]
        low = FACTOR * low + 1
    return None


def find_largest_chance(chances: Chances) -> tuple[float, int]:
    """Return the largest chance of budgets ever further apart, and the first budget that has it."""
    budgets = [nth_budget(place) for place in range(1, _number(MOST_BUDGET_PULLS) + 1, ROUND_BUDGETS)]
    found = [(chances.reach(budget), -budget) for budget in budgets]
    best, budget = max(found)
    return best, -budget


def nth_budget(place: int) -> int:
    """Return the n-th budget that counts."""
    if place <= EVERY_BUDGET_UP_TO:
        return place
    decade, step = divmod(place - EVERY_BUDGET_UP_TO, ROUND_BUDGETS)
    return (100 + step) * EVERY_BUDGET_UP_TO // 100 * int(10**decade)


def _number(budget: int) -> int:
    """Return the number of a power of ten among the budgets that count."""
    decades = len(str(budget // EVERY_BUDGET_UP_TO)) - 1
    return EVERY_BUDGET_UP_TO + decades * ROUND_BUDGETS
