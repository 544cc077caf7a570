"""Plans: never dearer than the budget, never blind unless asked, and as printed where that is wanted."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from itertools import islice
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.errors import BudgetTooSmall, HeatsError, InvalidArgument, InvalidPlan, PlanOverspends
from heats.planning.plan import RECORDS, Record
from heats.planning.rules import RULES
from heats.planning.schedule import lay_rounds, printed_heats, printed_pulls, printed_rounds, spend_rest

GRID = [(n, k, budget) for n in (50, 100) for k in (2, 4, 6, 8, 10) for budget in (50, 100, 200, 300, 500)]


def two_thirds(size: int) -> int:
    """A rule that is none of the paper's."""
    return max(1, 2 * size // 3)


rules = st.sampled_from([*RULES, two_thirds])


@st.composite
def problems(draw: st.DrawFn, most: int = 2000) -> tuple[int, int]:
    n = draw(st.integers(2, most))
    return n, draw(st.integers(2, min(n, 64)))


@given(problems(), st.integers(1, 100_000), rules, st.booleans())
def test_an_exact_plan_fits_its_budget_or_is_refused(
    problem: tuple[int, int], budget: int, rule: Any, blind: bool
) -> None:
    """No mix of sizes overspends, looks away unless allowed to, or leaves a pull that a round could have had."""
    n, k = problem
    try:
        plan = heats.plan(n, k, budget, rule, blind=blind)
    except BudgetTooSmall:
        assert not blind
        assert budget < sum(shape.heats for shape in lay_rounds(n, k, RULES.get(rule, rule)))
        return
    assert plan.cost == sum(each.heats * each.pulls for each in plan.rounds) <= budget
    assert blind or all(each.pulls >= 1 for each in plan.rounds)
    assert budget - plan.cost < min(each.heats for each in plan.rounds)
    active = n
    for each in plan.rounds:
        assert each.size == min(k, active)
        assert each.heats * each.size + each.byes == active
        assert 1 <= each.keep < each.size
        active = each.heats * each.keep + each.byes
    assert active == 1


def spend_the_rest(heats_of: list[int], pulls: list[int], budget: int) -> list[int]:
    """The leftover rule, followed word by word: one more pull per heat to the poorest affordable round, the later."""
    left = budget - sum(map(int.__mul__, heats_of, pulls))
    while affordable := [i for i, width in enumerate(heats_of) if width <= left]:
        fewest = min(pulls[i] for i in affordable)
        chosen = max(i for i in affordable if pulls[i] == fewest)
        pulls[chosen] += 1
        left -= heats_of[chosen]
    return pulls


@given(problems(most=300), st.integers(0, 3000), rules)
def test_the_exact_schedule_by_plain_arithmetic(problem: tuple[int, int], extra: int, rule: Any) -> None:
    """max(1, ⌊x/heats⌋) pulls with the largest affordable x, found by count_progress up; then the leftover rule."""
    heats_of = [shape.heats for shape in lay_rounds(*problem, RULES.get(rule, rule))]
    budget = sum(heats_of) + extra

    def shared(x: int) -> list[int]:
        return [max(1, x // width) for width in heats_of]

    x = 0
    while sum(map(int.__mul__, heats_of, shared(x + 1))) <= budget:
        x += 1
    expected = spend_the_rest(heats_of, shared(x), budget)
    assert [each.pulls for each in heats.plan(*problem, budget, rule).rounds] == expected


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 9)), min_size=1, max_size=8), st.integers(0, 3000))
def test_the_rest_is_spent_pull_by_pull_or_in_one_step(rounds: list[tuple[int, int]], rest: int) -> None:
    """Much left over is spent as the leftover rule says, without following it word by word."""
    heats_of, pulls = [width for width, _ in rounds], [many for _, many in rounds]
    budget = sum(width * many for width, many in rounds) + rest
    assert spend_rest(heats_of, pulls, budget) == spend_the_rest(heats_of, list(pulls), budget)


def test_much_left_over_takes_no_longer() -> None:
    """A pull at a time, this would take years."""
    assert spend_rest([1000, 1], [1, 1], 10**18) == [999000999000999, 999000999001000]


