"""Answers taken back, rounds closed and voters void: the journal gives back every run, cut wherever it may be."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.errors import BrokenFile, HeatsError, OutOfTurn
from heats.journal import Journal, JournalFile, Log
from heats.journal.events import Event
from heats.journal.reader import read_answers
from heats.race.result import read_race, summarise_journal
from heats.reports.page import render_page
from tests.engine.test_taking_back import PEOPLE, answer, look_at
from tests.journal.runs import lines

MEMORY = Path("/dev/shm")
MACHINES: dict[str, Callable[[], heats.Machine]] = {
    "tournament": lambda: heats.Tournament(heats.plan(7, 3, 24, "csh"), seed=3),
    "early": lambda: heats.Tournament(heats.plan(5, 3, 20, "csws", record="off"), seed=3, early=True),
    "round-robin": lambda: heats.RoundRobin(5, 3, 14, seed=3),
    "adaptive": lambda: heats.Adaptive(5, 3, 14, batches=4, seed=3),
}


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(MACHINES)), st.integers(0, 99_999))
def test_the_file_is_the_run_whatever_is_taken_back(name: str, chance: int) -> None:
    """Asked, told, taken back, requeued, closed, void and reopened in any order: read again, all is as it was."""
    draw = random.Random(chance)
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder) / "run.jsonl"
        journal, out, told = _open(path, name), [], []
        for _ in range(40):
            match draw.choices(("ask", "tell", "back", "requeue", "close", "void", "reopen"), (6, 9, 3, 1, 0.3, 1, 1))[
                0
            ]:
                case "ask":
                    out += journal.machine.ask(draw.randint(1, 3))
                case "tell" if out and not journal.machine.done:
                    query = out.pop(draw.randrange(len(out)))
                    if not journal.machine.told(query):
                        journal.tell(query, answer(query, draw), by=draw.choice(PEOPLE))
                        told.append(query)
                case "back" if told and not journal.machine.done:
                    _try(path, journal, partial(journal.take_back, draw.choice(told)))
                case "requeue" if out and not journal.machine.done and not journal.machine.told(out[-1]):
                    journal.requeue(out.pop(), "left")
                case "close":
                    _try(path, journal, partial(journal.close_stage, "late"))
                case "void":
                    journal.void(draw.choice(PEOPLE[:3]))
                case "reopen":
                    journal.close()
                    journal, out = _open(path, name), []
            if draw.random() < 0.2:
                _check_read(path, journal.machine)
        journal.close()
        _check_read(path, journal.machine)


def _open(path: Path, name: str) -> Journal:
    return Journal(JournalFile(path, sync="system"), MACHINES[name]())


def _try(path: Path, journal: Journal, change: Callable[[], None]) -> None:
    """Change something; if that is refused, nothing is changed."""
    before = path.read_bytes(), look_at(journal.machine)
    try:
        change()
    except OutOfTurn:
        assert (path.read_bytes(), look_at(journal.machine)) == before


def _check_read(path: Path, machine: heats.Machine) -> None:
    log = Log(path)
    log.advance()
    assert look_at(log.machine) == look_at(machine)
    assert (log.finished is not None) == machine.done
    known = {number for number, each in read_answers(path, machine).items() if each.by is not None}
    assert known <= set(range(machine.next_id))


def _vote(path: Path) -> heats.Machine:
    """Tell, take back, void and close in a run of two rounds; what is in the file already is not done again."""
    told = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    last = json.loads(told[-1]) if told else {}
    with _open(path, "tournament") as journal:
        machine = journal.machine
        if last.get("event") == "told" and last["feedback"]["winner"] == [min(last["arms"])]:
            journal.take_back(last["id"])
            journal.requeue(last["id"])
        while not machine.done:
            if machine.round == 1 and "bob" not in machine.voided:
                journal.void("bob")
            if machine.round == 1 and machine.owed == 2:
                journal.close_stage("time is up")
                continue
            query = machine.ask()
            assert query is not None
            by = PEOPLE[query.id % 3]
            if query.id % 5 == 2 and journal.log.taken_back <= query.id // 5 and machine.owed > 1:
                journal.tell(query, heats.Winner(min(query.arms)), by=by)
                journal.take_back(query)
            journal.tell(query, heats.Winner(max(query.arms)), by=by)
    return machine


def test_cut_at_any_byte_it_goes_on_to_the_same(tmp_path: Path) -> None:
    """Also within the lines that take back, close and void, as after a kill."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY)) if MEMORY.is_dir() else tmp_path
    path = folder / "run.jsonl"
    expected = look_at(_vote(path))
    whole = path.read_bytes()
    for event in (b'"taken back"', b'"closed"', b'"voided"'):
        at = whole.index(b'{"event":' + event)
        for length in range(at, whole.index(b"\n", at) + 2, 7):
            path.write_bytes(whole[:length])
            log = Log(path)
            log.advance()
            assert look_at(_vote(path))[0] == expected[0]


