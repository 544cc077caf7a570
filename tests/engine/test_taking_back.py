"""Answers that are taken back or void, and rounds that are closed: what is left is all there ever was."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback, InvalidArgument, OutOfTurn
from tests.playing import TRUTH, play, recall

MACHINES: dict[str, Callable[[], Machine]] = {
    "ties": lambda: heats.Tournament(heats.plan(7, 3, 30, "csh"), seed=3),
    "pooled": lambda: heats.Tournament(heats.plan(6, 3, 24, "csr", record="pooled"), seed=3),
    "fitted": lambda: heats.Tournament(heats.plan(8, 3, 30, feedback="winner"), seed=3),
    "blind": lambda: heats.Tournament(heats.plan(9, 3, 4, "csws", blind=True), seed=3),
    "early": lambda: heats.Tournament(heats.plan(7, 3, 36, "csws", record="off"), seed=3, early=True),
    "round-robin": lambda: heats.RoundRobin(5, 3, 14, seed=3),
    "successive-halving": lambda: heats.SuccessiveHalving(6, 24, seed=3),
    "adaptive": lambda: heats.Adaptive(6, 3, 20, batches=4, seed=3),
}
ANY = st.sampled_from(sorted(MACHINES))
CHANCE = st.integers(0, 99_999)
PEOPLE = ("ann", "bob", "cem", None)


def answer(query: Query, draw: random.Random) -> Any:
    """A reward for one arm, who won of several, now and then nothing."""
    if draw.random() < 0.15:
        return heats.NoVerdict("cannot say")
    if len(query.arms) == 1:
        return [query.arms[0] + draw.gauss(0, 2)]
    return heats.Winner(max(query.arms, key=lambda arm: arm + draw.gauss(0, 2)))


def look_at(machine: Machine) -> tuple[Any, ...]:
    """Return all that decides how a run goes on, and what its report is made of."""
    dealt = None if machine.stage is None else machine.stage.heats.tolist()
    counts = machine.owed, machine.saved, machine.total, dict(machine.answered), machine.voided, machine.overturned
    return recall(machine), dealt, counts, machine.leader, [each.pulls.tolist() for each in machine.silence()]


def tell_some(machine: Machine, draw: random.Random, count: int) -> None:
    """Tell so many pulls of the round under way or of later ones, in any order, by anybody."""
    for _ in range(count):
        out = machine.ask(draw.randint(1, 4))
        if not out:
            return
        keep = draw.choice(out)
        for query in out:
            if query is not keep:
                machine.requeue(query)
        machine.tell(keep, answer(keep, draw), by=draw.choice(PEOPLE))


@settings(max_examples=50, deadline=None)
@given(ANY, CHANCE, st.integers(0, 25))
def test_what_was_taken_back_never_was(name: str, chance: int, told: int) -> None:
    """Tell, take back, tell otherwise: to the byte what it is without the first answer, in whichever round."""
    machines = [MACHINES[name](), MACHINES[name]()]
    for machine in machines:
        tell_some(machine, random.Random(chance), told)
    twice, once = machines
    draw = random.Random(chance)
    query = twice.ask()
    if query is None or twice.owed == 1:
        return
    first, second = answer(query, draw), answer(query, draw)
    before, stage = look_at(twice), twice.round
    twice.tell(query, first, by="ann")
    if twice.round > stage:  # it decided its heat, and with it the round
        return
    twice.take_back(query)
    assert look_at(twice) == before
    with pytest.raises(OutOfTurn, match="was not told"):
        twice.take_back(query)
    for machine in machines:
        machine.tell(query.id, second, by="bob")
    assert look_at(twice) == look_at(once)
    for machine in machines:
        play(machine, lambda query: answer(query, random.Random(query.seed)))
    assert look_at(twice) == look_at(once)
    if chance % 40 == 7:  # standings take their time
        assert twice.report().to_json() == once.report().to_json()


@settings(max_examples=50, deadline=None)
@given(ANY, CHANCE)
def test_any_mix_of_telling_and_taking_back_is_what_is_left_of_it(name: str, chance: int) -> None:
    """A round told, taken back, requeued and asked in any order is the round of the answers that stayed."""
    machine, plain, draw = MACHINES[name](), MACHINES[name](), random.Random(chance)
    stays: dict[int, tuple[Any, str | None]] = {}
    for _ in range(40):
        if draw.random() < 0.4 and stays:
            number = draw.choice(sorted(stays))
            del stays[number]
            machine.take_back(number)
            if machine.counts(number) and draw.random() < 0.7:
                machine.requeue(number)
            continue
        query = machine.ask()
        if query is None or machine.owed == 1:
            break
        stays[query.id] = answer(query, draw), draw.choice(PEOPLE)
        machine.tell(query, stays[query.id][0], by=stays[query.id][1])
        if machine.round != plain.round:
            return
    for number, (said, by) in stays.items():
        plain.tell(number, said, by=by)
    assert look_at(machine) == look_at(plain)
    for number in [each for each in range(machine.next_id) if each in machine._out]:
        machine.requeue(number)
    assert recall(play(machine, TRUTH[_kind(name)])) == recall(play(plain, TRUTH[_kind(name)]))


def _kind(name: str) -> str:
    return "rewards" if name == "successive-halving" else "winner"


def test_an_answer_that_was_saved_comes_back_with_its_heat() -> None:
    """The third pull decides a heat of five; taken back, what the fifth had said counts, and the fourth is owed."""
    plan = heats.Plan(4, 2, 12, (heats.Round(2, 2, 1, pulls=5), heats.Round(1, 2, 1, pulls=2)), record="off")
    machine = heats.Tournament(plan, early=True)
    queries = [machine.query(number) for number in range(5)]
    one, other = sorted(queries[0].arms)
    machine.tell(4, heats.Winner(other), by="eve")
    for number in range(3):
        machine.tell(number, heats.Winner(one))
    assert (machine.spent, machine.saved, machine.counts(4)) == (3, 2, False)
    machine.take_back(2)
    assert (machine.spent, machine.saved, machine.counts(4)) == (3, 0, True)
    assert {each.id for each in machine.ask(99)} == {3, 5, 6, 7, 8, 9}
    machine.tell(2, heats.Winner(one))
    machine.take_back(4)
    assert (machine.spent, machine.saved, dict(machine.answered)) == (3, 2, {})
    machine.take_back(2)
    assert (machine.spent, machine.saved, machine.owed) == (2, 0, 8)
    assert machine.ask() is None


def test_the_kind_of_feedback_is_forgotten_with_the_last_verdict() -> None:
    """Whoever pressed the wrong button first may begin with another kind."""
    machine = heats.RoundRobin(4, 2, 6)
    one, other = machine.ask(2)
    machine.tell(one, [1.0, 0.0])
    machine.tell(other, heats.NoVerdict())
    with pytest.raises(BadFeedback):
        machine.tell(machine.ask(), heats.Winner(None))
    machine.take_back(one)
    machine.tell(one, heats.Winner(one.arms[0]))
    assert machine.spent == 2


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_over_or_was_never_told_is_not_taken_back(name: str) -> None:
    """In a sentence each, and nothing changes."""
    machine = MACHINES[name]()
    query = machine.ask()
    before = look_at(machine)
    for wrong, error, why in (
        (query, OutOfTurn, "was not told"),
        (10_000, OutOfTurn, "is not owed now"),
        ("3", InvalidArgument, "query"),
        (None, OutOfTurn, "all pulls that are owed are out"),
    ):
        with pytest.raises(error, match=why):
            machine.take_back(wrong)
    assert look_at(machine) == before
    machine.requeue(query)
    play(machine, TRUTH[_kind(name)])
    before = look_at(machine)
    for number in range(machine.next_id):
        with pytest.raises(OutOfTurn, match="what it decided stays"):
            machine.take_back(number)
    assert look_at(machine) == before


@settings(max_examples=40, deadline=None)
@given(ANY, CHANCE, st.integers(0, 25))
def test_a_closed_round_is_one_told_no_verdict(name: str, chance: int, told: int) -> None:
    """All that it owed; the next round is dealt as if somebody had told so."""
    closed, plain = MACHINES[name](), MACHINES[name]()
    for machine in (closed, plain):
        tell_some(machine, random.Random(chance), told)
    if closed.done:
        with pytest.raises(OutOfTurn, match="the run is over"):
            closed.close_stage()
        return
    before = closed.round
    closed.ask(2)
    closed.close_stage("nobody is left")
    while plain.round == before and not plain.done:
        plain.tell(plain.ask(), heats.NoVerdict("nobody is left"))
    assert closed.round > before
    assert look_at(closed) == look_at(plain)


def of_three(pulls: np.ndarray[Any, Any]) -> Any:
    """Score heats of three pulls, and no others."""
    if pulls.shape[-2] != 3:
        raise ValueError("three, please")
    return pulls.mean(axis=-2)


def test_answers_that_a_statistic_needs_cannot_be_void() -> None:
    """It is refused in a sentence, and nothing changes; nobody is void."""
    plan = heats.Plan(3, 2, 6, (heats.Round(1, 2, 1, pulls=3, byes=1), heats.Round(1, 2, 1, pulls=3)))
    machine = heats.Tournament(plan, of_three)
    for query in machine.ask(3):
        machine.tell(query, [1.0, 0.0], by="ann" if query.id == 1 else "bob")
    before = look_at(machine)
    with pytest.raises(InvalidArgument, match="three, please"):
        machine.void("ann")
    assert look_at(machine) == before
    assert machine.voided == ()


def test_a_round_that_cannot_do_with_fewer_pulls_stays_open() -> None:
    """A statistic of one's own may need all of them: nothing is closed, and what was out is out."""
    machine = heats.Tournament(heats.Plan(2, 2, 3, (heats.Round(1, 2, 1, pulls=3),)), of_three)
    one, out = machine.ask(2)
    machine.tell(one, [1.0, 0.0])
    before = look_at(machine)
    with pytest.raises(InvalidArgument, match="three, please"):
        machine.close_stage("late")
    with pytest.raises(BadFeedback, match="text"):
        machine.close_stage(5)
    assert look_at(machine) == before
    assert list(machine._out) == [out.id]
    assert machine.ask() is not None
    assert machine.ask() is None