@given(problems(), st.floats(0, 0.999), rules)
def test_a_blind_plan_shares_equally_and_spends_the_rest(problem: tuple[int, int], part: float, rule: Any) -> None:
    """Below the smallest budget: ⌊B/(rounds·heats)⌋ pulls each, then the leftover rule."""
    heats_of = [shape.heats for shape in lay_rounds(*problem, RULES.get(rule, rule))]
    budget = max(1, int(part * sum(heats_of)))
    if budget < sum(heats_of):
        equal = [budget // (len(heats_of) * width) for width in heats_of]
        plan = heats.plan(*problem, budget, rule, blind=True)
        assert [each.pulls for each in plan.rounds] == spend_the_rest(heats_of, equal, budget)


@given(problems(), rules)
def test_the_smallest_budget_is_the_number_of_heats(problem: tuple[int, int], rule: Any) -> None:
    """One pull less is refused, and the refusal names the number that works."""
    n, k = problem
    least = sum(shape.heats for shape in lay_rounds(n, k, RULES.get(rule, rule)))
    assert {each.pulls for each in heats.plan(n, k, least, rule).rounds} == {1}
    if least > 1:
        with pytest.raises(BudgetTooSmall, match=f"at least {least} pulls"):
            heats.plan(n, k, least - 1, rule)


@given(problems(), st.integers(1, 100_000), st.sampled_from(list(RULES)))
def test_the_printed_schedule_by_fractions(problem: tuple[int, int], budget: int, name: str) -> None:
    """R, P_r and b_r recomputed from the formulas of Section 4.1 with exact fractions."""
    n, k = problem
    shrink = {"csws": Fraction(1, k), "csr": Fraction(k - 1, k), "csh": Fraction(1, 2)}[name]
    total = printed_rounds(name, n, k)
    logs = {"csws": total - 1, "csr": total - k + 1, "csh": total - math.ceil(math.log2(k))}
    assert shrink ** logs[name] <= Fraction(1, n) < shrink ** (logs[name] - 1)
    heats_of = [math.ceil(Fraction(n, k) * shrink**r) for r in range(12)]
    assert list(islice(printed_heats(name, n, k), 12)) == heats_of
    assert printed_pulls(name, n, k, 12, budget) == [budget // (total * width) for width in heats_of]


def test_the_printed_schedule_of_many_rounds_by_fractions() -> None:
    """Whose numerators have thousands of digits: bounds decide, except next to integers such as n/k."""
    n, k = 90_000, 300
    ratio = Fraction(k - 1, k)
    for r, width in enumerate(islice(printed_heats("csr", n, k), 2400)):
        if r % 100 == 0 or r < 3:
            assert width == math.ceil(Fraction(n, k) * ratio**r)
    m = printed_rounds("csr", n, k) - k + 1
    assert n * ratio**m <= 1 < n * ratio ** (m - 1)


@pytest.mark.parametrize(
    ("name", "n", "k", "rounds", "first_heats"),
    [
        ("csws", 50, 2, 7, [25, 13, 7, 4]),
        ("csws", 50, 10, 3, [5, 1, 1, 1]),
        ("csws", 100, 4, 5, [25, 7, 2, 1]),
        ("csr", 50, 6, 27, [9, 7, 6, 5]),
        ("csr", 100, 10, 53, [10, 9, 9, 8]),
        ("csh", 50, 8, 9, [7, 4, 2, 1]),
        ("csh", 100, 6, 10, [17, 9, 5, 3]),
        ("csh", 100, 10, 11, [10, 5, 3, 2]),
    ],
)
def test_printed_rounds_and_heats_of_table_2(name: str, n: int, k: int, rounds: int, first_heats: list[int]) -> None:
    """Golden values of R and P_r on the paper's grid."""
    assert printed_rounds(name, n, k) == rounds
    assert list(islice(printed_heats(name, n, k), 4)) == first_heats


@pytest.mark.parametrize(
    ("name", "n", "k", "budget", "pulls"),
    [
        ("csws", 50, 4, 200, [3, 12, 50, 50]),
        ("csws", 100, 10, 100, [3, 33]),
        ("csr", 50, 4, 300, [1, 1, 2, 2, 4, 5, 5, 8, 8, 17, 17, 17, 17]),
        ("csh", 50, 8, 500, [7, 13, 27, 55, 55, 55, 55]),
        ("csh", 100, 6, 300, [1, 3, 6, 10, 15, 30, 30, 30]),
    ],
)
def test_printed_pulls_of_the_grid(name: str, n: int, k: int, budget: int, pulls: list[int]) -> None:
    """Golden values of b_r, worked out by hand from B, R and P_r."""
    assert [each.pulls for each in heats.plan(n, k, budget, name, schedule="paper").rounds] == pulls


def test_all_rules_have_the_same_number_of_rounds_at_k_2() -> None:
    """Appendix F says so; CSWS: ⌈log₂ n⌉ + 1, CSR: ⌈log₂ n⌉ + 1, CSH: ⌈log₂ n⌉ + 1."""
    assert {printed_rounds(name, n, 2) - math.ceil(math.log2(n)) for name in RULES for n in range(2, 200)} == {1}


@pytest.mark.parametrize(("base", "power"), [(3, 5), (5, 3), (10, 15), (7, 30), (1000, 5)])
def test_logarithms_are_exact_at_powers(base: int, power: int) -> None:
    """⌈log_k k^m⌉ is m, where floating point says m + 1 for 5³ or 10¹⁵; one more arm takes one more round."""
    assert printed_rounds("csws", base**power, base) == power + 1
    assert printed_rounds("csws", base**power + 1, base) == power + 2


def test_halving_81_arms_in_threes_takes_11_rounds() -> None:
    """Section 4.1 promises at most 9 rounds, which would overspend the budget."""
    assert printed_rounds("csh", 81, 3) == 9
    assert len(heats.plan(81, 3, 1000, "csh").rounds) == 11


@pytest.mark.parametrize("blind", [False, True])
def test_a_printed_schedule_that_overspends_is_refused(blind: bool) -> None:
    """It says how much it would spend, and names the schedule that does not."""
    with pytest.raises(PlanOverspends, match=r"spend 127 pulls of a budget of 50.*schedule='exact'"):
        heats.plan(379, 3, 50, "csh", schedule="paper", blind=blind)


def test_only_halving_in_odd_heats_overspends() -> None:
    """Erratum 6: at a large budget 967 pairs (n < 400, k ≤ 40) overspend, all of them CSH."""
    overspent: dict[str, int] = dict.fromkeys(RULES, 0)
    for name, rule in RULES.items():
        for n in range(2, 400):
            for k in range(2, min(n, 40) + 1):
                widths = [shape.heats for shape in lay_rounds(n, k, rule)]
                pulls = printed_pulls(name, n, k, len(widths), 1_000_000)
                overspent[name] += sum(map(int.__mul__, widths, pulls)) > 1_000_000
    assert overspent == {"csws": 0, "csr": 0, "csh": 967}


def test_the_printed_schedules_leave_budget_and_arms_unseen() -> None:
    """Erratum 7: on the paper's grid they spend 0 to 90 % of the budget; in 67 of 150 cells b_1 = 0."""
    plans = [heats.plan(*cell, rule, schedule="paper", blind=True) for cell in GRID for rule in RULES]
    assert sum(plan.rounds[0].pulls == 0 for plan in plans) == 67
    assert heats.plan(100, 10, 50, "csr", schedule="paper", blind=True).cost == 0
    assert round(max(plan.cost / plan.budget for plan in plans), 3) == 0.902


def test_exact_schedules_of_the_grid_spend_everything() -> None:
    """The last round always has one heat, so nothing is ever left."""
    assert all(heats.plan(*cell, rule, blind=True).cost == cell[2] for cell in GRID for rule in RULES)


def test_the_listing_of_csh_in_appendix_d_overspends() -> None:
    """Erratum 6: b_r = ⌊Bk/(⌈n/2^(r−1)⌉R)⌋ overspends in 28 of the 50 cells."""
    overspent = 0
    for n, k, budget in GRID:
        total = printed_rounds("csh", n, k)
        widths = [shape.heats for shape in lay_rounds(n, k, RULES["csh"])]
        overspent += sum(w * (budget * k // (-(-n // 2**r) * total)) for r, w in enumerate(widths)) > budget
    assert overspent == 28


def test_a_printed_plan_without_a_look_names_what_it_needs() -> None:
    """R·P_1 = 9·25 pulls, where the exact schedule needs 50."""
    with pytest.raises(BudgetTooSmall, match=r"at least 225 pulls.*needs 50"):
        heats.plan(100, 4, 100, "csh", schedule="paper")
    assert heats.plan(100, 4, 225, "csh", schedule="paper").rounds[0].pulls == 1


@given(problems(), st.integers(1, 100_000), rules)
def test_json_gives_the_plan_back(problem: tuple[int, int], budget: int, rule: Any) -> None:
    """Whatever the plan, rules of one's own included."""
    plan = heats.plan(*problem, budget, rule, blind=True, record="pooled")
    assert heats.Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_arms": 13}, "deals 12 arms"),
        ({"budget": 10}, "costs 40 pulls"),
        ({"record": "none"}, "record"),
        ({"rounds": []}, "ends with 12 arms"),
        ({"surprise": 1}, "surprise"),
        ({"heat_size": "4"}, "heat_size"),
        ({"heat_size": 3}, "size=4"),
        ({"n_arms": True}, "n_arms"),
        ({"budget": 1e400}, "budget"),
    ],
)
def test_a_hand_edited_plan_that_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    """The error says where it does not fit."""
    edited = json.loads(heats.plan(12, 4, 40).to_json()) | change
    with pytest.raises(InvalidArgument, match=message):
        heats.Plan.from_json(json.dumps(edited).replace("Infinity", "1e400"))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("keep", 4, "keep=4 must be from 1 to 3"),
        ("keep", 0, "keep=0"),
        ("pulls", 0, "without a single pull"),
        ("pulls", -1, "pulls=-1"),
        ("byes", 1, "deals 13 arms"),
        ("heats", 0, "heats=0"),
        ("size", 1, "size=1"),
    ],
)
def test_a_round_that_does_not_fit_is_refused(field: str, value: int, message: str) -> None:
    """Each field has its own sentence."""
    edited = json.loads(heats.plan(12, 4, 40).to_json())
    edited["rounds"][0][field] = value
    with pytest.raises(HeatsError, match=message):
        heats.Plan.from_json(json.dumps(edited))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"n_arms": 3}', 3, None])
