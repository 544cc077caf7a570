"""Whatever is asked for: a plan that fits, or an error of ours in one sentence. Never another error, never a long wait."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import heats
from heats.errors import BudgetTooSmall, HeatsError, InvalidArgument, InvalidPlan
from heats.planning.schedule import LARGEST_SAFE_HEAT, MOST_ROUNDS, lay_rounds

LONGEST = 10**5000  # a number that Python itself refuses to print


class Fickle:
    """Something that fails whatever is done with it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __repr__(self) -> str:
        raise RuntimeError("not printable")

    __hash__ = None  # type: ignore[assignment]


def fail(size: int) -> int:
    """A rule with a bug."""
    return 1 // (size - size)


junk = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**18, 10**30, LONGEST, -LONGEST, 3j, Fraction(7, 10)),
        *("", "csh", "planned", "ties", "paper", "\ud800", "{budget}", b"csh", [], {}, {"a": 1}, object(), Fickle()),
        *(np.array([1, 2]), np.array(["csh", "csr"]), np.array(3), np.int64(5), np.float32(0.7), np.str_("csh")),
        *(len, fail, int, lambda size: size - 1, lambda size: 1.0, lambda: 1, lambda size: LONGEST),
    ]
)
sizes = st.one_of(st.integers(2, 40), st.sampled_from([64, 65, 300, 10**4, 10**6, 10**12]))


@st.composite
def requests(draw: st.DrawFn) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of ``heats.plan``, of which about every sixth is junk."""

    def some(sensible: st.SearchStrategy[Any]) -> Any:
        return draw(junk) if draw(st.integers(0, 5)) == 0 else draw(sensible)

    n, k = draw(sizes), draw(sizes)
    numbers = (some(st.just(n)), some(st.just(min(n, k))), some(st.sampled_from([1, n // k + 1, n, 10 * n, 10**18])))
    strategy = some(st.sampled_from(["planned", "csws", "csr", "csh", "PLANNED", lambda size: max(1, size // 3)]))
    options: dict[str, st.SearchStrategy[Any]] = {
        "feedback": st.sampled_from([None, "reward", "winner", "ranking"]),
        "edge": st.sampled_from([None, 0.501, 0.7, 0.999]),
        "guaranteed": st.booleans(),
        "schedule": st.sampled_from(["exact", "exact", "paper"]),
        "record": st.sampled_from([None, None, "ties", "off", "pooled", "fitted"]),
        "blind": st.booleans(),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(options))))
    return (*numbers, strategy), {name: some(options[name]) for name in sorted(chosen)}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(requests())
def test_a_plan_that_fits_or_an_error_of_ours(request: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    """The plan goes through JSON, prints and has chances; the error is one sentence that somebody can read."""
    arguments, options = request
    try:
        plan = heats.plan(*arguments, **options)
    except HeatsError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal.endswith(".")
        assert refusal.isprintable()
        return
    assert plan.cost <= plan.budget
    assert heats.Plan.from_json(plan.to_json()) == plan
    assert str(plan)
    assert all(0 <= chance <= 1 for chance in heats.chances(plan, plan.feedback))


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from(heats.Plan.__struct_fields__), junk, max_size=3),
    st.lists(junk, min_size=1, max_size=2),
)
def test_plans_made_by_hand_of_anything(changes: dict[str, Any], junk_in_round: list[Any]) -> None:
    """A plan or an error of ours."""
    whole: dict[str, Any] = {
        "n_arms": 4,
        "heat_size": 4,
        "budget": 9,
        "rounds": (heats.Round(1, 4, 1, *junk_in_round),),
    }
    with contextlib.suppress(HeatsError):
        heats.Plan(**whole | changes)
    for junk_alone in [*changes.values(), *junk_in_round]:
        with contextlib.suppress(HeatsError):
            heats.chances(heats.plan(4, 2, 9), junk_alone, junk_alone)
        with pytest.raises(InvalidArgument):
            heats.chances(junk_alone)


@pytest.mark.parametrize("name", ["n_arms", "heat_size", "budget"])
def test_numbers_too_long_to_print_are_refused(name: str) -> None:
    """Python raises ValueError when asked to print more than 4300 digits."""
    with pytest.raises(InvalidArgument, match=f"^{name}=.*"):
        heats.plan(**{"n_arms": 10, "heat_size": 2, "budget": 50} | {name: LONGEST})


def test_limits_are_named() -> None:
    """With what is allowed, and what to take instead."""
    with pytest.raises(InvalidArgument, match=f"take at most {10**12} candidates"):
        heats.plan(10**12 + 1, 4, 10**15)
    with pytest.raises(InvalidArgument, match=f"take at most {10**18} pulls"):
        heats.plan(10, 4, 10**18 + 1)
    for strategy, blind in (("csr", False), ("csr", True), (lambda size: size - 1, False)):
        with pytest.raises(
            InvalidArgument, match=r"more than 100000 rounds.*take heats of 4000 or fewer, or .* such as csh"
        ):
            heats.plan(10**9, 10**9, 10**10, strategy, blind=blind)


@pytest.mark.parametrize("n_arms", [10**12, 10**6])
def test_the_advice_of_smaller_heats_helps_every_rule(n_arms: int) -> None:
    """CSR drops the fewest: one arm of a heat."""
    assert sum(1 for _ in lay_rounds(n_arms, LARGEST_SAFE_HEAT, lambda size: size - 1)) <= MOST_ROUNDS


def test_a_large_budget_is_planned() -> None:
    """Beyond doubt, the same shares of more."""
    plan = heats.plan(100, 4, 10**16)
    assert plan.cost == 10**16
    assert heats.plan(100, 4, 10**18, "csh").cost == 10**18


def test_a_rule_that_fails_is_the_cause() -> None:
    """The error says for which heat, and carries the original."""
    with pytest.raises(InvalidArgument, match=r"fail.* failed for a heat of 4 arms: ZeroDivisionError") as refusal:
        heats.plan(10, 4, 50, fail)
    assert isinstance(refusal.value.__cause__, ZeroDivisionError)
    assert refusal.value.argument == "strategy"


@pytest.mark.parametrize("name", ["csh", "CSR", "planned"])
def test_a_function_never_takes_the_name_of_a_strategy(name: str) -> None:
    """A plan's strategy says who chose."""

    def rule(size: int) -> int:
        return 1

    rule.__name__ = name
    assert heats.plan(10, 2, 50, rule).strategy == f"custom {name}"


