"""The planned strategy: affordable, complete, repeatable, near the best plan there is, and better than fixed rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import heats
from heats.environments import Gaussian, Winners
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning import model
from heats.planning.plan import Plan, Problem, Round
from heats.planning.rules import RULES
from heats.planning.survival import CLOSENESS, Show

FEEDBACKS = (None, "reward", "winner", "ranking")


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(2, 300))
    return n, draw(st.integers(2, min(n, 80))), draw(st.integers(1, 3000))


@settings(max_examples=25, deadline=None)
@given(problems(), st.sampled_from(FEEDBACKS), st.booleans())
def test_never_spends_more_and_sees_every_heat(problem: tuple[int, int, int], feedback: str | None, some: bool) -> None:
    n, k, budget = problem
    least = math.ceil((n - 1) / (k - 1))
    if budget < least:
        with pytest.raises(BudgetTooSmall, match=f"at least {least} pulls"):
            heats.plan(n, k, budget, feedback=feedback)
    blind = budget < least or some
    plan = heats.plan(n, k, budget, feedback=feedback, blind=blind)  # Plan checks that it fits together and is paid
    assert plan.strategy == "planned"
    assert blind or all(each.pulls for each in plan.rounds)
    affordable = [each.heats for each in plan.rounds if each.pulls]
    assert plan.budget - plan.cost < min(affordable, default=budget + 1)  # what is left buys nothing more
    seen = False
    for each in plan.rounds:  # arms are dropped unseen before anything is seen, or not at all
        seen = seen or each.pulls > 0
        assert each.pulls or not seen or plan.record == "ties"


@settings(max_examples=15, deadline=None)
@given(problems(), st.sampled_from(FEEDBACKS))
def test_no_rule_has_a_better_modelled_chance(problem: tuple[int, int, int], feedback: str | None) -> None:
    n, k, budget = problem
    try:
        plan = heats.plan(n, k, budget, feedback=feedback)
    except BudgetTooSmall:
        return
    chance = math.prod(heats.chances(plan, feedback))
    for rule in RULES:
        try:
            other = heats.plan(n, k, budget, rule, record=plan.record)
        except BudgetTooSmall:
            continue
        assert math.prod(heats.chances(other, feedback)) <= chance + 1e-9


def all_plans(n: int, k: int, budget: int, record: str) -> Iterator[Plan]:
    """Every plan with heats as large as can be that spends what it can."""

    def keeps(active: int) -> Iterator[list[tuple[int, int, int, int]]]:
        if active == 1:
            yield []
            return
        size = min(k, active)
        count, byes = divmod(active, size)
        for keep in range(1, size):
            for rest in keeps(count * keep + byes):
                yield [(count, size, keep, byes), *rest]

    for shapes in keeps(n):
        for pulls in product(*(range(1, budget // shape[0] + 1) for shape in shapes)):
            cost = sum(shape[0] * each for shape, each in zip(shapes, pulls, strict=True))
            if budget - min(shape[0] for shape in shapes) < cost <= budget:
                rounds = tuple(
                    Round(heats=h, size=s, keep=q, pulls=b, byes=y)
                    for (h, s, q, y), b in zip(shapes, pulls, strict=True)
                )
                yield Plan(n_arms=n, heat_size=k, budget=budget, rounds=rounds, record=record)


@pytest.mark.parametrize("feedback", ["reward", "winner"])
@pytest.mark.parametrize(("n", "k", "budget"), [(5, 2, 14), (6, 3, 12), (7, 4, 9), (9, 3, 10)])
def test_near_the_best_of_all_plans(n: int, k: int, budget: int, feedback: str) -> None:
    plan = heats.plan(n, k, budget, feedback=feedback)
    chance = math.prod(heats.chances(plan, feedback))
    best = max(math.prod(heats.chances(other, feedback)) for other in all_plans(n, k, budget, plan.record))
    assert chance > 0.97 * best


def test_plans_do_not_depend_on_the_machine() -> None:
    def drawn(*problem: int, feedback: str | None = None) -> list[tuple[int, int, int]]:
        return [(each.arms, each.keep, each.pulls) for each in heats.plan(*problem, feedback=feedback).rounds]

    assert drawn(16, 4, 40, feedback="reward") == GOLDEN["reward"]
    assert drawn(16, 4, 40, feedback="winner") == GOLDEN["winner"]
    assert drawn(16, 4, 40, feedback="ranking") == GOLDEN["ranking"]
    assert drawn(16, 4, 40) == GOLDEN["any"]
    assert drawn(16, 2, 60, feedback="winner") == GOLDEN["pairs"]


GOLDEN: dict[str, list[tuple[int, int, int]]] = {
    "reward": [(16, 3, 1), (12, 2, 3), (6, 2, 6), (4, 1, 21)],
    "winner": [(16, 3, 3), (12, 3, 1), (9, 3, 2), (7, 3, 2), (6, 3, 2), (5, 3, 3), (4, 2, 12), (2, 1, 2)],
    "ranking": [(16, 3, 2), (12, 3, 1), (9, 3, 2), (7, 3, 2), (6, 3, 2), (5, 3, 3), (4, 1, 18)],
    "any": [(16, 2, 3), (8, 2, 5), (4, 1, 18)],
    "pairs": [(16, 1, 1), (8, 1, 5), (4, 1, 8), (2, 1, 16)],
}


@pytest.mark.parametrize("heat_size", [2, 4, 16, 17, 50, 100])
@pytest.mark.parametrize("feedback", FEEDBACKS)
def test_rounds_of_a_plan_are_judged_as_single_rounds(heat_size: int, feedback: str | None) -> None:
    """All at once, with interpolation between fields, numbers kept and pulls, or one by one: the same."""
    for carries in (False, True):
        judge = model.Model(Problem(100, heat_size, 500), feedback, None, carries=carries)
        plan = heats.plan(100, heat_size, 500, "csr")
        evidence = 0.0
        for each, log in zip(plan.rounds, judge.log_chances(plan.rounds), strict=True):
            evidence = judge.add_pulls(evidence, each)
            rows = model.interpolate_columns(
                judge.log_survival(each.arms, each.size), judge.pulls, np.array([evidence])
            )
            choices = model.list_keep_choices(each.size)
            assert log == pytest.approx(np.interp(each.keep, choices, rows[:, 0]), rel=1e-9)


def test_a_plan_in_one_heat_of_all() -> None:
    """Huge heats have tables at fewer fields; keeping the winner of one long heat is near the best plan there is."""
    for n in (100, 10**4, 10**9):
        plan = heats.plan(n, n, 10**6)
        assert plan.cost == 10**6
        assert math.prod(heats.chances(plan)) >= math.prod(heats.chances(heats.plan(n, n, 10**6, "csh"))) - 1e-9


def test_more_budget_more_chance() -> None:
    for feedback in FEEDBACKS:
        chances = [
            math.prod(heats.chances(heats.plan(40, 4, budget, feedback=feedback), feedback))
            for budget in (20, 40, 80, 160, 320, 640)
        ]
        assert chances == sorted(chances)
        assert chances[0] < 0.6 < 0.9 < chances[-1]


def test_large_budgets_are_not_wasted() -> None:
    """Where all is nearly sure, pulls still go where failure is likeliest: no round is a thousand times likelier."""
    plan = heats.plan(24, 4, 24_000, feedback="reward")
    failures = [-math.log(max(1 - chance, 1e-17)) for chance in heats.chances(plan, "reward")]
    assert plan.cost == 24_000
    assert min(failures) > 30  # every round fails with less than e^-30


@pytest.mark.parametrize(
    ("feedback", "heat_size", "guaranteed", "record"),
    [
        (None, 4, False, "ties"),
        ("reward", 4, False, "ties"),
        ("winner", 4, False, "fitted"),
        ("ranking", 4, False, "fitted"),
        ("winner", 2, False, "ties"),
        ("winner", 4, True, "ties"),
    ],
)
def test_it_chooses_its_record(feedback: str | None, heat_size: int, guaranteed: bool, record: str) -> None:
    assert heats.plan(20, heat_size, 60, feedback=feedback, guaranteed=guaranteed).record == record


def test_it_plans_for_the_record_it_is_given() -> None:
    fitted = heats.plan(50, 4, 200, feedback="winner")
    off = heats.plan(50, 4, 200, feedback="winner", record="off")
    assert off.record == "off"
    assert off.rounds != fitted.rounds


def test_a_clear_race_is_decided_faster() -> None:
    close, clear = (heats.plan(64, 8, 100, feedback="winner", edge=edge) for edge in (0.55, 0.95))
    assert len(clear.rounds) < len(close.rounds)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"feedback": "stars"}, "feedback='stars' is unknown; choose one of reward, winner, ranking"),
        ({"edge": 0.5}, "edge=0.5 must be a number in"),
        ({"edge": "big"}, "edge='big' must be a number in"),
        ({"edge": 0.7, "strategy": "csh"}, "edge=0.7 is used by strategy='planned' only"),
        ({"guaranteed": 1}, "guaranteed=1 must be True or False"),
        ({"guaranteed": True, "record": "fitted"}, "record='fitted' is not covered by the paper's theorems"),
        ({"feedback": "reward", "record": "fitted"}, "is a model of wins and rankings, not of rewards"),
        ({"schedule": "paper"}, "schedule='paper' is for csws, csr, csh; name one as strategy"),
        ({"record": "some"}, "record='some' is unknown"),
    ],
)
def test_refused(asked: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        heats.plan(20, 4, 60, **asked)


def test_more_budget_is_not_worse_where_strength_depends_on_company() -> None:
    """A fit to all wins is biased there; it must not outweigh what the heat itself says."""
    world = Winners(Gaussian(24, gap=0.03, seed=3, redraw=True))
    few, many = (
        heats.simulate(heats.plan(24, 4, budget, feedback="winner"), world, reps=400).success_rate
        for budget in (480, 9600)
    )
    assert few < 0.95 < 0.98 < many


@pytest.mark.parametrize("budget", [10**5, 10**6, 10**7])
def test_the_closest_races_take_millions_of_pulls(budget: int) -> None:
    """Two arms, winners told, so many pulls that all is normal: Φ((2p − 1)·√B), in worlds as close as the model has."""

    def survive(closeness: float) -> float:
        lead = math.tanh(closeness * math.log(0.501 / 0.499) / 2)  # 2p − 1
        return float(ndtr(lead * math.sqrt(budget)))

    redrawn, lasting = sum(map(survive, CLOSENESS)) / len(CLOSENESS), survive(1.0)
    modelled = heats.chances(heats.plan(2, 2, budget, feedback="winner", edge=0.501), "winner", 0.501)
    assert modelled == pytest.approx((math.sqrt(redrawn * lasting),), abs=0.03)  # 32 numbers of wins are summed over


def test_what_is_too_large_is_refused_at_once() -> None:
    with pytest.raises(InvalidArgument, match=f"take at most {10**18} pulls"):
        heats.plan(40, 4, 10**400)
    with pytest.raises(BudgetTooSmall, match="Give at least"):
        heats.plan(10**8, 10**4, 10)
    assert heats.plan(10**6, 10**6, 10).cost == 10


@pytest.mark.parametrize(("feedback", "problem"), [("reward", (50, 4, 100)), ("winner", (50, 6, 50))])
def test_ahead_of_every_exact_rule_in_the_papers_family(feedback: str, problem: tuple[int, int, int]) -> None:
    world = Gaussian(problem[0], seed=1, redraw=True)
    seen = Winners(world) if feedback == "winner" else world
    plans = [heats.plan(*problem, rule, record="off") for rule in RULES]
    rules = max(heats.simulate(plan, seen, reps=1500).success_rate for plan in plans)
    planned = heats.simulate(heats.plan(*problem, feedback=feedback), seen, reps=1500).success_rate
    assert planned > rules + 0.03


@pytest.mark.parametrize("strategy", ["planned", "csws", "csr", "csh"])
def test_modelled_chances_are_those_of_the_papers_family(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = heats.plan(50, 4, 120, strategy, feedback="reward")
    monkeypatch.setitem(model.WORLDS, "reward", model.Worlds((Show.REWARDS,)))  # this one alone
    modelled = model.Model(Problem(50, 4, 120), "reward", None, carries=False)
    played = heats.simulate(plan, Gaussian(50, seed=2, redraw=True), reps=4000)
    assert math.exp(modelled.log_chances(plan.rounds).sum()) == pytest.approx(played.success_rate, abs=0.03)