def test_what_is_no_plan_is_refused(text: str) -> None:
    """Broken JSON and JSON of something else."""
    with pytest.raises(InvalidPlan):
        heats.Plan.from_json(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 2, 10), "n_arms=1"),
        ((10, 1, 10), "heat_size=1"),
        ((10, 11, 10), "heat_size=11 is more than the 10 candidates"),
        ((10, 2, 0), "budget=0"),
        ((10, True, 10), "heat_size=True"),
        ((10.0, 2, 10), r"n_arms=10\.0"),
        ((10, 2, 10, "cs"), "csws, csr, csh"),
        ((10, 2, 10, 3), "strategy=3"),
        ((10, 4, 99, lambda size: size), r"strategy\(4\)=4"),
        ((10, 4, 99, lambda size: 0), r"strategy\(4\)=0"),
        ((10, 4, 99, lambda size: 1.5), r"strategy\(4\)=1\.5"),
        ((10, 4, 99, lambda size: True), r"strategy\(4\)=True"),
    ],
)
def test_impossible_problems_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    """The error names the value."""
    with pytest.raises(InvalidArgument, match=message):
        heats.plan(*arguments)


def test_unknown_schedules_and_records_are_refused() -> None:
    """They list what there is; the printed schedule knows only the paper's rules."""
    with pytest.raises(InvalidArgument, match="exact, paper"):
        heats.plan(10, 2, 50, schedule="papers")
    with pytest.raises(InvalidArgument, match="ties, off, pooled, fitted"):
        heats.plan(10, 2, 50, record="on")
    with pytest.raises(InvalidArgument, match="only for csws, csr, csh, not for the rule two_thirds"):
        heats.plan(10, 4, 50, two_thirds, schedule="paper")