@settings(max_examples=50, deadline=None)
@given(ANY, CHANCE, st.integers(0, 40), st.integers(0, 40))
def test_void_answers_are_no_verdicts(name: str, chance: int, before: int, after: int) -> None:
    """Of the round under way and from then on: as if NoVerdict had been told; who answered is still known."""
    machine, plain = MACHINES[name](), MACHINES[name]()
    draw = random.Random(chance)
    for turn in range(before + after):
        if turn == before:
            machine.void("ann")
        if not machine.owed or plain.round or (machine.owed == 1 and turn < before):
            break
        query = draw.choice(machine.ask(draw.randint(1, 4)))
        for number in [each for each in range(machine.next_id) if each in machine._out and each != query.id]:
            machine.requeue(number)
        by, said = draw.choice(PEOPLE), answer(query, draw)
        machine.tell(query, said, by=by)
        if machine.round and turn < before:  # it saved what was left of the round
            return
        if not plain.told(query):
            plain.tell(query.id, heats.NoVerdict() if by == "ann" else said, by=by)
    machine.void("ann")
    machine.void("ann")
    if not machine.overturned:
        ours, theirs = look_at(machine), look_at(plain)
        assert (ours[0], ours[1], ours[3], ours[4]) == (theirs[0], theirs[1], theirs[3], theirs[4])
    assert machine.voided == ("ann",)


