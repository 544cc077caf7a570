"""Pauses, people who come in and what new arms are: in the journal, and given back by it."""

from __future__ import annotations

from pathlib import Path

import pytest

import heats
from heats.errors import OutOfTurn
from heats.journal import Log
from heats.journal.events import Late


def make() -> heats.Adaptive:
    return heats.Adaptive(4, 2, 12, batches=3, seed=1)


def test_pauses_and_newcomers_are_given_back(tmp_path: Path) -> None:
    """By the file alone; what is so already is not written again, and a closed journal takes nothing."""
    path = tmp_path / "run.jsonl"
    with heats.Journal(path, make()) as journal:
        journal.reopen()
        journal.pause()
        journal.pause()
        journal.join({"ann": "ab", "bob": "cd"})
        journal.join({"cem": "ef"})
        assert (journal.log.is_paused, journal.log.lines) == (True, 4)
    with pytest.raises(OutOfTurn, match="is closed"):
        journal.reopen()
    log = Log(path)
    log.advance()
    assert log.is_paused
    assert log.joined == {"ann": "ab", "bob": "cd", "cem": "ef"}
    with heats.Journal(path, make()) as journal:
        journal.reopen()
    assert not journal.log.is_paused


def test_a_new_arm_may_be_more_than_a_name(tmp_path: Path) -> None:
    """What it is comes back as plain data; without, its name is all there is."""
    path = tmp_path / "run.jsonl"
    with heats.Journal(path, make(), names=["a", "b", "c", "d"]) as journal:
        assert journal.add("e", {"file": "e.svg"}) == 4
        assert journal.add("f") == 5
    log = Log(path)
    log.advance()
    assert log.names[4:] == ("e", "f")
    assert log.values[4:] == ({"file": "e.svg"}, None)


def test_a_late_answer_says_why(tmp_path: Path) -> None:
    """If whoever noted it did; it does not count."""
    path = tmp_path / "run.jsonl"
    with heats.Journal(path, make()) as journal:
        query = journal.machine.ask()
        assert query is not None
        journal.late(query, heats.Winner(query.arms[0]), by="ann", why="ann was away")
        journal.late(query, heats.Winner(query.arms[0]), by="bob")
    found = [event for event in Log(path).events() if isinstance(event, Late)]
    assert [(event.by, event.why) for event in found] == [("ann", "ann was away"), ("bob", "")]
    assert journal.machine.spent == 0