def test_a_report_says_what_became_of_the_answers(tmp_path: Path) -> None:
    """How many were taken back, whose are void, how many pulls that are, and which rounds would have ended otherwise."""
    path = tmp_path / "run.jsonl"
    machine = _vote(path)
    assert {each["event"] for each in lines(path)} >= {"taken back", "closed", "voided"}
    result = summarise_journal(*read_race(path))
    assert result.run is not None
    assert (result.run.taken_back > 0, result.run.voided) == (True, ("bob",))
    assert result.report.voided == machine.count_voided() > 0
    assert f"voided:     {result.report.voided} pulls" in str(result)
    log = Log(path)
    log.advance()
    assert "pulls voided" in render_page(log, result)


def test_a_run_that_is_over_loses_a_voter(tmp_path: Path) -> None:
    """The file is written on, once; who wins by what is left is in it, and taking back is refused."""
    path = tmp_path / "run.jsonl"
    with _open(path, "adaptive") as journal:
        while query := journal.machine.ask():
            by = "troll" if query.id < 10 else "ann"
            journal.tell(query, heats.Winner((min if by == "troll" else max)(query.arms)), by=by)
    before = journal.machine.winner
    with _open(path, "adaptive") as journal:
        with pytest.raises(OutOfTurn):
            journal.take_back(3)
        with pytest.raises(OutOfTurn):
            journal.close_stage()
        journal.void("troll")
        journal.void("troll")
    assert journal.machine.winner != before
    assert [each["event"] for each in lines(path)[-4:]] == ["finished", "resumed", "voided", "finished"]
    _check_read(path, journal.machine)


@pytest.mark.parametrize("event", ['{"event":"taken back","id":3', '{"event":"taken back","id":999'])
def test_what_cannot_have_been_taken_back_is_refused(tmp_path: Path, event: str) -> None:
    """With the line, and without a change."""
    path = tmp_path / "run.jsonl"
    _open(path, "adaptive").close()
    log = Log(path)
    log.advance()
    with path.open("ab") as file:
        file.write(log.chain.seal(msgspec.json.decode(event + ',"at":"2026-01-01T12:00:00Z"}', type=Event)))
    before = path.read_bytes()
    with pytest.raises(BrokenFile, match=r"line 2 .* does not fit the run"):
        Log(path).advance()
    with pytest.raises(HeatsError):
        _open(path, "adaptive")
    assert path.read_bytes() == before


def test_odd_names_are_void_as_they_were_written(tmp_path: Path) -> None:
    """Half of a surrogate pair is spelled out in the file, and so it is in the machine."""
    path, odd = tmp_path / "run.jsonl", "ann\udcff"
    with _open(path, "round-robin") as journal:
        query: Any = journal.machine.ask()
        journal.tell(query, heats.Winner(query.arms[0]), by=odd)
    with _open(path, "round-robin") as journal:
        journal.void(odd)
        assert journal.machine.count_voided() == 1
    _check_read(path, journal.machine)