def test_errors_know_their_argument() -> None:
    """So that a command line can spell it as an option."""
    with pytest.raises(BudgetTooSmall) as refusal:
        heats.plan(100, 4, 32)
    assert refusal.value.argument == "budget"
    assert refusal.value.arguments["blind"] is True
    for options in ({"record": "some"}, {"feedback": "stars"}, {"schedule": "late"}, {"edge": 2}, {"strategy": "cs"}):
        with pytest.raises(InvalidArgument) as refused:
            heats.plan(20, 4, 60, **options)
        assert refused.value.argument == next(iter(options))


@pytest.mark.parametrize("rounds", [5, "abc", None, [1], (heats.Round(1, 2, 1, 1), "x"), np.ones(3)])
def test_rounds_must_be_rounds(rounds: Any) -> None:
    """Of a plan made by hand."""
    with pytest.raises(InvalidPlan, match=r"^rounds=.* must be a tuple of heats\.Round") as refusal:
        heats.Plan(n_arms=2, heat_size=2, budget=3, rounds=rounds)
    assert refusal.value.argument == "rounds"


def test_numbers_of_numpy_become_plain_in_rounds() -> None:
    """Else they could not be written as JSON."""
    one = np.int64(1)
    plan = heats.Plan(n_arms=2, heat_size=2, budget=3, rounds=[heats.Round(one, 2 * one, one, 3 * one, 0 * one)])
    assert heats.Plan.from_json(plan.to_json()) == plan
    assert isinstance(plan.rounds, tuple)