@settings(max_examples=50, deadline=None)
@given(ANY, CHANCE, st.integers(1, 40))
def test_closed_rounds_stay_and_void_answers_leave_the_evidence(name: str, chance: int, told: int) -> None:
    """Who left stays away, what was dealt stays; of what was told only the others' answers are left."""
    machine, same = MACHINES[name](), MACHINES[name]()
    for each in (machine, same):
        tell_some(each, random.Random(chance), told)
    who = {number for number in range(machine.next_id) if _answered(machine, number) == "ann"}
    exits, dealt, was = machine.list_exits(), machine.round, machine.winner
    machine.void("ann")
    if machine.round == dealt:
        assert machine.list_exits() == exits
    left = {int(pull) for each in machine.evidence() for pull in each.pulls}
    had = {int(pull) for each in same.evidence() for pull in each.pulls}
    assert left - had <= set() or name == "early"
    assert not left & who
    if name != "early":
        assert left == had - who
        assert machine.spent == same.spent
        assert machine.count_voided() == len(who)
        assert machine.no_verdicts == machine.spent - len(left)
    if name not in ("adaptive", "round-robin"):
        assert machine.winner == was or was is None
    play(machine, TRUTH[_kind(name)])
    assert machine.done


def _answered(machine: Machine, number: int) -> str | None:
    """Return who answered a pull that counts."""
    if not machine.told(number) or not machine.counts(number):
        return None
    people = machine._answerers
    stages = [(over.opened.first, over.signed) for over in machine._past] + [(machine._first, people.signed)]
    first, signed = max((each for each in stages if each[0] <= number), key=lambda each: each[0])
    if signed is None or number - first >= len(signed) or signed[number - first] < 0:
        return None
    return list(people._numbers)[signed[number - first]]


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["ties", "pooled", "fitted", "successive-halving"]), CHANCE)
def test_a_first_round_is_overturned_if_others_had_stayed(name: str, chance: int) -> None:
    """Played with NoVerdict in the place of void answers, the first round ends with others: exactly then it is named."""
    machine, plain = MACHINES[name](), MACHINES[name]()
    while machine.round == 0:
        query = machine.ask()
        assert query is not None
        draw = random.Random(chance + query.id)
        said, by = answer(query, draw), draw.choice(PEOPLE)
        machine.tell(query, said, by=by)
        plain.tell(query.id, heats.NoVerdict() if by == "ann" else said)
    machine.void("ann")
    assert (1 in machine.overturned) == (machine.list_exits() != plain.list_exits())


def test_a_void_voter_may_change_who_wins_where_nobody_left() -> None:
    """All of adaptive play goes by what is left; a tournament's winner stays the one it had."""
    adaptive = heats.Adaptive(3, 2, 12, seed=1)
    while query := adaptive.ask():
        adaptive.tell(query, heats.Winner(min(query.arms)), by="troll")
    assert adaptive.winner == 0
    adaptive.void("troll")
    assert adaptive.report().standings.method == "none"
    assert adaptive.report().voided == adaptive.report().no_verdicts == 12
    tournament = heats.Tournament(heats.plan(4, 2, 9), seed=1)
    while query := tournament.ask():
        tournament.tell(query, heats.Winner(min(query.arms)), by="troll")
    tournament.void("troll")
    assert tournament.winner == 0
    assert "0" not in str(tournament.overturned)
    with pytest.raises(InvalidArgument, match="who"):
        tournament.void(None)
