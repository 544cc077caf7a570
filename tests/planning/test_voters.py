"""Plans for people: nobody has to see a heat twice, and what it takes of each is said."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.cli.app import run
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning.voters import count_turnout


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(2, 5),
    st.integers(1, 200),
    st.integers(1, 20),
    st.sampled_from(["planned", "csws", "csr", "csh"]),
)
def test_no_heat_is_pulled_more_often_than_there_are_voters(
    n: int, k: int, budget: int, voters: int, name: str
) -> None:
    """Within the budget, with every heat seen; a plan that needs no change is the one without voters."""
    try:
        plain = heats.plan(n, min(n, k), budget, name)
    except BudgetTooSmall:
        with pytest.raises(BudgetTooSmall):
            heats.plan(n, min(n, k), budget, name, voters=voters)
        return
    made = heats.plan(n, min(n, k), budget, name, voters=voters)
    assert max(each.pulls for each in made.rounds) <= voters
    assert made.cost <= budget
    if all(each.pulls <= voters for each in plain.rounds):
        assert made == plain
    elif name != "planned":
        assert [each.keep for each in made.rounds] == [each.keep for each in plain.rounds]
        left = budget - made.cost  # whatever is left fits nowhere
        assert all(each.pulls == voters or each.heats > left for each in made.rounds)


def test_as_many_voters_as_anybody_likes() -> None:
    """A country votes on a hundred candidates: planned at once."""
    made = heats.plan(100, 4, 10**12, voters=10**6)
    assert max(each.pulls for each in made.rounds) == 10**6


@pytest.mark.parametrize("voters", [1, 2, 3, 5, 8])
def test_planned_is_no_worse_than_the_fixed_rules_with_as_many_voters(voters: int) -> None:
    """By the model, with the same record."""
    best = math.prod(heats.chances(heats.plan(12, 3, 60, voters=voters)))
    for name in ("csws", "csr", "csh"):
        assert best >= math.prod(heats.chances(heats.plan(12, 3, 60, name, voters=voters))) - 1e-9


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9), st.integers(1, 20))
def test_votes_are_shared_out(stages: list[int], voters: int) -> None:
    """Dealt in turn, nobody has more than is said, and nobody comes more often."""
    turnout = count_turnout(stages, voters, seconds=30)
    turns = [number % voters for number in range(sum(stages))]
    assert turnout.votes_each == max((turns.count(voter) for voter in range(voters)), default=0)
    assert turnout.minutes_each == turnout.votes_each / 2
    ends = [sum(stages[:end]) for end in range(len(stages) + 1)]
    visits = [sum(voter in turns[low:high] for low, high in pairwise(ends)) for voter in range(voters)]
    assert max(visits) <= turnout.visits_each


def test_votes_each_are_a_budget() -> None:
    """Twelve voters with nine votes have 108; more is refused, less is fine."""
    assert heats.plan(20, 4, voters=12, votes_each=9).budget == 108
    assert heats.plan(20, 4, 100, voters=12, votes_each=9).budget == 100
    for wrong, why in (
        ({"budget": 109, "voters": 12, "votes_each": 9}, "more than the 108 votes"),
        ({"budget": 60, "votes_each": 9}, "of how many voters"),
        ({"budget": 60, "voters": 0}, "voters=0 must be at least 1"),
        ({"voters": 12, "votes_each": 0}, "votes_each=0 must be at least 1"),
        ({"chance": 0.9, "voters": 12}, "may take more votes than voters=12 can give"),
        ({"voters": 12}, "say how many pulls"),
        ({"budget": 200, "voters": 2, "strategy": "csws", "schedule": "paper"}, "somebody would see it twice"),
    ):
        with pytest.raises(InvalidArgument, match=why):
            heats.plan(20, 4, **wrong)


def test_the_command_line_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """Votes, minutes and visits of a plan and of adaptive play; wrong wishes in a sentence."""
    asked = ["plan", "-n", "20", "-k", "4", "--voters", "12", "--votes-each", "9"]
    assert run(asked) == 0
    assert "12 voters: 9 votes each at most, about 3 minutes; each comes up to" in capsys.readouterr().out
    assert run([*asked, "--strategy", "adaptive", "--batches", "3", "--seconds", "40"]) == 0
    shown = capsys.readouterr().out
    assert "in 3 batches of 5, 57, 46; no set of candidates is compared more than 12 times" in shown
    assert "about 6 minutes; each comes up to 3 times" in shown
    assert run([*asked, "--strategy", "adaptive", "--json"]) == 0
    assert '"voters":{"voters":12,"votes":108,"votes_each":9,' in capsys.readouterr().out
    for wrong, why in (
        ("-B 60 --batches 3", "--batches 3 is for --strategy adaptive only"),
        ("-B 60 --strategy adaptive --record off", "--record off belongs to a plan"),
        ("--strategy adaptive", "say how many pulls may be made"),
        ("-B 60 --voters 4 --seconds 0", "--seconds 0"),
    ):
        assert run(["plan", "-n", "9", "-k", "3", *wrong.split()]) == 2
        assert why in capsys.readouterr().err
    assert run(["plan", "-n", "4", "-k", "3", "-B", "60", "--voters", "2", "--strategy", "adaptive"]) == 2
    assert "nobody sees one twice. Give at most 8, or have more voters" in capsys.readouterr().err
