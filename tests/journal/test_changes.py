"""Runs that were extended, added to or stopped: the journal gives back every one of them, cut wherever it may be."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.specs import AdaptiveSpec
from heats.errors import BrokenFile, HeatsError, InvalidArgument, JournalLocked, OutOfTurn
from heats.journal import Journal, JournalFile, Log
from heats.journal.events import Event
from heats.journal.fingerprint import keep_challenger
from heats.journal.reader import read_answers
from tests.journal.runs import lines, told
from tests.playing import noisy, recall

MEMORY = Path("/dev/shm")


def compare(heat: tuple[int, ...], query: heats.Query) -> heats.Winner:
    draw = random.Random(query.seed)
    return heats.Winner(max(heat, key=lambda value: value / 2 + draw.gauss(0, 1)))


def never(heat: tuple[int, ...]) -> None:
    raise AssertionError("what is over compares nothing")


def begin(journal: Any = None, **options: Any) -> heats.Found:
    """Choose among six, and stop once that is sure."""
    asked: dict[str, Any] = {"budget": 60, "heat_size": 3, "seed": 5, "sure": 0.8} | options
    return heats.find_best(range(asked.pop("n", 6)), asked.pop("compare", compare), journal=journal, **asked)


def go_further(journal: Any, **options: Any) -> heats.Found:
    """Have two candidates more, and spend all."""
    return begin(journal, **({"n": 8, "budget": 75, "sure": None, "strategy": "adaptive"} | options))


def look_at(machine: Any) -> tuple[Any, ...]:
    """Return all that decides how a run goes on."""
    dealt = None if machine.stage is None else machine.stage.heats.tolist()
    return recall(machine), machine.stage_sizes, dealt, machine.owed, machine.stopped


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 99_999))
def test_the_file_is_the_run_whatever_is_done_to_it(chance: int) -> None:
    """Asked, told, requeued, extended, added to, stopped and reopened in any order: read again, all is as it was."""
    draw = random.Random(chance)
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder) / "run.jsonl"

        def open_journal() -> Journal:
            return Journal(JournalFile(path, sync="system"), heats.Adaptive(5, 3, 12, batches=4, seed=3))

        journal, out = open_journal(), []
        for _ in range(40):
            moves = ("ask", "tell", "requeue", "extend", "add", "stop", "challenge", "reopen")
            match draw.choices(moves, (6, 9, 1, 1, 1, 1, 1, 1))[0]:
                case "ask":
                    out += journal.machine.ask(draw.randint(1, 3))
                case "tell" if out:
                    query = out.pop(draw.randrange(len(out)))
                    journal.tell(query, noisy(query))
                case "requeue" if out:
                    journal.requeue(out.pop(), "left")
                case "extend":
                    journal.extend(draw.randint(1, 9))
                case "add" | "stop" | "challenge" as change:
                    before = path.read_bytes(), look_at(journal.machine)
                    try:
                        if change == "challenge":
                            number = journal.machine.n_arms
                            new = [keep_challenger(each, f"new {each}", None) for each in range(number, number + 4)]
                            journal.extend(draw.randint(1, 3), new)
                        else:
                            journal.add() if change == "add" else journal.stop(0.9)
                    except (InvalidArgument, OutOfTurn):  # a refused call changes nothing
                        assert (path.read_bytes(), look_at(journal.machine)) == before or not journal._pen.is_at_work
                case "reopen":
                    journal.close()
                    journal, out = open_journal(), []
            if draw.random() < 0.3:
                _check_read(path, journal.machine)
        journal.close()
        _check_read(path, journal.machine)


def _check_read(path: Path, machine: heats.Machine) -> None:
    log = Log(path)
    log.advance()
    assert look_at(log.machine) == look_at(machine)
    assert len(log.names) == log.machine.n_arms


def test_a_run_goes_further_without_a_pull_made_again(tmp_path: Path) -> None:
    """Stopped early, then with two candidates more, then with a larger budget: each id once, all known to the report."""
    path = tmp_path / "run.jsonl"
    first = begin(path)
    assert first.report.stopped is not None
    assert begin(path, compare=never).to_json() == first.to_json()
    found = go_further(path)
    assert sorted(told(path)) == list(range(75))
    assert found.report.stopped is None
    assert (found.spent, found.report.n_arms, found.machine["budget"], found.machine["n_arms"]) == (75, 8, 75, 8)
    assert found.winner == 7
    assert go_further(path, compare=never).to_json() == found.to_json()
    more = go_further(path, budget=90)
    assert more.spent == 90
    log = Log(path)
    log.advance()
    assert log.names == tuple("01234567")
    assert log.values == tuple(range(8))
    assert log.finished is not None
    assert [each["candidate"] for each in lines(path) if each["event"] == "added"] == [
        {"name": "6", "json": 6},
        {"name": "7", "json": 7},
    ]
    assert len(read_answers(path, log.machine)) == 90
    assert more.pulls_frame("pandas")["by"].notna().all()


def test_challengers_are_kept_in_full(tmp_path: Path) -> None:
    """With whatever they are, however long, and whose mutation each is; all in one line, so cut off it is not there."""
    path, long = tmp_path / "run.jsonl", {"x": "y" * 20_000}
    begin(path)
    before = path.read_bytes()
    log = Log(path)
    log.advance()
    new = [keep_challenger(long, "long", None), keep_challenger({"x": 1}, "short", 3)]
    with Journal(path, heats.Adaptive(6, 3, 60, seed=5), log=log) as journal:
        journal.extend(7, new)
    log = Log(path)
    log.advance()
    assert log.challengers == dict(enumerate(new, 6))
    assert (log.values[6], log.challengers[7].parent, log.machine.n_arms) == (long, 3, 8)
    assert len(read_answers(path, log.machine)) == log.machine.spent
    path.write_bytes(path.read_bytes()[:-1])
    assert len(path.read_bytes()) > len(before)
    log = Log(path)
    log.advance()
    assert (log.challengers, log.machine.n_arms) == ({}, 6)


def test_what_it_began_with_may_be_said_again(tmp_path: Path) -> None:
    """A program that knows nothing of an extension goes on to its end; any other smaller budget is another run."""
    path = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"sure": None, "strategy": "adaptive"}
    begin(path, **options)
    begin(path, budget=80, **options)
    assert begin(path, compare=never, **options).spent == 80
    before = path.read_bytes()
    for wrong, why in (
        ({"budget": 70}, "its budget is 80, not 70"),
        ({"n": 5}, "its n_arms is 6, not 5"),
        ({"n": 7}, "run.jsonl: with a budget of 80 no batch is left .* larger one"),
        ({"budget": 90, "seed": 6}, "its seed is 5, not 6"),
        ({"budget": 90, "batches": 3}, "its batches is 15, not 3"),
    ):
        with pytest.raises(InvalidArgument, match=why):
            begin(path, **(options | wrong))
    with pytest.raises(InvalidArgument, match="its candidate #2 is 2, not 9"):
        heats.find_best([0, 1, 9, 3, 4, 5, 6], compare, budget=90, heat_size=3, seed=5, journal=path, batches=15)
    assert path.read_bytes() == before


def test_run_needs_a_candidate_for_every_arm(tmp_path: Path) -> None:
    """A machine as it began goes on with what was added; without these candidates it cannot."""
    path = tmp_path / "run.jsonl"
    begin(path)
    found = go_further(path)
    before = path.read_bytes()
    machine = heats.Adaptive(6, 3, 60, seed=5)
    with pytest.raises(InvalidArgument, match="its n_arms is 8, not 6"):
        heats.run(machine, compare, candidates=range(6), journal=path)
    assert path.read_bytes() == before
    assert Journal(path, heats.Adaptive(6, 3, 60, seed=5)).machine.winner == found.played.winner


def test_a_surer_run_goes_on_from_where_it_stopped(tmp_path: Path) -> None:
    """Asked to be as sure as it was, it is over; asked to be surer, it spends what was saved until it is."""
    path = tmp_path / "run.jsonl"
    first = begin(path)
    again = begin(path, sure=0.999)
    straight = begin(sure=0.999)
    assert again.spent > first.spent
    assert again.winner == straight.winner
    assert [line["event"] for line in lines(path) if line["event"] in ("stopped", "extended")][:2] == [
        "stopped",
        "extended",
    ]


def test_a_stop_is_obeyed_and_never_found_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standings of a later version may say another chance: what was decided stays."""
    path = tmp_path / "run.jsonl"
    first = begin(path)
    monkeypatch.setattr(heats.Adaptive, "find_chance", never)
    log = Log(path)
    log.advance()
    assert log.machine.stopped == first.report.stopped
    assert begin(path, compare=never).spent == first.spent


