"""A run that is kept is the run: written line by line, read by eye or by a program, gone on with as what it is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heats
from heats.errors import BadFeedback, InvalidArgument, OutOfTurn
from heats.journal import Journal, Log
from heats.journal.events import Chain
from tests.journal.runs import BUDGET, N, find, half_done, lines, never, stopping, told
from tests.playing import TRUTH


def test_a_journal_is_readable_by_eye(path: Path) -> None:
    """The first line says what the run is; then comes a line per event."""
    found = find(path)
    first, *events = lines(path)
    assert (first["event"], first["format"], first["seed"]) == ("journal", 3, 5)
    assert first["statistic"] == {"name": "mean", "parameters": {}, "ours": True}
    assert heats.Plan.from_json(json.dumps(first["machine"]["plan"])) == heats.plan(N, 3, BUDGET)
    assert first["candidates"][4] == {"name": "4", "json": 4}
    assert [event["event"] for event in events] == ["told"] * BUDGET + ["finished"]
    assert events[0]["id"] == 0
    assert len(events[0]["arms"]) == len(events[0]["feedback"]) == 3
    assert events[0]["by"].endswith(f":{os.getpid()}")
    assert 0 <= events[0]["took"] < 10
    assert events[-1]["winner"] == found.report.winner
    assert found.to_json() == find().to_json()
    assert not list(path.parent.glob("*.lock")) + list(path.parent.glob(".*"))


def test_a_finished_run_is_returned_at_once(path: Path) -> None:
    """Nothing is compared, nothing is written, nothing is locked."""
    found = find(path)
    before = path.read_bytes()
    assert find(path, compare=never).to_json() == found.to_json()
    assert path.read_bytes() == before


def test_an_interrupt_says_how_to_go_on(path: Path) -> None:
    """In a note of the KeyboardInterrupt; what was told is kept."""
    with pytest.raises(KeyboardInterrupt) as stop:
        find(path, compare=stopping(7))
    assert stop.value.__notes__ == [f"7 of 24 pulls are kept in {path}; do the same again to go on."]
    assert told(path) == list(range(7))
    assert find(path).to_json() == find().to_json()
    assert [line["event"] for line in lines(path)][8] == "resumed"


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        ({"budget": 25}, "its budget is 24, not 25"),
        ({"heat_size": 4}, "its heat_size is 3, not 4"),
        ({"n": 10}, "its n_arms is 9, not 10"),
        ({"strategy": "csr"}, "its strategy is 'csh', not 'csr'"),
        ({"record": "off"}, "its record is 'ties', not 'off'"),
        ({"schedule": "paper"}, "its schedule is 'exact', not 'paper'"),
        ({"seed": 6}, "its seed is 5, not 6"),
        ({"statistic": heats.median}, "its statistic is mean, not median"),
        ({"statistic": heats.quantile(0.3)}, r'its statistic is mean, not quantile \{"p":0.3,"method":"linear"\}'),
    ],
)
def test_another_run_is_refused(path: Path, options: dict[str, Any], differs: str) -> None:
    """And said what differs, in a finished run or not; nothing is changed."""
    half_done(path, strategy="csh")
    before = path.read_bytes()
    with pytest.raises(InvalidArgument, match=f"holds another run: {differs}"):
        find(path, **{"strategy": "csh"} | options)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", TRUTH)
def test_every_kind_of_feedback_comes_back(path: Path, kind: str) -> None:
    """Race times included, and the report to the byte."""
    plan = heats.plan(9, 3, 30)
    first = heats.Tournament(plan, seed=2)
    with Journal(path, first) as journal:
        for _ in range(17):
            query = first.ask()
            assert query is not None
            journal.tell(query, TRUTH[kind](query), by="ann", took=0.5, notes={"cpu_seconds": 2})
    second = heats.Tournament(plan, seed=2)
    with Journal(path, second) as journal:
        assert second.report() == first.report()
        assert second.answered == first.answered == {"ann": 17}
        while query := second.ask():
            journal.tell(query.id, TRUTH[kind](query))
    assert second.winner == 8
    assert lines(path)[1]["notes"] == {"cpu_seconds": 2}
    if kind == "race":
        assert lines(path)[1]["feedback"]["race"][0][1] == 1.0


def test_what_is_refused_or_told_before_is_not_written(path: Path) -> None:
    """A refused tell changes nothing, on disk neither."""
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(path, tournament) as journal:
        query = tournament.ask()
        assert query is not None
        before = path.read_bytes()
        with pytest.raises(BadFeedback):
            journal.tell(query, [1.0])
        for notes in ({"what": object()}, ["a"], "a", {(1, 2): 3}, {"half": "\ud800"}):
            with pytest.raises(BadFeedback, match="notes cannot be written as JSON"):
                journal.tell(query, [1.0, 2.0, 3.0], notes=notes)
        for took in ("3 s", -1, float("nan"), float("inf"), 10**400, True):
            with pytest.raises(InvalidArgument, match=r"took=.* must be a number"):
                journal.tell(query, [1.0, 2.0, 3.0], took=took)
        with pytest.raises(OutOfTurn):
            journal.tell(999, [1.0, 2.0, 3.0])
        assert path.read_bytes() == before
        assert tournament.spent == 0
        journal.tell(query, [1.0, 2.0, 3.0])
        after = path.read_bytes()
        journal.tell(query, [1, 2, 3])
        assert path.read_bytes() == after
        with pytest.raises(OutOfTurn, match="told before, and differently"):
            journal.tell(query, [3, 2, 1])
    with pytest.raises(OutOfTurn, match="is closed"):
        journal.tell(query, [1.0, 2.0, 3.0])
    with pytest.raises(InvalidArgument, match="that nothing was told"):
        Journal(path, tournament)
    with pytest.raises(InvalidArgument, match="its machine is tournament, not round-robin"):
        Journal(path, heats.RoundRobin(9, 3, 30))
    with pytest.raises(InvalidArgument, match="cannot be kept in a journal"):
        Journal(path, heats.plan(9, 3, 30))
    with pytest.raises(InvalidArgument, match="one string per arm, 9 in all"):
        Journal(path, heats.Tournament(heats.plan(9, 3, 30)), names=["a"])


def test_what_the_tournament_is_told_alone_ends_the_journal(path: Path) -> None:
    """A journal that lacks a pull would never be read again."""
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(path, tournament) as journal:
        first, second = tournament.ask(2)
        tournament.tell(first, [1.0, 2.0, 3.0])
        with pytest.raises(OutOfTurn, match="1 pulls were told, but 0 to the journal"):
            journal.tell(second, [1.0, 2.0, 3.0])


def test_notes_of_a_comparison_that_cannot_be_written(path: Path) -> None:
    """The pull and its candidates are named, as with any feedback that is of no use."""
    with pytest.raises(BadFeedback, match=r"comparing .* \(pull 0\) gave .* the notes cannot be written as JSON"):
        find(path, compare=lambda heat: heats.Noted([1.0] * len(heat), ["no dict"]))


def test_requeued_pulls_are_noted(path: Path) -> None:
    """And asked again, by this run and after a restart."""
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(path, tournament) as journal:
        queries = tournament.ask(3)
        journal.requeue(queries[1], "ann left")
        journal.tell(queries[2], [1.0, 2.0, 3.0])
    assert [line.get("why") for line in lines(path)[1:]] == ["ann left", None]
    again = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(path, again):
        assert [query.id for query in again.ask(3)] == [0, 1, 3]


def test_statistics_and_large_seeds_come_back(path: Path) -> None:
    """What has a name and parameters is made again from the file alone."""
    for statistic in (heats.power_mean(2), heats.quantile(0.3), heats.positional([3, 2, 1]), heats.win_rate):
        find(path, statistic=statistic, seed=2**70 + 1)
        log = Log(path)
        log.advance()
        assert repr(log.machine.statistic) == repr(statistic)
        assert log.machine.report() == find(statistic=statistic, seed=2**70 + 1).report
        path.unlink()


def mean(observations: Any) -> Any:
    return observations.mean(axis=-2)


@pytest.mark.parametrize("statistic", [mean, heats.linear(np.exp), heats.positional(lambda size: range(size, 0, -1))])
def test_a_function_of_the_user_is_not_taken_for_ours(path: Path, statistic: Any) -> None:
    """The file holds its name only; the program that has the function can resume."""
    find(path, statistic=statistic)
    assert find(path, statistic=statistic, compare=never).report.done
    with pytest.raises(InvalidArgument, match="belongs to the program that wrote it"):
        Log(path)
    if statistic is mean:
        with pytest.raises(InvalidArgument, match="its statistic is a function called mean, not mean"):
            find(path)


def test_a_reader_beside_a_writer(path: Path) -> None:
    """It sees all that was told, whenever it looks, and half a line does not disturb it."""
    tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
    with Journal(path, tournament) as journal:
        log = Log(path)
        while query := tournament.ask():
            journal.tell(query, TRUTH["rewards"](query))
            log.advance()
            assert log.machine.report() == tournament.report()
    whole = path.read_bytes()
    path.write_bytes(whole[:-50])
    log = Log(path)
    log.advance()
    assert log.finished is None
    path.write_bytes(whole)
    assert log.advance() == 1
    assert log.finished is not None
    assert log.finished.winner == log.machine.winner


def test_sealing_is_stable() -> None:
    """Golden value: a journal written today is read tomorrow."""
    from datetime import UTC, datetime

    from heats.journal.events import Requeued

    line = Chain().seal(Requeued(3, "why", datetime(2026, 1, 2, tzinfo=UTC)))
    assert line == b'{"event":"requeued","id":3,"why":"why","at":"2026-01-02T00:00:00Z","crc":"767259a0"}\n'
