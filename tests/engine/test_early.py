"""Pulls that can no longer change who stays in their heat are saved: the same arms stay, the same one wins."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.machine import Machine, Query
from heats.engine.report import RoundReport
from heats.engine.specs import TournamentSpec, parse_spec
from heats.errors import BadFeedback, InvalidArgument, OutOfTurn
from tests.playing import TIES, TRUTH, noisy, play, play_in_any_order, recall


def any_winner(query: Query) -> Any:
    """Somebody, several, nobody, or no verdict, by the query's seed; arms of a larger number more often."""
    draw = random.Random(query.seed)
    fate = draw.random()
    if fate < 0.15:
        return heats.NoVerdict()
    if fate < 0.25:
        return heats.Winner(None)
    if fate < 0.5:
        return heats.Winner(*draw.sample(query.arms, draw.randint(1, len(query.arms))))
    return heats.Winner(max(query.arms, key=lambda arm: arm / 4 + draw.gauss(0, 1)))


def any_race(query: Query) -> Any:
    """Some finish, perhaps at the same time."""
    draw = random.Random(query.seed)
    return heats.Race({arm: float(draw.randint(1, 3)) for arm in query.arms if draw.random() < 0.7})


def any_ranking(query: Query) -> Any:
    """The first few, in any order."""
    draw = random.Random(query.seed)
    return heats.Ranking(draw.sample(query.arms, draw.randint(0, len(query.arms))))


SHARES = [any_winner, any_race, any_ranking, *(TRUTH[kind] for kind in ("winner", "race", "best-worst"))]


@st.composite
def plans(draw: st.DrawFn) -> heats.Plan:
    n = draw(st.integers(2, 25))
    k = draw(st.integers(2, min(n, 5)))
    strategy = draw(st.sampled_from(["csws", "csr", "csh", "planned"]))
    return heats.plan(n, k, draw(st.integers(n, 150)), strategy, record="off", blind=True)


@settings(max_examples=100)
@given(plans(), st.integers(0, 2**70), st.sampled_from([*SHARES, *TIES.values()]), st.integers(0, 999))
def test_the_same_arms_stay(plan: heats.Plan, seed: int, answer: Any, order: int) -> None:
    """Of every round, with and without early, in whichever order it is told; what was not spent was saved."""
    whole = play(heats.Tournament(plan, seed=seed), answer)
    early = play(heats.Tournament(plan, seed=seed, early=True), answer)
    shuffled = play_in_any_order(heats.Tournament(plan, seed=seed, early=True), answer, random.Random(order))
    assert [each.survivors for each in _rounds(early)] == [each.survivors for each in _rounds(whole)]
    assert early.winner == whole.winner
    assert recall(early) == recall(shuffled)
    assert (early.saved, _rounds(early)) == (shuffled.saved, _rounds(shuffled))
    assert early.spent + early.saved == plan.cost == whole.spent
    assert early.total == early.spent


@settings(max_examples=40)
@given(plans(), st.integers(0, 99))
def test_numbers_scored_by_who_won_end_early_too(plan: heats.Plan, seed: int) -> None:
    """Rewards with ``win_rate``; averaged, nothing is ever saved."""
    whole, early = (play(heats.Tournament(plan, heats.win_rate, seed, early=each), noisy) for each in (False, True))
    assert [each.survivors for each in _rounds(early)] == [each.survivors for each in _rounds(whole)]
    averaged = play(heats.Tournament(plan, seed=seed, early=True), noisy)
    assert (averaged.saved, averaged.spent) == (0, plan.cost)


def test_a_report_says_what_was_saved() -> None:
    """As a field, as text, as JSON and in a notebook; equal to the byte in any order of telling."""
    plan = heats.plan(9, 3, 60, "csh", record="off")
    machine = play(heats.Tournament(plan, seed=3, early=True), any_winner)
    shuffled = play_in_any_order(heats.Tournament(plan, seed=3, early=True), any_winner, random.Random(1))
    report = machine.report()
    assert report.saved == machine.saved == plan.cost - report.spent > 0
    assert f"{report.spent} of 60" in str(report)
    assert f", {report.saved} saved" in str(report)
    assert f", {report.saved} saved" in report._repr_html_()
    assert f'"saved":{report.saved}' in report.to_json() == shuffled.report().to_json()
    assert sum(sum(each.counted or ()) for each in report.rounds) == report.spent