def test_any_number_of_workers_stops_at_the_same_pull(tmp_path: Path) -> None:
    """Equal bytes in this thread, with one worker and with four, with a journal and without."""
    expected = begin()
    assert expected.report.stopped is not None
    for workers in (1, 4):
        with ThreadPoolExecutor(workers) as pool:
            path = tmp_path / f"{workers}.jsonl"
            assert begin(path, executor=pool).to_json() == expected.to_json()
            assert go_further(path, executor=pool).to_json() == go_further(_copy_of(path, expected)).to_json()


def _copy_of(path: Path, expected: heats.Found) -> Path:
    """Return the same run, kept by this thread."""
    other = path.with_name(f"other-{path.name}")
    assert begin(other).to_json() == expected.to_json()
    return other


@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_cut_at_any_byte_it_goes_on_to_the_same(tmp_path: Path, step: int) -> None:
    """Also within the lines that extend, add and stop; no comparison is made twice."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY)) if MEMORY.is_dir() else tmp_path
    path = folder / "run.jsonl"
    kept = JournalFile(path, sync="system")
    options: dict[str, Any] = {"budget": 60, "sure": 0.51, "batches": 6}
    further: dict[str, Any] = {"budget": 66, "batches": 6}
    begin(kept, **options)
    half = len(path.read_bytes())
    expected = recall(go_further(kept, **further).played)
    whole = path.read_bytes()
    assert b'"event":"stopped"' in whole[:half]
    for length in range(half - 400, min(half + 900, len(whole)), step):
        path.write_bytes(whole[:length])
        if length < half:
            begin(kept, **options)
        assert recall(go_further(kept, **further).played) == expected
        assert sorted(told(path)) == list(range(further["budget"]))
    shutil.rmtree(folder)


def test_killed_at_any_moment_it_goes_on_to_the_same(tmp_path: Path) -> None:
    """A real process that begins, stops, is extended and added to, killed again and again until it is done."""
    start = time.perf_counter()
    begin(tmp_path / "whole.jsonl")
    expected = go_further(tmp_path / "whole.jsonl").to_json()
    life = (time.perf_counter() - start) / 3  # as fast as this machine is now: else a busy one has no end of kills
    moments, kills, runs = random.Random(1), 0, 0
    while kills < 25:
        path = tmp_path / f"run-{runs}.jsonl"
        while not _finishes(path, after=moments.expovariate(1 / life)):
            kills += 1
        assert go_further(path, compare=never).to_json() == expected
        assert sorted(told(path)) == list(range(75))
        runs += 1
    assert runs


def _finishes(path: Path, after: float) -> bool:
    """Go as far as possible in a process of its own that is killed after so many seconds; say whether it was faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none of them
        child = os.fork()
    if not child:
        try:
            if not path.exists() or b'"event":"stopped"' not in path.read_bytes():
                begin(path)
            go_further(path)
            os._exit(0)
        finally:
            os._exit(1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)


