"""A chance instead of a budget: the smallest budget that has it, by every strategy, as brute force finds it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.errors import BudgetTooSmall, InvalidArgument, PlanOverspends
from heats.planning.needed import Chances, find_smallest, nth_budget
from heats.planning.schedule import bound_pulls, share_budget, share_budget_blindly


def keep_most(size: int) -> int:
    return max(1, 2 * size // 3)


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """Everything that can be said about a plan but its budget."""
    n = draw(st.integers(2, 12))
    strategy = draw(st.sampled_from(["planned", "planned", "csws", "csr", "csh", keep_most]))
    feedback = draw(st.sampled_from([None, "reward", "winner", "ranking"]))
    records = [None, "ties", "off", "pooled", *(["fitted"] if feedback != "reward" else [])]
    return {
        "n_arms": n,
        "heat_size": draw(st.integers(2, min(n, 5))),
        "strategy": strategy,
        "feedback": feedback,
        "edge": draw(st.sampled_from([None, 0.65, 0.9])) if strategy == "planned" else None,
        "record": draw(st.sampled_from(records)),
        "schedule": draw(st.sampled_from(["exact", "paper"])) if strategy in ("csws", "csr", "csh") else "exact",
        "blind": draw(st.booleans()),
    }


def modelled(asked: dict[str, Any], budget: int) -> float:
    """Return the modelled chance with a budget, 0 where there is no plan."""
    try:
        made = heats.plan(**asked, budget=budget)
    except (BudgetTooSmall, PlanOverspends):
        return 0.0
    return math.prod(heats.chances(made, asked["feedback"], asked["edge"]))


@settings(max_examples=25, deadline=None)
@given(requests(), st.sampled_from([0.3, 0.6, 0.8, 0.9]))
def test_no_smaller_budget_has_the_chance(asked: dict[str, Any], chance: float) -> None:
    """Budgets are tried one by one from below; of those that take hundreds only the last ones."""
    try:
        made = heats.plan(**asked, chance=chance)
    except PlanOverspends:
        assert all(modelled(asked, budget) < chance for budget in (10, 100, 1000))
        return
    assert modelled(asked, made.budget) >= chance
    assert all(modelled(asked, budget) < chance for budget in range(max(1, made.budget - 80), made.budget))
    assert made == heats.plan(**asked, budget=made.budget)


def test_a_budget_below_a_dip_is_found() -> None:
    """With 146 pulls CSR has less of a chance than with 134: bisection between such budgets can miss the smaller."""
    chances = {budget: math.prod(heats.chances(heats.plan(30, 4, budget, "csr"), "winner")) for budget in (134, 146)}
    assert chances[146] < chances[134]
    assert heats.plan(30, 4, strategy="csr", feedback="winner", chance=chances[134]).budget == 134


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(0, 50), st.integers(0, 8))
def test_the_search_is_exact_with_any_bound(climbs: list[int], wanted: int, loose: int) -> None:
    """However a chance zigzags, and however loose the bound is, the first place that reaches it is found."""

    def reach(budget: int) -> float:
        return climbs[budget - 1] if budget <= len(climbs) else climbs[-1]

    def bound(low: int, high: int) -> float:
        return max(map(reach, range(low, min(high, len(climbs)) + 1)), default=climbs[-1]) + loose

    expected = next((place for place in range(1, len(climbs) + 1) if reach(place) >= wanted), None)
    if expected is not None:
        assert find_smallest(wanted, Chances(reach, bound), lambda done, total: None) == expected
    elif loose == 0:
        assert find_smallest(wanted, Chances(reach, bound), lambda done, total: None) is None


def test_large_budgets_have_three_digits() -> None:
    """One by one up to ten thousand, then a hundredth to a thousandth apart, up to the largest there is."""
    assert [nth_budget(place) for place in (1, 9999, 10_000, 10_001)] == [1, 9999, 10_000, 10_100]
    assert [nth_budget(place) for place in (10_899, 10_900, 10_901, 22_600)] == [99_900, 100_000, 101_000, 10**18]
    assert heats.plan(10**6, 4, strategy="csh", chance=0.9).budget % 10_000 == 0


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(1, 400), st.integers(0, 60))
def test_no_budget_of_a_range_gives_more_pulls_than_its_bound(heats_: list[int], low: int, width: int) -> None:
    """In any round, whether or not the budget covers every heat."""
    most = bound_pulls(heats_, low, low + width)
    for budget in range(low, low + width + 1):
        share = share_budget if budget >= sum(heats_) else share_budget_blindly
        assert all(pulls <= bound for pulls, bound in zip(share(heats_, budget), most, strict=True))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "say how many pulls may be made, as budget=100, or how likely .* as chance=0.95"),
        ({"budget": 5, "chance": 0.5}, "budget=5 and chance=0.5 were both given"),
        ({"chance": 0}, "chance=0 must be a number in \\(0, 1\\)"),
        ({"chance": 1}, "chance=1 must be"),
        ({"chance": 1.5}, "chance=1.5 must be"),
        ({"chance": "x"}, "chance='x' must be"),
        ({"chance": True}, "chance=True must be"),
        ({"chance": float("nan")}, "chance=nan must be"),
        ({"chance": 0.5, "schedule": "paper"}, "schedule='paper' is for csws, csr, csh"),
        ({"chance": 0.5, "strategy": keep_most, "schedule": "paper"}, "use schedule='exact'"),
        ({"chance": 0.5, "strategy": "csh", "edge": 0.6}, "edge=0.6 is used by strategy='planned' only"),
    ],
)
def test_wrong_requests_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    """In a sentence that names the value."""
    with pytest.raises(InvalidArgument, match=sentence):
        heats.plan(12, 3, **arguments)


def test_a_chance_out_of_reach_is_refused() -> None:
    """Where no budget is enough, it is said how far one gets; where all overspend, that they do."""
    with pytest.raises(InvalidArgument, match=r"chance=0.9 is not reached by any budget up to 10{18} pulls.*0\.0123"):
        heats.plan(81, 3, strategy="csh", schedule="paper", blind=True, chance=0.9)  # larger ones overspend
    with pytest.raises(PlanOverspends, match="would spend"):
        heats.plan(81, 3, strategy="csh", schedule="paper", chance=0.9)


def test_no_race_is_too_close() -> None:
    """It takes millions of pulls, and a tenth fewer fall short."""
    made = heats.plan(12, 3, chance=0.999, edge=0.501)
    fewer = heats.plan(12, 3, made.budget * 9 // 10, edge=0.501)
    assert made.budget > 10**7
    assert math.prod(heats.chances(made, edge=0.501)) >= 0.999 > math.prod(heats.chances(fewer, edge=0.501))


def test_other_arguments_are_respected() -> None:
    """What is guaranteed needs more than what a fitted record does; a closer race more than a clear one."""
    plain = heats.plan(30, 4, feedback="winner", chance=0.9)
    sure = heats.plan(30, 4, feedback="winner", chance=0.9, guaranteed=True)
    assert (plain.record, sure.record) == ("fitted", "ties")
    assert sure.budget > plain.budget
    close, clear = (heats.plan(30, 4, chance=0.9, edge=edge).budget for edge in (0.6, 0.9))
    assert clear < plain.budget < close
