"""Guarantees of plans, smallest budgets, the tables, and what they refuse."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

import heats
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning.rules import RULES
from heats.planning.schedule import printed_heats, printed_rounds
from heats.theory import (
    UserRate,
    guarantee,
    plan_for_gap,
    pulls_for_rewards,
    pulls_for_winners,
    query_sets,
    smallest_budget,
    winner_rate,
)
from heats.theory.tables import bounds, paper_tables, rate_for, rate_of_plan


def test_a_guarantee_round_by_round() -> None:
    """2·γ(b_r) for every round; the weakest resolves the least."""
    plan = heats.plan(20, 4, 100)
    promised = guarantee(plan, lambda t: 1 / t)
    assert promised.gaps == tuple(2 / each.pulls for each in plan.rounds)
    assert promised.gap == max(promised.gaps) == promised.gaps[promised.weakest_round]


def test_a_guarantee_needs_a_plan_the_theorems_cover() -> None:
    """Not for pooled records, nor for rounds without a pull; by hand and printed plans are fine."""
    rate = winner_rate(0.05, 5)
    with pytest.raises(InvalidArgument, match="record='pooled'"):
        guarantee(heats.plan(20, 4, 100, record="pooled"), rate)
    with pytest.raises(InvalidArgument, match="round 1 of the plan makes no pull"):
        guarantee(heats.plan(20, 4, 5, blind=True), rate)
    own = heats.Plan(n_arms=3, heat_size=3, budget=7, rounds=(heats.Round(1, 3, 2, 4), heats.Round(1, 2, 1, 3)))
    assert len(guarantee(own, rate).gaps) == 2
    assert guarantee(heats.plan(100, 4, 300, "csh", schedule="paper"), rate).gap > 0


@pytest.mark.parametrize("strategy", [*RULES, lambda size: max(1, 2 * size // 3)])
def test_the_smallest_budget_is_the_smallest(strategy: Any) -> None:
    """Against trying every budget from 1 on; though a larger budget may give a round a pull less."""
    for n, k in ((2, 2), (5, 2), (7, 3), (9, 4), (12, 5), (16, 4), (23, 4), (23, 7)):
        for needed in (1, 2, 3, 5, 8):
            rate = UserRate(lambda t: 1 / t)
            gap = 2 / (needed - 0.5)  # resolved by `needed` pulls and not by one less
            budget = smallest_budget(n, k, strategy, gap, rate)
            for tried in range(1, budget + 1):
                try:
                    pulls = min(each.pulls for each in heats.plan(n, k, tried, strategy).rounds)
                except BudgetTooSmall:
                    pulls = 0
                assert (pulls >= needed) == (tried == budget)
            plan = plan_for_gap(n, k, strategy, gap, rate)
            assert plan.budget == budget
            assert guarantee(plan, rate).gap < gap


def test_pulls_per_round_may_fall_as_the_budget_grows() -> None:
    """Why the search does not bisect: there are budgets where one more pull takes one from some round."""
    falls = 0
    for n, k in ((23, 4), (30, 4), (50, 3)):
        before: list[int] | None = None
        for budget in range(60, 400):
            pulls = [each.pulls for each in heats.plan(n, k, budget, "csr", blind=True).rounds]
            falls += before is not None and any(now < then for now, then in zip(pulls, before, strict=True))
            before = pulls
    assert falls > 0


def test_pulls_of_the_corollaries() -> None:
    """C is the first t whose rate is at most ε/2; the closed form is never less."""
    c = pulls_for_winners(0.05, 0.2, 9)
    assert winner_rate(0.05, 9).rate(c) <= 0.1 < winner_rate(0.05, 9).rate(c - 1)
    assert pulls_for_winners(0.05, 0.2, 9, closed_form=True) >= c
    r = pulls_for_rewards(0.05, 0.2, 4, 9, 0.3)
    assert pulls_for_rewards(0.05, 0.2, 4, 9, 0.3, closed_form=True) >= r
    assert pulls_for_rewards(0.05, 0.2, 4, 9, 0.6) > r  # a wilder functional r(X) needs more


@pytest.mark.parametrize("strategy", RULES)
def test_query_sets_of_table_2(strategy: str) -> None:
    """Σ P_r is below its printed bound, which is R plus a geometric sum, exactly."""
    for n in (2, 5, 50, 100, 1000):
        for k in (2, 3, 4, 10):
            if k > n:
                continue
            exact, bound = query_sets(strategy, n, k)
            rounds = printed_rounds(strategy, n, k)
            shrink = {"csws": Fraction(1, k), "csr": Fraction(k - 1, k), "csh": Fraction(1, 2)}[strategy]
            assert exact == sum(islice(printed_heats(strategy, n, k), rounds))
            assert bound == rounds + sum(Fraction(n, k) * shrink**r for r in range(rounds))
            assert exact <= bound


def test_bounds_are_ordered() -> None:
    """Worst case ≤ tight ≤ exact plan ≤ paper, and formula ≥ its exact constant, wherever the formula is proven."""
    for feedback in ("winner", "reward"):
        for n, k in ((20, 2), (100, 4), (100, 10), (1000, 8), (379, 3), (81, 3), (50, 5)):
            for bound in bounds(n, k, 0.1, 0.05, feedback):
                assert bound.worst_case <= bound.tight <= bound.exact
                assert bound.printed <= bound.formula
                assert not bound.proven or bound.exact <= bound.printed
                assert bound.proven or (bound.strategy, k % 2) == ("csh", 1)
    assert not bounds(379, 3, 0.1, 0.05, "winner")[2].proven


def test_the_tables_with_numbers() -> None:
    """C(1000, 10) stays an exact integer; Table 4 follows its printed expressions."""
    tables = paper_tables(1000, 10, 0.1, 0.05, "winner")
    assert len(tables) == 4
    second = next(rows for title, rows in tables.items() if title.startswith("Table 2"))
    assert second[0].values["query sets"] == math.comb(1000, 10) == 263409560461970212832400
    assert [row.values["R"] for row in second] == [1, 4, 75, 14]
    fourth = next(rows for title, rows in tables.items() if title.startswith("Table 4"))
    csws = 4 * 100 / 0.01
    assert fourth[0].values["preference"] == round(csws * math.log(4 / (0.05 * 0.1**4)))
    assert fourth[0].values["reward"] == round(csws * math.log(10 * 4 / 0.05 * math.log(10 * 4 / (0.1 * 0.05))))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bounds(100, 4, 0, 0.05, "winner"), "gap=0"),
        (lambda: bounds(100, 4, math.nan, 0.05, "winner"), "gap=nan"),
        (lambda: bounds(100, 4, 0.1, 0, "winner"), "delta=0"),
        (lambda: bounds(100, 4, 0.1, 1, "winner"), r"delta=1 must be a number in \[1e-300, 1\)"),
        (lambda: bounds(100, 4, 2, 0.05, "winner"), "gap=2 .*shares of wins differ by 1 at most"),
        (lambda: bounds(10**10, 1000, 0.1, 0.05, "winner"), "too many to search"),
        (lambda: paper_tables(100, 4, 100, 0.05, "reward"), "gap=100"),
        (lambda: paper_tables(20_000, 10_000, 0.1, 0.05, "winner"), "thousand digits"),
        (lambda: query_sets("csws", 10, 1), "heat_size=1"),
        (lambda: guarantee(heats.plan(20, 4, 100), 3), "rate=3"),
        (lambda: bounds(100, 4, 0.1, 0.05, "votes"), "winner, reward"),
        (lambda: bounds(100, 4, 0.1, 0.05, "reward", -1), "sigma=-1"),
        (lambda: bounds(3, 4, 0.1, 0.05, "winner"), "heat_size=4"),
        (lambda: bounds(100, 4, 1e-11, 0.05, "winner"), "ask for a larger gap"),
        (lambda: bounds(100, 4, 0.1, 0.05, "reward", 1e-200), "sigma=1e-200"),
        (lambda: pulls_for_winners(0.05, 0.1, 0), "rounds=0"),
        (lambda: query_sets("planned", 10, 2), "no formulas"),
        (lambda: smallest_budget(10, 2, "best", 0.1, winner_rate(0.1, 3)), "strategy='best'"),
    ],
)
def test_impossible_requests_are_refused(make: Any, message: str) -> None:
    """δ, ε, σ, gaps outside their range; never a silent inf, nan or overflow."""
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_rates_of_settings() -> None:
    """A plan shares its confidence among its own rounds."""
    plan = heats.plan(20, 4, 100)
    assert rate_of_plan(plan, "winner", 0.1).rate(9) == rate_for("winner", 0.1, 4, len(plan.rounds)).rate(9)
    assert rate_of_plan(plan, "reward", 0.1, 0.2).rate(9) < rate_of_plan(plan, "reward", 0.1, 0.4).rate(9)
