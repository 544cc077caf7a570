"""Everybody at once: people who vote at the same time, or think for long, waste few votes and block nothing."""

from __future__ import annotations

import heapq
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.vote.desk.desk import PATIENCE, Desk, Nothing, Outcome
from heats.vote.poll.scenario import LEASE_SECONDS
from tests.vote.polls import Clock, open_desk

LOOK_SECONDS = 5.0  # after which the page of somebody who waits asks again
Thinking = Callable[[random.Random], float]


class Turn(NamedTuple):
    """When somebody does something next: answers their page, or looks whether there is one."""

    at: float
    who: str
    page: heats.Query | None = None


def play(desk: Desk, clock: Clock, n_voters: int, thinking: Thinking, chance: int = 1) -> Counter[Outcome]:
    """Let everybody vote until the poll is over; fail if nothing goes on for as long as a lease."""
    draw, outcomes, counted_at = random.Random(chance), Counter[Outcome](), 0.0
    turns = [Turn(0.0, f"person {number}") for number in range(n_voters)]
    while not desk.journal.machine.done:
        turn = heapq.heappop(turns)
        clock.now = turn.at
        if turn.page is not None:
            outcome = desk.answer(turn.who, turn.page.id, heats.Winner(draw.choice(turn.page.arms)))
            outcomes[outcome] += 1
            counted_at = turn.at if outcome is Outcome.COUNTED else counted_at
            desk.settle()
        assert turn.at < counted_at + LEASE_SECONDS, "the round is stuck"
        handed = desk.hand_out(turn.who)
        if isinstance(handed, Nothing):
            heapq.heappush(turns, Turn(turn.at + LOOK_SECONDS, turn.who))
        else:
            heapq.heappush(turns, Turn(turn.at + thinking(draw), turn.who, handed.query))
    return outcomes


SIZES = [(12, 60, 12), (12, 60, 6), (6, 9, 3)]  # candidates, votes, voters


@pytest.mark.parametrize(("n_arms", "budget", "n_voters"), SIZES)
def test_if_all_vote_at_the_same_time_no_vote_is_late(tmp_path: Path, n_arms: int, budget: int, n_voters: int) -> None:
    """Nobody gets what somebody else is at: it was every third vote when they did."""
    clock = Clock()
    machine = heats.Adaptive(n_arms, 3, budget, batches=3, seed=1, most_per_set=n_voters)
    desk = open_desk(tmp_path / "votes.jsonl", machine, clock)
    assert play(desk, clock, n_voters, lambda _: 20.0) == {Outcome.COUNTED: budget}


@pytest.mark.parametrize(("n_arms", "budget", "n_voters"), SIZES)
def test_if_some_think_for_long_few_votes_are_late(tmp_path: Path, n_arms: int, budget: int, n_voters: int) -> None:
    """Others get what they are at after a while, so that the poll goes on; of those votes some are too many."""
    clock = Clock()
    machine = heats.Adaptive(n_arms, 3, budget, batches=3, seed=1, most_per_set=n_voters)
    desk = open_desk(tmp_path / "votes.jsonl", machine, clock)
    outcomes = play(desk, clock, n_voters, lambda draw: 2 + draw.expovariate(1 / 20))
    assert outcomes[Outcome.COUNTED] == budget
    assert outcomes[Outcome.LATE] <= budget // 10


@settings(max_examples=25, deadline=None)
@given(chance=st.integers(0, 10**6), pace=st.sampled_from([(1, 1), (1, 3), (1, 100)]))
def test_people_with_as_many_votes_as_there_are_end_a_poll_by_themselves(chance: int, pace: tuple[int, int]) -> None:
    """As in examples/vote, nobody leaves: nobody is waited for in vain, and few votes are lost, by those who were fast."""
    clock, people = Clock(), tuple(f"person {number}" for number in range(6))
    with tempfile.TemporaryDirectory() as folder:
        asked = heats.Adaptive(12, 3, 60, batches=3, seed=chance, most_per_set=6)
        desk = open_desk(Path(folder) / "votes.jsonl", asked, clock, votes_each=10, voters=people)
        outcomes = play(desk, clock, 6, lambda draw: draw.uniform(*pace))
        machine = desk.journal.machine
        assert outcomes[Outcome.COUNTED] + machine.no_verdicts == 60
        assert max(machine.answered.values()) <= 10
        assert machine.no_verdicts <= 5
        desk.journal.close()


@pytest.mark.parametrize("chance", range(10))
def test_people_who_vote_at_about_the_same_pace_give_all_votes_of_the_examples(tmp_path: Path, chance: int) -> None:
    """It stopped at 58 or 59 of 60: what was left could go to those only who had no votes left."""
    clock, people = Clock(), tuple(f"person {number}" for number in range(6))
    machine = heats.Adaptive(12, 3, 60, batches=3, seed=0, most_per_set=6)
    desk = open_desk(tmp_path / "votes.jsonl", machine, clock, votes_each=10, voters=people)
    assert play(desk, clock, 6, lambda draw: draw.uniform(1, 3), chance) == {Outcome.COUNTED: 60}


def test_who_leaves_with_a_page_open_holds_nobody_up_for_long(tmp_path: Path) -> None:
    """Two of six open the page and are never seen again: the others give all votes within minutes, not leases."""
    clock = Clock()
    machine = heats.Adaptive(12, 3, 24, batches=3, seed=1, most_per_set=4)
    desk = open_desk(tmp_path / "votes.jsonl", machine, clock)
    for who in ("gone", "gone, too"):
        desk.hand_out(who)
    assert play(desk, clock, 4, lambda _: 20.0) == {Outcome.COUNTED: 24}
    assert clock.now < 400


@settings(max_examples=60, deadline=None)
@given(
    every=st.integers(1, 90),
    arrival=st.integers(0, 900),
    trick=st.sampled_from(["take", "give back", "undo"]),
    votes=st.integers(2, 3),
)
def test_nobody_holds_others_up(every: int, arrival: int, trick: str, votes: int) -> None:
    """Somebody takes all that is open again and again, under ever new names: it took an honest voter two hours to vote."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        desk = open_desk(Path(folder) / "votes.jsonl", heats.RoundRobin(2, 2, votes, seed=1), clock)
        bots: list[str] = []
        while clock.now < arrival or isinstance(desk.hand_out("honest"), Nothing):
            assert clock.now <= arrival + 2 * PATIENCE, "nobody can vote"
            if clock.now % every == 0:
                bots += hold_up(desk, bots[-votes:], trick, len(bots))
            clock.now += 1
        desk.journal.close()


def hold_up(desk: Desk, last: list[str], trick: str, number: int) -> list[str]:
    """Take all that can be had under new names; before, those who had it last give it back, or vote and undo."""
    for who in last:
        held = desk.look(who)
        if isinstance(held, Nothing) or trick == "take":
            continue
        if trick == "give back":
            desk.skip(who, held.query.id)
        elif not held.is_last:
            desk.answer(who, held.query.id, heats.Winner(0))
            desk.undo(who, held.query.id)
    names = [f"bot {number}.{each}" for each in range(len(desk.journal.machine.list_owed()) + 1)]
    return [who for who in names if not isinstance(desk.hand_out(who), Nothing)]