def test_a_plan_prints_as_a_table() -> None:
    """One line of summary, titles, and a line per round."""
    assert str(heats.plan(10, 4, 30, "csh")).splitlines() == [
        "csh, exact schedule: 10 candidates, heats of 4, 30 of 30 pulls in 4 rounds",
        "",
        "round  arms in  heats  size  keep  byes  pulls per heat  pulls  share of budget",
        "    1       10      2     4     2     2               4      8            26.7%",
        "    2        6      1     4     2     2               7      7            23.3%",
        "    3        4      1     4     2     0               7      7            23.3%",
        "    4        2      1     2     1     0               8      8            26.7%",
    ]


def test_a_long_plan_is_shortened_in_print() -> None:
    """The middle of hundreds of rounds is left out, and says so; JSON has them all."""
    plan = heats.plan(2000, 64, 10_000, "csr")
    lines = str(plan).splitlines()
    assert len(plan.rounds) > 200
    assert len(lines) == 3 + 30 + 1 + 30
    assert lines[33] == f"… {len(plan.rounds) - 60} more rounds …"
    assert lines[-1].split()[0] == str(len(plan.rounds))


def test_advice_that_helps() -> None:
    """A larger heat is suggested only where it saves pulls: not for CSR, which drops one arm per heat anyway."""
    with pytest.raises(BudgetTooSmall, match=r"take heat_size=8 \(with which it takes 26\)"):
        heats.plan(100, 4, 10, "csh")
    with pytest.raises(BudgetTooSmall, match=r"take heat_size=8 \(with which it takes 15\)"):
        heats.plan(100, 4, 10)
    with pytest.raises(BudgetTooSmall) as refusal:
        heats.plan(50, 4, 10, "csr")
    assert "heat_size" not in str(refusal.value)