# The shortest deciding prefix, by trying all that the other pulls may say.

Shares = tuple[Fraction, ...] | None


def _winner_answers(size: int) -> list[tuple[Any, Shares]]:
    """All that a pull of arms 0 to size - 1 may say, and the share of each."""
    subsets = itertools.chain.from_iterable(itertools.combinations(range(size), count) for count in range(size + 1))
    said = [(each, tuple(Fraction(arm in each, max(len(each), 1)) for arm in range(size))) for each in subsets]
    return [(heats.NoVerdict(), None), *((heats.Winner(*each) if each else heats.Winner(None), s) for each, s in said)]


def _ranking_answers(size: int) -> list[tuple[Any, Shares]]:
    orders = itertools.permutations(range(size))
    said = [(each, tuple(Fraction(size - 1 - each.index(arm), size - 1) for arm in range(size))) for each in orders]
    return [(heats.NoVerdict(), None), *((heats.Ranking(each), shares) for each, shares in said)]


def _stay(pulls: Sequence[Shares], dealt: Sequence[int], keep: int) -> frozenset[int]:
    """Return who stays, in plain fractions; ties fall as dealt."""
    sums = {arm: sum((shares[arm] for shares in pulls if shares is not None), Fraction(0)) for arm in dealt}
    return frozenset(sorted(dealt, key=lambda arm: (-sums[arm], dealt.index(arm)))[:keep])


def _shortest_prefix(pulls: list[Shares], possible: list[Shares], dealt: Sequence[int], keep: int) -> int:
    for length in range(len(pulls)):
        stay = _stay(pulls[:length], dealt, keep)
        rest = itertools.product(possible, repeat=len(pulls) - length)
        if all(_stay([*pulls[:length], *each], dealt, keep) == stay for each in rest):
            return length
    return len(pulls)


@pytest.mark.parametrize("answers", [_winner_answers, _ranking_answers])
@settings(max_examples=60)
@given(data=st.data())
def test_a_heat_ends_at_its_shortest_deciding_prefix(
    answers: Callable[[int], list[tuple[Any, Shares]]], data: st.DataObject
) -> None:
    """No shorter one would do, and nothing after it matters: by brute force over all that could be told."""
    size, keep = data.draw(st.sampled_from([(2, 1), (3, 1), (3, 2)]))
    pulls = data.draw(st.integers(1, 6 if size == 2 else 4))
    rounds = [heats.Round(1, size, keep, pulls)] + ([heats.Round(1, 2, 1, 1)] if keep == 2 else [])
    plan = heats.Plan(size, size, pulls + 1, tuple(rounds), record="off")
    machine = heats.Tournament(plan, seed=data.draw(st.integers(0, 99)), early=True)
    assert machine.stage is not None
    dealt = machine.stage.heats[0, 0].tolist()
    possible = answers(size)
    told = data.draw(st.lists(st.sampled_from(possible), min_size=pulls, max_size=pulls))
    for number in data.draw(st.permutations(range(pulls))):
        machine.tell(number, told[number][0])
    assert machine.round >= 1
    shares = [each for _, each in told]
    expected = _shortest_prefix(shares, [each for _, each in possible], dealt, keep)
    first = _rounds(machine)[0]
    assert first.counted == (expected,)
    assert frozenset(first.heats[0][:keep]) == _stay(shares, dealt, keep)


# Asking and telling.


def _two_heats() -> heats.Tournament:
    """Two heats of two arms each, nine pulls each, so that one may be decided and the other not."""
    rounds = (heats.Round(2, 2, 1, 9), heats.Round(1, 2, 1, 9))
    return heats.Tournament(heats.Plan(4, 2, 27, rounds, record="off"), seed=1, early=True)