def test_a_locked_journal_is_not_extended(tmp_path: Path) -> None:
    """Another one writes to it: nothing changes."""
    path = tmp_path / "run.jsonl"
    with Journal(path, heats.Adaptive(5, 3, 12, seed=3)) as journal:
        before = path.read_bytes()
        log = Log(path)
        log.advance()
        with pytest.raises(JournalLocked):
            Journal(path, heats.Adaptive(5, 3, 20, seed=3), log=log)
        assert path.read_bytes() == before
        journal.extend(3)
    assert lines(path)[-1]["event"] == "extended"


def test_a_finished_run_is_extended_by_its_journal(tmp_path: Path) -> None:
    """It was only read; to go on it is locked and written. Once closed, it takes nothing."""
    path = tmp_path / "run.jsonl"
    heats.run(heats.Adaptive(5, 3, 12, seed=3), compare, journal=path)
    with Journal(path, heats.Adaptive(5, 3, 12, seed=3)) as journal:
        journal.extend(4)
        assert journal.add("late") == 5
        with pytest.raises(InvalidArgument, match="a text of its own"):
            journal.add("late")
        while query := journal.machine.ask():
            journal.tell(query, compare(query.arms, query))
    assert [line["event"] for line in lines(path)[-8:]] == [
        *("finished", "resumed", "extended", "added", "told", "told", "told", "told", "finished")
    ][-8:]
    with pytest.raises(OutOfTurn, match="closed"):
        journal.extend(1)
    log = Log(path)
    log.advance()
    assert log.names[-1] == "late"
    assert log.machine.spent == 16


