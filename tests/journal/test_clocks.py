"""Clocks that are set back: a journal says when something happened last, and no time of it shrinks or is made up."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.journal import Log, writer

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
BUDGET = 60


class Clock:
    """A clock that says what it is told to."""

    def __init__(self) -> None:
        self.minute = 0.0

    def __call__(self) -> datetime:
        return NOON + timedelta(minutes=self.minute)


def play(path: Path, sessions: list[list[float]]) -> Log:
    """Keep a run whose sessions begin at their first minutes, and tell a pull at each of the others; read it again."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "now", clock)
        for begin, *minutes in sessions:
            clock.minute = begin
            machine = heats.Adaptive(4, 2, BUDGET, seed=1)
            with heats.Journal(path, machine) as journal:
                for clock.minute in minutes:
                    query = machine.ask()
                    assert query is not None
                    journal.tell(query, heats.Winner(query.arms[0]))
    log = Log(path)
    log.advance()
    assert (log.last, log.elapsed_seconds) == (journal.log.last, journal.log.elapsed_seconds)
    return log


def test_the_last_event_is_the_latest(tmp_path: Path) -> None:
    """A clock that is set back an hour in the middle of a run takes nothing back."""
    log = play(tmp_path / "run.jsonl", [[0, 1, 10, -50, -49]])
    assert log.last == NOON + timedelta(minutes=10)
    assert log.elapsed_seconds == 600


def test_a_clock_set_back_between_two_sessions_is_no_work(tmp_path: Path) -> None:
    """Ten minutes, then a clock that is set back an hour, then five minutes more."""
    log = play(tmp_path / "run.jsonl", [[0, 10], [-50, -45]])
    assert log.last == NOON + timedelta(minutes=10)
    assert log.elapsed_seconds == 900


@given(st.lists(st.lists(st.integers(-90, 90), min_size=1, max_size=6), min_size=1, max_size=5))
def test_times_are_those_of_the_sessions(sessions: list[list[int]]) -> None:
    """Whatever the clock does: each session lasts from its begin to its latest event, and no longer."""
    with tempfile.TemporaryDirectory() as folder:
        log = play(Path(folder) / "run.jsonl", [list(map(float, each)) for each in sessions])
    assert log.last == NOON + timedelta(minutes=max(map(max, sessions)))
    assert log.elapsed_seconds == 60 * sum(max(each) - each[0] for each in sessions)