def test_a_saved_pull_is_never_handed_out() -> None:
    """Neither freshly nor after it was taken back; it counts as told, and telling it changes nothing."""
    machine = _two_heats()
    queries = machine.ask(100)
    mine = [query for query in queries if query.heat == 0]
    machine.requeue(mine[-1])
    winner = mine[0].arms[0]
    told = 0
    while machine.counts(mine[-1]):
        machine.tell(mine[told], heats.Winner(winner))
        told += 1
    assert told == len(mine) // 2 + 1 == machine.spent
    assert machine.saved == len(mine) - told
    assert machine.ask() is None
    before = (recall(machine), machine.saved, machine.owed)
    machine.requeue(mine[-2])
    machine.tell(mine[-2], heats.Winner(mine[-2].arms[1]), by="late")
    machine.tell(mine[-2].id, heats.NoVerdict())
    machine.tell(mine[-1], heats.Winner(winner))
    assert all(map(machine.told, mine))
    assert (recall(machine), machine.saved, machine.owed) == before
    with pytest.raises(BadFeedback):
        machine.tell(mine[-2], [1.0, 2.0])
    with pytest.raises(OutOfTurn):
        machine.tell(mine[0], heats.Winner(mine[0].arms[1] if mine[0].arms[0] == winner else mine[0].arms[0]))
    with pytest.raises(OutOfTurn):
        machine.requeue(mine[0])


def test_answers_beyond_the_end_are_taken_out_again() -> None:
    """Told before those that decide, they counted for the time being: verdicts or none, and so says ``silence``."""
    machine = _two_heats()
    queries = [query for query in machine.ask(100) if query.heat == 0]
    machine.tell(queries[-1], heats.NoVerdict())
    machine.tell(queries[-2], heats.Winner(queries[-2].arms[0]))
    assert (machine.spent, machine.no_verdicts, machine.saved) == (2, 1, 0)
    for query in queries[:5]:
        machine.tell(query, heats.Winner(min(query.arms)))
    assert (machine.spent, machine.no_verdicts, machine.saved) == (5, 0, len(queries) - 5)
    assert machine.silence() == []
    assert np.concatenate([each.pulls for each in machine.evidence()]).tolist() == [query.id for query in queries[:5]]


def test_pulls_of_an_earlier_round_may_still_be_told() -> None:
    """A worker that was at a saved one does not know that the round is over."""
    machine = _two_heats()
    queries = machine.ask(100)
    for query in queries:
        if machine.round == 0:
            machine.tell(query, heats.Winner(min(query.arms)))
    late = [query for query in queries if not machine.counts(query)]
    before = recall(machine)
    machine.tell(late[0], heats.Winner(max(late[0].arms)))
    machine.requeue(late[1])
    assert machine.round == 1
    assert recall(machine) == before


def test_heats_are_asked_in_turns() -> None:
    """So that workers who are many find work that may count; ids stay what they are."""
    machine = _two_heats()
    assert [query.heat for query in machine.ask(6)] == [0, 1, 0, 1, 0, 1]
    assert sorted(query.id for query in machine.ask(100)) == [*range(3, 9), *range(12, 18)]


# What is refused, and what is written down.


@pytest.mark.parametrize(
    ("record", "statistic", "feedback", "why"),
    [
        ("ties", heats.mean, None, "record is 'ties'"),
        ("pooled", heats.mean, None, "record='off'"),
        ("fitted", heats.mean, None, "record is 'fitted'"),
        ("off", heats.median, None, "heats.win_rate"),
        ("off", lambda observations: observations.mean(axis=-2), None, "shares of wins"),
        ("off", heats.mean, "reward", "rewards that are averaged"),
    ],
)
def test_early_is_refused_where_pulls_matter_later(record: Any, statistic: Any, feedback: Any, why: str) -> None:
    """The reason is given, and the way out."""
    plan = heats.plan(9, 3, 60, "csh", record=record, feedback=feedback)
    with pytest.raises(InvalidArgument, match=why):
        heats.Tournament(plan, statistic, early=True)
    assert heats.Tournament(plan, statistic).spent == 0


def test_early_is_true_or_false() -> None:
    """Nothing else."""
    with pytest.raises(InvalidArgument, match="early=1 must be True or False"):
        heats.Tournament(heats.plan(9, 3, 60, record="off"), early=1)


def test_a_spec_says_it_only_where_it_is_so() -> None:
    """Older journals say nothing of it, and mean no."""
    plan = heats.plan(9, 3, 60, "csh", record="off")
    specs = [heats.Tournament(plan, early=each).spec for each in (False, True)]
    written = [msgspec.json.encode(each) for each in specs]
    assert [b"early" in each for each in written] == [False, True]
    assert [parse_spec(each) for each in written] == specs == [TournamentSpec(plan), TournamentSpec(plan, early=True)]
    assert [Machine.from_spec(each).spec for each in written] == specs


def _rounds(machine: Machine) -> tuple[RoundReport, ...]:
    assert isinstance(machine, heats.Tournament)
    return machine.rounds