@pytest.mark.parametrize("blind", ["no", 1, None])
def test_blind_is_yes_or_no(blind: Any) -> None:
    """Anything else would be taken for a yes."""
    with pytest.raises(InvalidArgument, match="blind="):
        heats.plan(10, 2, 50, blind=blind)


def test_numbers_of_numpy_are_numbers() -> None:
    """They become plain ones."""
    import numpy as np

    assert heats.plan(np.int64(10), np.int32(2), np.uint8(50)) == heats.plan(10, 2, 50)
    assert heats.plan(10, 2, 50, "CSH") == heats.plan(10, 2, 50, "csh")
    assert heats.plan(10, 2, 50, "Planned") == heats.plan(10, 2, 50)


def test_a_plan_of_one_s_own() -> None:
    """Any rounds that fit together are a plan, byes at will."""
    own = heats.Plan(
        n_arms=5,
        heat_size=3,
        budget=9,
        rounds=(heats.Round(1, 3, 1, 3, byes=2), heats.Round(1, 3, 2, 3), heats.Round(1, 2, 1, 3)),
    )
    assert own.cost == 9
    assert heats.Plan.from_json(own.to_json()) == own


@pytest.mark.parametrize("feedback", [None, "reward", "winner", "ranking"])
@pytest.mark.parametrize("strategy", ["planned", "csh", two_thirds])
def test_a_plan_says_what_it_was_made_for(strategy: Any, feedback: Any) -> None:
    """Whoever plays it can refuse other kinds of feedback; JSON keeps it."""
    plan = heats.plan(12, 4, 40, strategy, feedback=feedback)
    assert plan.feedback == feedback
    assert heats.Plan.from_json(plan.to_json()) == plan


def test_plans_written_before_they_said_so_are_read() -> None:
    """They were made for any feedback."""
    plan = heats.plan(12, 4, 40, "csh")
    old = json.loads(plan.to_json())
    del old["feedback"]
    assert heats.Plan.from_json(json.dumps(old)) == plan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feedback": "stars"}, "feedback='stars' is unknown; choose one of reward, winner, ranking, or leave it out"),
        ({"record": "stars"}, "record='stars' is unknown; choose one of ties, off, pooled, fitted"),
        ({"feedback": 3}, "feedback=3 is unknown"),
    ],
)
def test_wrong_words_are_refused(change: dict[str, Any], message: str) -> None:
    """By hand and in JSON, with the words there are."""
    plan = json.loads(heats.plan(12, 4, 40, "csh").to_json())
    with pytest.raises(InvalidArgument, match=message):
        heats.Plan.from_json(json.dumps(plan | change))
    with pytest.raises(InvalidArgument, match=message):
        heats.Plan(**(plan | change | {"rounds": tuple(heats.Round(**each) for each in plan["rounds"])}))


def test_what_records_mean() -> None:
    """A record that ranks heats is not covered by the theorems, and only that one can carry evidence on."""
    assert set(RECORDS) == set(get_args(Record))
    for rule in RECORDS.values():
        assert rule.ranks_heats != rule.guaranteed
        assert rule.ranks_heats or not rule.carries
        assert rule.ranks_heats or not rule.is_fitted


def test_fixed_rules_are_planned_without_scipy() -> None:
    """The model is imported when it is needed, not before."""
    code = (
        "import sys, heats; heats.plan(100, 4, 500, 'csh', feedback='winner'); print('scipy' in sys.modules); "
        "heats.plan(100, 4, 500); print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