@pytest.mark.parametrize(
    "event",
    [
        '{"event":"extended","pulls":-4,"at":"2026-01-01T12:00:00Z"}',
        '{"event":"added","arm":17,"candidate":{"name":"x"},"at":"2026-01-01T12:00:00Z"}',
        '{"event":"stopped","at":"2026-01-01T12:00:00Z","chance":0.9}',
    ],
)
def test_changes_that_cannot_have_been_are_refused(tmp_path: Path, event: str) -> None:
    """With the line, and without a change."""
    path = tmp_path / "run.jsonl"
    Journal(path, heats.Adaptive(5, 3, 12, seed=3)).close()
    log = Log(path)
    log.advance()
    with path.open("ab") as file:
        file.write(log.chain.seal(msgspec.json.decode(event, type=Event)))
    before = path.read_bytes()
    with pytest.raises(BrokenFile, match=r"line 2 .* does not fit the run"):
        Log(path).advance()
    with pytest.raises(HeatsError):
        Journal(path, heats.Adaptive(5, 3, 12, seed=3))
    assert path.read_bytes() == before


def larger(heat: Any) -> Any:
    return heats.Winner(max(heat))


def test_what_was_not_said_is_as_the_run_began(tmp_path: Path) -> None:
    """Heats of three stay heats of three when there are four candidates, and four batches four."""
    path = tmp_path / "run.jsonl"
    heats.find_best(range(3), larger, budget=6, batches=4, journal=path)
    found = heats.find_best(range(4), larger, budget=16, strategy="adaptive", journal=path)
    spec = found.played.spec
    assert isinstance(spec, AdaptiveSpec)
    assert (found.winner, spec.heat_size, spec.batches) == (3, 3, 4)


def test_who_comes_to_a_stopped_run_gets_what_was_saved(tmp_path: Path) -> None:
    """With the same budget, and whether it shall be surer or not."""
    path = tmp_path / "run.jsonl"
    first = heats.find_best(range(5), larger, budget=400, heat_size=2, sure=0.9, journal=path)
    assert first.report.stopped is not None
    found = heats.find_best(range(6), larger, budget=400, heat_size=2, sure=0.9, journal=path)
    assert found.winner == 5
    assert first.spent < found.spent <= 400


def test_names_are_those_of_the_journal(tmp_path: Path) -> None:
    """Whoever asks: the program that goes on, with other names or more candidates, and whoever reads the file."""
    path = tmp_path / "run.jsonl"
    heats.find_best([1, 2, 3], larger, budget=6, heat_size=2, journal=path)
    names = ["a", "b", "c", "3"]
    found = heats.find_best([1, 2, 3, 9], larger, budget=16, heat_size=2, journal=path, names=names)
    log = Log(path)
    log.advance()
    assert tuple(found.names) == log.names == ("1", "2", "3", "3 #3")


def test_a_name_that_is_all_there_is_to_know_must_be_new(tmp_path: Path) -> None:
    """Called otherwise in the file, it could not be found again."""
    path, things = tmp_path / "run.jsonl", [1, object(), object()]

    def choose(heat: Any) -> Any:
        return [float(things.index(each)) for each in heat]

    heats.find_best(things[:2], choose, budget=6, heat_size=2, names=["x", "y"], journal=path)
    before = path.read_bytes()
    with pytest.raises(InvalidArgument, match=r"candidate #2 is called 'x', too, .* call it something else"):
        heats.find_best(things, choose, budget=16, heat_size=2, names=["one", "y", "x"], journal=path)
    assert path.read_bytes() == before


def test_arms_without_a_name_get_one_of_their_own(tmp_path: Path) -> None:
    """Even if somebody took theirs."""
    with Journal(tmp_path / "run.jsonl", heats.Adaptive(3, 2, 20), names=["arm 3", "a", "arm 3 #3"]) as journal:
        assert journal.add() == 3
        assert journal.log.names == ("arm 3", "a", "arm 3 #3", "arm 3 #3 #3")
