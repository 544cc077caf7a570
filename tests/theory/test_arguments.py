"""Wrong objects to the classes and functions of the theory: one of our errors, or an answer; never a raw one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.errors import HeatsError, InvalidArgument
from heats.theory import (
    Average,
    Categorical,
    Delayed,
    Limits,
    Slowest,
    Squeezed,
    SqueezedBorda,
    SubGaussian,
    UserRate,
    borda_instances,
    borda_lower_bound,
    coarser_budget,
    coarsest_budget,
    condorcet_instances,
    condorcet_winner,
    guarantee,
    heats_of_best,
    heats_to_hide,
    least_pulls,
    offending_heat,
    overall_rate,
    plan_for_gap,
    printed_budget,
    pulls_for_rewards,
    pulls_for_winners,
    pulls_needed,
    query_sets,
    reward_rate,
    round_robin_budget,
    sets_needed,
    slowest_of,
    smallest_budget,
    sufficient_budget,
    survey,
    why_outside,
    winner_rate,
)
from heats.theory.tables import bounds, paper_tables, rate_for, rate_of_plan
from tests.hostile.junk import JUNK

LIMITS = Limits(4, 3, lambda heat: [1.0 - arm / 8 for arm in heat])
RATE = UserRate(lambda t: 1 / t)
PLAN = heats.plan(4, 3, 30)
REPORT = Squeezed(LIMITS, lambda t: 1 / (64 * t)).play(heats.Tournament(PLAN)).report()
PATH = heats_of_best(REPORT, 0)


def keep_one(size: int) -> int:
    return 1


CALLS: dict[str, Callable[[Any], Any]] = {
    "Limits n": lambda a: Limits(a, 2, {}),
    "Limits k": lambda a: Limits(4, a, {}),
    "Limits source": lambda a: condorcet_winner(Limits(3, 2, a)),
    "Limits key": lambda a: Limits(3, 2, {_freeze(a): [1.0, 2.0]}),
    "Limits row": lambda a: condorcet_winner(Limits(2, 2, {(0, 1): a})),
    "Limits value": lambda a: condorcet_winner(Limits(2, 2, {(0, 1): [1.0, a]})),
    "Limits answer": lambda a: condorcet_winner(Limits(2, 2, lambda heat: a)),
    "Limits answers": lambda a: condorcet_winner(Limits(2, 2, lambda heat: [a, a])),
    "values": lambda a: LIMITS.values(a),
    "values of arms": lambda a: LIMITS.values((a, a)),
    "of": lambda a: LIMITS.of(a, (0, 1)),
    "of heat": lambda a: LIMITS.of(0, a),
    "rank": lambda a: LIMITS.rank(a),
    "best": lambda a: LIMITS.best(a),
    "gap": lambda a: LIMITS.gap(0, a, (0, 1)),
    "gap heat": lambda a: LIMITS.gap(0, 1, a),
    "decisive gap": lambda a: LIMITS.decisive_gap(a, (0, 1), 2),
    "decisive gap heat": lambda a: LIMITS.decisive_gap(0, a, 2),
    "decisive gap place": lambda a: LIMITS.decisive_gap(0, (0, 1), a),
    "heats": lambda a: LIMITS.heats(a),
    "heats_of": lambda a: LIMITS.heats_of(a),
    "heats_of many": lambda a: Limits(10**12, 2, {}).heats_of(2, a),
    "survey": lambda a: survey(LIMITS, sample=a),
    "survey seed": lambda a: survey(LIMITS, sample=2, seed=a),
    "offending_heat": lambda a: offending_heat(LIMITS, a),
    "UserRate": lambda a: UserRate(a).pulls_until(0.5),
    "UserRate t": lambda a: RATE.rate(a),
    "UserRate answer": lambda a: UserRate(lambda t: a).pulls_until(0.5),
    "pulls_until": lambda a: RATE.pulls_until(a),
    "pulls_below": lambda a: RATE.pulls_below(a),
    "SubGaussian": lambda a: SubGaussian(a, 0.1),
    "SubGaussian gamma": lambda a: SubGaussian(1, a),
    "SubGaussian among": lambda a: SubGaussian(1, 0.1, among=a).rate(3),
    "SubGaussian tight": lambda a: SubGaussian(1, 0.1, tight=a),
    "SubGaussian t": lambda a: SubGaussian(1, 0.1).rate(a),
    "SubGaussian closed": lambda a: SubGaussian(1, 0.1).closed_form(a),
    "Categorical": lambda a: Categorical(a),
    "Categorical among": lambda a: Categorical(0.1, among=a).rate(3),
    "Categorical tight": lambda a: Categorical(0.1, tight=a),
    "Categorical t": lambda a: Categorical(0.1).rate(a),
    "Categorical closed": lambda a: Categorical(0.1).closed_form(a),
    "Slowest": lambda a: Slowest(a),
    "Slowest of": lambda a: Slowest([a]),
    "Slowest alpha": lambda a: Slowest([RATE, RATE]).pulls_until(a),
    "Slowest t": lambda a: Slowest([RATE]).rate(a),
    "Average": lambda a: Average(a),
    "Average of": lambda a: Average([RATE, a]),
    "Average alpha": lambda a: Average([RATE, RATE]).pulls_until(a),
    "Delayed": lambda a: Delayed(a, 3),
    "Delayed delay": lambda a: Delayed(LIMITS, a),
    "Delayed heat": lambda a: Delayed(LIMITS, 3).scores(a, 1),
    "Delayed t": lambda a: Delayed(LIMITS, 3).scores((0, 1), a),
    "Delayed rates": lambda a: Delayed(LIMITS, 3).rates(a, (0, 1)),
    "Delayed rates heat": lambda a: Delayed(LIMITS, 3).rates(0, a),
    "observation": lambda a: Delayed(LIMITS, 3).observation(a, 2),
    "observation t": lambda a: Delayed(LIMITS, 3).observation((0, 1), a),
    "sample": lambda a: Delayed(LIMITS, 3).sample(a, 2),
    "play": lambda a: Delayed(LIMITS, 3).play(a),
    "Squeezed": lambda a: Squeezed(a, RATE.rate),
    "Squeezed beta": lambda a: Squeezed(LIMITS, a).scores((0, 1), 2),
    "Squeezed t": lambda a: Squeezed(LIMITS, RATE.rate).scores((0, 1), a),
    "SqueezedBorda": lambda a: SqueezedBorda(LIMITS, RATE.rate, a),
    "heats_of_best": lambda a: heats_of_best(REPORT, a),
    "sufficient path": lambda a: sufficient_budget(a, keep_one, 3, [2, 1, 1], LIMITS, RATE),
    "sufficient heat": lambda a: sufficient_budget([a], keep_one, 3, [2, 1, 1], LIMITS, RATE),
    "sufficient keep": lambda a: sufficient_budget(PATH, a, 3, [2, 1, 1], LIMITS, RATE),
    "sufficient kept": lambda a: sufficient_budget(PATH, lambda size: a, 3, [2, 1, 1], LIMITS, RATE),
    "sufficient rounds": lambda a: sufficient_budget(PATH, keep_one, a, [2, 1, 1], LIMITS, RATE),
    "sufficient heats": lambda a: sufficient_budget(PATH, keep_one, 3, a, LIMITS, RATE),
    "sufficient widths": lambda a: sufficient_budget(PATH, keep_one, 3, [a] * 3, LIMITS, RATE),
    "sufficient limits": lambda a: sufficient_budget(PATH, keep_one, 3, [2, 1, 1], a, RATE),
    "sufficient rates": lambda a: sufficient_budget(PATH, keep_one, 3, [2, 1, 1], LIMITS, a),
    "coarser rates": lambda a: coarser_budget(PATH, keep_one, 3, [2, 1, 1], LIMITS, a),
    "coarsest heats": lambda a: coarsest_budget(keep_one, 3, a, LIMITS, RATE),
    "coarsest rounds": lambda a: coarsest_budget(keep_one, a, [2], LIMITS, RATE),
    "printed_budget": lambda a: printed_budget(a, LIMITS, RATE),
    "printed_budget place": lambda a: printed_budget("csh", LIMITS, RATE, printed_place=a),
    "printed_budget rates": lambda a: printed_budget("csh", LIMITS, a),
    "round_robin_budget": lambda a: round_robin_budget(LIMITS, a),
    "round_robin_budget rates": lambda a: round_robin_budget(LIMITS, lambda arm, heat: a),
    "least_pulls": lambda a: least_pulls(LIMITS, a),
    "least_pulls rates": lambda a: least_pulls(LIMITS, lambda arm, heat: a),
    "borda_lower_bound": lambda a: borda_lower_bound(LIMITS, a),
    "overall_rate": lambda a: overall_rate(LIMITS, a),
    "slowest_of": lambda a: slowest_of(RATE, a),
    "condorcet_instances": lambda a: condorcet_instances(LIMITS, RATE, a),
    "borda_instances": lambda a: borda_instances(LIMITS, RATE, a),
    "borda_instances unseen": lambda a: borda_instances(LIMITS, RATE, 1, a),
    "borda_instances best": lambda a: borda_instances(LIMITS, RATE, 1, best=a),
    "heats_to_hide": lambda a: heats_to_hide(LIMITS, a),
    "heats_to_hide heat": lambda a: heats_to_hide(LIMITS, [a]),
    "heats_to_hide best": lambda a: heats_to_hide(LIMITS, [], a),
    "why_outside": lambda a: why_outside(a, LIMITS, RATE, 3),
    "why_outside limits": lambda a: why_outside(Delayed(LIMITS, 3), a, RATE, 3),
    "why_outside rates": lambda a: why_outside(Delayed(LIMITS, 3), LIMITS, a, 3),
    "why_outside horizon": lambda a: why_outside(Delayed(LIMITS, 3), LIMITS, RATE, a),
    "guarantee": lambda a: guarantee(PLAN, a),
    "guarantee plan": lambda a: guarantee(a, RATE),
    "smallest_budget": lambda a: smallest_budget(a, 2, "csh", 0.1, RATE),
    "smallest_budget k": lambda a: smallest_budget(100, a, "csh", 0.1, RATE),
    "smallest_budget strategy": lambda a: smallest_budget(100, 4, a, 0.1, RATE),
    "smallest_budget gap": lambda a: smallest_budget(100, 4, "csr", a, RATE),
    "plan_for_gap": lambda a: plan_for_gap(100, 4, "csr", 0.1, a),
    "pulls_needed": lambda a: pulls_needed(a, RATE),
    "pulls_for_rewards": lambda a: pulls_for_rewards(0.1, 0.1, 2, 3, a),
    "pulls_for_rewards closed": lambda a: pulls_for_rewards(0.1, 0.1, 2, 3, 1, closed_form=a),
    "pulls_for_winners": lambda a: pulls_for_winners(0.1, a, 2),
    "pulls_for_winners rounds": lambda a: pulls_for_winners(0.1, 0.1, a),
    "query_sets": lambda a: query_sets(a, 10, 2),
    "sets_needed": lambda a: sets_needed(10, a),
    "reward_rate": lambda a: reward_rate(0.1, a, 2, 1, tight=True),
    "winner_rate": lambda a: winner_rate(0.1, 2, tight=a),
    "bounds": lambda a: bounds(a, 2, 0.1, 0.1, "winner"),
    "bounds k": lambda a: bounds(100, a, 0.1, 0.1, "winner"),
    "bounds gap": lambda a: bounds(100, 4, a, 0.1, "reward"),
    "bounds delta": lambda a: bounds(100, 4, 0.1, a, "winner"),
    "bounds feedback": lambda a: bounds(100, 4, 0.1, 0.1, a),
    "bounds sigma": lambda a: bounds(100, 4, 0.1, 0.1, "reward", a),
    "paper_tables": lambda a: paper_tables(a, 2, 0.1, 0.1, "winner"),
    "paper_tables gap": lambda a: paper_tables(10, 2, a, 1e-300, "reward"),
    "rate_for": lambda a: rate_for(a, 0.1, 2, 2),
    "rate_of_plan": lambda a: rate_of_plan(a, "winner", 0.1),
}


def _freeze(value: Any) -> Any:
    """Return something that may be the key of a dict."""
    try:
        hash(value)
    except TypeError:
        return repr(type(value))
    return value


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=100)
@given(wrong=st.sampled_from(JUNK))
def test_only_our_errors_come_out(name: str, wrong: Any) -> None:
    """Whatever stands in one place, with the others right."""
    try:
        CALLS[name](wrong)
    except HeatsError as error:
        message = str(error)
        assert message.endswith(".")


def fail(*about: object) -> Any:
    raise ZeroDivisionError("by zero")


def never_end(*about: object) -> Any:
    while True:
        yield 1.0


def fail_late(*about: object) -> Any:
    yield 1 / 0


@pytest.mark.parametrize("function", [fail, never_end, fail_late, lambda *_: 10**5000, lambda *_: np.zeros((2, 1))])
def test_functions_that_fail_are_named(function: Any) -> None:
    """With the argument they were given as, and why."""
    calls: dict[str, Callable[[], Any]] = {
        "source": lambda: condorcet_winner(Limits(2, 2, function)),
        "rate": lambda: guarantee(PLAN, function),
        "rates": lambda: least_pulls(LIMITS, function),
    }
    for argument, call in calls.items():
        with pytest.raises(InvalidArgument, match=r"by zero|finite number|give a Rate") as refused:
            call()
        assert refused.value.argument == argument


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: survey(None), "limits"),
        (lambda: printed_budget("csh", {}, RATE), "limits"),
        (lambda: least_pulls(LIMITS, 3), "rates"),
        (lambda: slowest_of(RATE, [0, 1]), "heat"),
        (lambda: sufficient_budget(PATH, "csh", 3, [1], LIMITS, RATE), "keep"),
        (lambda: sufficient_budget(3, keep_one, 3, [1], LIMITS, RATE), "path"),
        (lambda: coarsest_budget(keep_one, 3, {}, LIMITS, RATE), "heats"),
        (lambda: heats_of_best({}, 0), "report"),
        (lambda: guarantee({}, RATE), "plan"),
        (lambda: why_outside(LIMITS, LIMITS, RATE, 3), "instance"),
        (lambda: heats_to_hide(LIMITS, 3), "seen"),
        (lambda: Squeezed(LIMITS, 3), "beta"),
        (lambda: Limits(3, 2, 5), "source"),
        (lambda: survey(Limits(10**9, 2, {}), sample=10), "sample"),
        (lambda: Limits(10**9, 2, {}).heats(), "n_arms"),
        (lambda: why_outside(Delayed(LIMITS, 3), LIMITS, RATE, 10**9), "horizon"),
    ],
)
def test_the_argument_is_named(make: Callable[[], Any], argument: str) -> None:
    """So that any caller knows which one to change."""
    with pytest.raises(InvalidArgument) as refused:
        make()
    assert refused.value.argument == argument


def test_numbers_of_any_kind_are_limits() -> None:
    """Arrays, fractions, truth values; and arms of an array."""
    for row in (np.array([1.0, 0.0]), (True, False), [np.float32(1), 0], np.array([1, 0])):
        assert Limits(2, 2, {(0, 1): list(row)}).values((0, 1)) == (1.0, 0.0)
        assert Limits(2, 2, {(0, 1): row}.__getitem__).values((0, 1)) == (1.0, 0.0)
    assert LIMITS.values((np.int64(0), np.int64(1))) == LIMITS.values((0, 1))
    assert math.isclose(LIMITS.of(np.int64(1), (0, 1)), 0.875)
