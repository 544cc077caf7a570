"""Everybody at once: people who vote at the same time, or think for long, waste few votes and block nothing."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import heats
from heats.vote.desk.desk import Desk, Nothing, Outcome
from heats.vote.poll.scenario import LEASE_SECONDS
from tests.vote.polls import Clock, open_desk

LOOK_SECONDS = 5.0  # after which the page of somebody who waits asks again
Thinking = Callable[[random.Random], float]


class Turn(NamedTuple):
    """When somebody does something next: answers their page, or looks whether there is one."""

    at: float
    who: str
    page: heats.Query | None = None


def play(desk: Desk, clock: Clock, n_voters: int, thinking: Thinking) -> Counter[Outcome]:
    """Let everybody vote until the poll is over; fail if nothing goes on for as long as a lease."""
    draw, outcomes, counted_at = random.Random(1), Counter[Outcome](), 0.0
    turns = [Turn(0.0, f"person {number}") for number in range(n_voters)]
    while not desk.journal.machine.done:
        turn = heapq.heappop(turns)
        clock.now = turn.at
        if turn.page is not None:
            outcome = desk.answer(turn.who, turn.page.id, heats.Winner(draw.choice(turn.page.arms)))
            outcomes[outcome] += 1
            counted_at = turn.at if outcome is Outcome.COUNTED else counted_at
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


def test_who_leaves_with_a_page_open_holds_nobody_up_for_long(tmp_path: Path) -> None:
    """Two of six open the page and are never seen again: the others give all votes within minutes, not leases."""
    clock = Clock()
    machine = heats.Adaptive(12, 3, 24, batches=3, seed=1, most_per_set=4)
    desk = open_desk(tmp_path / "votes.jsonl", machine, clock)
    for who in ("gone", "gone, too"):
        desk.hand_out(who)
    assert play(desk, clock, 4, lambda _: 20.0) == {Outcome.COUNTED: 24}
    assert clock.now < 400
