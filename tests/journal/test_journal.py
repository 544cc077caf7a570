"""A journal gives the run back whatever happened to it, or says why it cannot; it never guesses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heats
from heats.errors import BadFeedback, BrokenFile, InvalidArgument, JournalFailed, JournalLocked, OutOfTurn
from heats.journal import Journal, JournalFile, Log
from heats.journal.events import Chain
from tests.journal.runs import BUDGET, N, find, lines, noisy, told
from tests.playing import TRUTH, recall


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def never(heat: tuple[Any, ...]) -> list[float]:
    raise AssertionError("nothing is left to compare")


def test_a_journal_is_readable_by_eye(path: Path) -> None:
    """The first line says what the run is; then comes a line per event."""
    found = find(path)
    first, *events = lines(path)
    assert (first["event"], first["format"], first["seed"]) == ("journal", 2, 5)
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


@pytest.fixture
def quick() -> Iterator[Path]:
    """A path in memory, where syncing costs nothing."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder) / "run.jsonl"


def test_cut_at_every_byte(quick: Path) -> None:
    """The run resumes to the same report with every pull told once; within the first line it is refused."""
    path, small = quick, {"n": 5, "budget": 8}
    found = find(path, **small)
    expected, played = found.to_json(), recall(found.played)
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        if length < header:
            with pytest.raises(BrokenFile, match="is empty" if not length else "not a journal|within its first line"):
                find(path, **small)
            assert path.read_bytes() == whole[:length]
            continue
        found = find(path, **small)
        assert recall(found.played) == played
        assert sorted(told(path)) == list(range(8))
    assert found.to_json() == expected


def test_damage_at_any_byte(quick: Path) -> None:
    """A changed byte is refused with file and line, unless it is the end of the last line, which is put right."""
    path = quick
    expected = find(path).to_json()
    whole = path.read_bytes()
    for place in [*range(0, len(whole), 7), len(whole) - 1]:
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(damaged)
        if place == len(whole) - 1:
            assert find(path, compare=never).to_json() == expected
            assert path.read_bytes() == whole
            continue
        with pytest.raises(BrokenFile, match=r"line \d+ of .*run\.jsonl is damaged|is not a journal of heats"):
            find(path)
        assert path.read_bytes() == damaged


def test_damage_names_the_line_and_the_way_out(path: Path) -> None:
    """Cutting the file there resumes the run."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*kept[:6], b"\0" * 40 + b"\n", *kept[7:]]))
    with pytest.raises(BrokenFile, match=r"line 7 of .* The 6 lines before it are sound"):
        find(path)
    path.write_bytes(b"".join(kept[:6]))
    assert find(path).to_json() == expected


def test_a_torn_tail_of_zeros_is_cut(path: Path) -> None:
    """What file systems leave after a power failure."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:9]) + b"\0" * 5000)
    assert find(path).to_json() == expected
    assert b"\0" not in path.read_bytes()
    assert lines(path)[9]["cut"] == 5000


def test_a_line_that_lacks_only_its_end_is_kept(path: Path) -> None:
    """It was told; nothing is compared again."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:9])[:-1])
    assert find(path).to_json() == expected
    assert path.read_bytes().startswith(b"".join(kept[:9]))
    assert "cut" not in lines(path)[9]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert find(path, compare=never).to_json() == expected
    assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"my notes", b'{"event":"danced"', b'\0\0{"event":"told"', b'{"event":"journal"'])
def test_a_tail_that_no_crash_leaves_is_refused(path: Path, tail: bytes) -> None:
    """Somebody wrote it, who may want it back."""
    half_done(path)
    path.write_bytes(before := path.read_bytes() + tail)
    with pytest.raises(BrokenFile, match=r"line 9 of .* has no end, and is nothing that a crash"):
        find(path)
    assert path.read_bytes() == before


def stopping(after: int) -> Callable[..., list[float]]:
    """Return a comparison that is interrupted after so many pulls."""
    calls = iter(range(after))

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return noisy(heat, query)

    return compare


def half_done(path: Path, after: int = 7, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        find(path, compare=stopping(after), **options)


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


def test_other_candidates_are_refused(path: Path) -> None:
    """By value, not by name: 1 is not 1.0 and not "1"."""
    options: dict[str, Any] = {"budget": 9, "journal": path}
    heats.find_best([1, 2, 3], list, **options)
    for other in ([1, 2, 4], [1, 3, 2], [1, 2, 3.0], [1, 2, "3"]):
        with pytest.raises(InvalidArgument, match=r"its candidate \d is \d, not "):
            heats.find_best(other, never, **options)
    assert heats.find_best([1, 2, 3], never, names=["other", "names", "only"], **options).winner == 3


@dataclass
class Config:
    depth: int
    tags: frozenset[str]


def one(heat: Any) -> Any:
    return [1.0] * len(heat)


def local() -> Callable[[], int]:
    def number() -> int:
        return 1

    return number


class Opaque:
    """Nothing that lasts."""


def test_fingerprints(path: Path) -> None:
    """JSON in one order, dataclasses too; functions by name; long ones by hash; else the names given, or nothing."""
    field = [
        {"b": 1, "a": [2]},
        Config(3, frozenset({"y", "x"})),
        one,
        max,
        Opaque,
        "é" * 500,
        (1, "two"),
        None,
        "odd \udcff name",
        "é" * 20_000,
    ]
    heats.find_best(field, one, budget=30, journal=path)
    known = [{key: value for key, value in each.items() if key != "name"} for each in lines(path)[0]["candidates"]]
    assert known[:5] == [
        {"json": {"a": [2], "b": 1}},
        {"json": {"depth": 3, "tags": ["x", "y"]}},
        {"function": "tests.journal.test_journal.one"},
        {"function": "builtins.max"},
        {"function": "tests.journal.test_journal.Opaque"},
    ]
    assert known[5] == {"json": field[5]}
    assert len(lines(path)[0]["candidates"][9]["sha256"]) == 64
    assert known[6:8] == [{"json": [1, "two"]}, {"json": None}]
    again = [{"a": [2], "b": 1}, Config(3, frozenset({"x", "y"})), *field[2:]]
    assert heats.find_best(again, never, budget=30, journal=path).report.done


@pytest.mark.parametrize("candidate", [Opaque(), lambda: 1, local(), float("nan"), np.zeros(2), "x".join])
def test_a_candidate_without_fingerprint_needs_a_name(path: Path, candidate: Any) -> None:
    """Its repr holds an address, or says too little, and would never match again."""
    with pytest.raises(InvalidArgument, match=r"candidate 1, a \w+, has no fingerprint .* Give names="):
        heats.find_best(["a", candidate], one, budget=3, journal=path)
    assert not path.exists()
    heats.find_best(["a", candidate], one, budget=3, journal=path, names=["a", "b"])
    assert heats.find_best(["a", candidate], never, budget=3, journal=path, names=["a", "b"]).report.done
    with pytest.raises(InvalidArgument, match="its candidate 1 is 'b', not 'c'"):
        heats.find_best(["a", candidate], never, budget=3, journal=path, names=["a", "c"])


NASTY = ["two\nlines", "\"quotes\" and 'such'", "<script>alert(1)</script>", "\x1b[31mred", "\u2028", "\udcff", ""]


def test_nasty_names_are_safe(path: Path) -> None:
    """A name cannot end a line, nor be mistaken for anything else."""
    heats.find_best(NASTY, one, budget=30, journal=path, names=NASTY)
    assert len(lines(path)) == 1 + 30 + 1
    assert [each["name"] for each in lines(path)[0]["candidates"]] == [*NASTY[:5], "\\udcff", ""]
    assert heats.find_best(NASTY, never, budget=30, journal=path, names=NASTY).report.done


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


def test_an_interrupt_while_writing_stops_the_journal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tournament may know more than the file then; nothing more is written, and the run can be resumed."""

    def interrupted(handle: int, data: Any) -> int:
        raise KeyboardInterrupt

    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(path, tournament) as journal:
        first, second = tournament.ask(2)
        journal.tell(first, [1.0, 2.0, 3.0])
        whole = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                journal.tell(second, [1.0, 2.0, 3.0])
        for query in (second, *tournament.ask(2)):
            with pytest.raises(JournalFailed, match=r"was interrupted while it was written \(KeyboardInterrupt\)"):
                journal.tell(query, [1.0, 2.0, 3.0])
    assert path.read_bytes() == whole
    with Journal(path, heats.Tournament(heats.plan(9, 3, 30))) as journal:
        assert journal.machine.spent == 1


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


@pytest.mark.parametrize("sync", ["each", "grouped", "system"])
def test_durability_changes_nothing_else(path: Path, sync: Any) -> None:
    """Every way, all that was told is in the file at once, as the system sees it."""
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(JournalFile(path, sync=sync), tournament) as journal:
        while query := tournament.ask():
            journal.tell(query, TRUTH["rewards"](query))
            assert told(path)[-1] == query.id
    assert not [thread for thread in threading.enumerate() if thread.name == "heats journal"]
    assert Log(path).advance() == 31


def test_an_unknown_durability_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="sync='sometimes' is unknown; choose one of each, grouped, system"):
        JournalFile("x", sync="sometimes")


def test_groups_reach_the_disk_in_bounded_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although nobody tells anything more; and an error of the disk reaches the next tell."""
    synced = threading.Event()
    fsync = os.fsync
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    with Journal(JournalFile(path, sync="grouped"), tournament) as journal:

        def noticing(handle: int) -> None:
            fsync(handle)
            synced.set()

        monkeypatch.setattr(os, "fsync", noticing)
        first, second, third = tournament.ask(3)
        journal.tell(first, [1.0, 2.0, 3.0])
        assert not synced.is_set()
        assert synced.wait(10)
        failed = threading.Event()

        def failing(handle: int) -> None:
            failed.set()
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "fsync", failing)
        journal.tell(second, [1.0, 2.0, 3.0])
        assert failed.wait(10)
        assert journal._syncer is not None
        assert journal._syncer._thread is not None
        journal._syncer._thread.join()
        with pytest.raises(JournalFailed, match="Input/output error"):
            journal.tell(third, [1.0, 2.0, 3.0])


def test_the_last_group_that_fails_is_heard_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the journal is closed; and the lock is given up all the same."""
    tournament = heats.Tournament(heats.plan(9, 3, 30))
    journal = Journal(JournalFile(path, sync="grouped"), tournament)
    query = tournament.ask()
    assert query is not None
    journal.tell(query, [1.0, 2.0, 3.0])
    path.unlink()
    with pytest.raises(JournalFailed, match="moved, removed or replaced"):
        journal.close()
    journal.close()
    assert list(path.parent.iterdir()) == []


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


def test_numbers_of_numpy_are_numbers(path: Path) -> None:
    """Known by their value, alone or within other things."""
    heats.find_best(np.arange(3), one, budget=9, journal=path)
    assert heats.find_best([0, 1, 2], never, budget=9, journal=path).report.done
    path.unlink()
    heats.find_best([*np.linspace(0, 1, 3), {"a": np.float32(0.5)}, np.bool_(True)], one, budget=20, journal=path)
    assert heats.find_best([0.0, 0.5, 1.0, {"a": 0.5}, True], never, budget=20, journal=path).report.done


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


def test_what_is_no_journal_is_refused(path: Path, tmp_path: Path) -> None:
    """One sentence each, and nothing is overwritten."""
    for content, message in [
        (b"", "is empty"),
        (b"x,y\n1,2\n", "is not a journal of heats"),
        (b"{}\n", "is not a journal of heats"),
        (b'{"event":"journal","format":1', "ends within its first line"),
        (b'{"event":"journal","format":1}\n', "line 1 of .* is damaged"),
        (seal_text(b'{"event":"journal","format":1}').replace(b"\n", b"\r\n"), "end as on Windows .* dos2unix"),
        (seal_text(b'{"event":"journal","format":3,"new":1}'), "format 3, which a newer heats wrote"),
        (seal_text(b'{"event":"journal","format":0}'), "format 0, which no heats ever wrote"),
        (seal_text(b'{"event":"journal","format":1}'), "line 1 of .* is not a header"),
    ]:
        path.write_bytes(content)
        for look in (find, Log):
            with pytest.raises(BrokenFile, match=message):
                look(path)
        assert path.read_bytes() == content
    for where, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "such.jsonl", "there is no folder"),
        (path / "below", "cannot be written: Not a directory"),
        ("nul\0byte", "leads nowhere"),
        (5, "leads nowhere"),
    ]:
        with pytest.raises(InvalidArgument, match=message):
            find(where)
    os.mkfifo(tmp_path / "pipe")
    for where in (tmp_path / "pipe", Path(os.devnull)):
        for look in (find, Log):
            with pytest.raises(InvalidArgument, match="is a pipe or a device; a journal is a file"):
                look(where)
    with pytest.raises(InvalidArgument, match="does not exist; give the journal of a run"):
        Log(tmp_path / "none")


def test_a_first_line_that_describes_no_run(path: Path) -> None:
    """However well it is sealed."""
    find(path)
    first = lines(path)[0]
    del first["crc"]
    for changed in (
        {"seed": "many"},
        {"seed": -1},
        {"statistic": {"name": "power_mean", "parameters": {"danced": 1}, "ours": True}},
        {"statistic": {"name": "power_mean", "parameters": [], "ours": True}},
        {"statistic": {"name": "quantile", "parameters": {"p": 7}, "ours": True}},
    ):
        path.write_bytes(seal_text(json.dumps(first | changed, separators=(",", ":")).encode()))
        with pytest.raises(BrokenFile, match=r"line 1 of .* describes no run: "):
            Log(path)


def seal_text(text: bytes, after: bytes = b"") -> bytes:
    """Seal a line by hand, to stand after others."""
    from zlib import crc32

    before = int(json.loads(after.splitlines()[-1])["crc"], 16) if after else 0
    return b'%b,"crc":"%08x"}\n' % (text[:-1], crc32(text[:-1], before))


def test_events_that_do_not_fit_are_refused(path: Path) -> None:
    """However well they are sealed: another run's pulls, unknown events, a pull told twice."""
    half_done(path)
    whole = path.read_bytes()
    last = path.read_text().splitlines()[-1]
    event = json.loads(last)
    del event["crc"]
    for changed, message in [
        ({"id": 500}, "line 9 of .* does not fit the run"),
        ({"id": 7, "arms": [0, 1, 2]}, r"line 9 of .* does not fit the run: pull 7 compares the arms"),
        ({"id": event["id"], "feedback": [0.0, 0.0, 0.0]}, "line 9 of .* told before, and differently"),
        ({"event": "finished", "winner": 3}, "line 9 of .* it says that arm 3 won, what was told does not"),
        ({"event": "danced"}, "line 9 of .* is not an event"),
        ({"feedback": {"danced": 1}}, "line 9 of .* does not fit the run"),
    ]:
        path.write_bytes(whole + seal_text(json.dumps(event | changed).encode(), after=whole))
        with pytest.raises(BrokenFile, match=message):
            find(path)


def test_two_writers(path: Path) -> None:
    """The second is refused and told which process the first is, in this process or another one."""
    tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
    names = [str(arm) for arm in range(9)]
    with Journal(path, tournament, names=names):
        with pytest.raises(JournalLocked, match=f"process {os.getpid()} is writing to .*run.jsonl"):
            Journal(path, heats.Tournament(heats.plan(9, 3, 24), seed=5), names=names)
        Log(path).advance()  # reading, and closing what was read, does not loosen the lock
        code = f"import heats; heats.Journal({str(path)!r}, heats.Tournament(heats.plan(9, 3, 24), seed=5))"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert f"JournalLocked: process {os.getpid()} is writing to" in other.stderr
    with Journal(path, heats.Tournament(heats.plan(9, 3, 24), seed=5)):
        pass


def test_files_of_others_are_left_alone(path: Path, tmp_path: Path) -> None:
    """One that is called like a lock is refused; one that is called like a draft is not touched."""
    lock, draft = Path(f"{path}.lock"), tmp_path / f".{path.name}.new"
    draft.write_text("mine")
    for content in ("my notes", "12 34", "1" * 21):
        lock.write_text(content)
        with pytest.raises(InvalidArgument, match="is not a lock of heats"):
            find(path)
        assert lock.read_text() == content
    lock.unlink()
    lock.mkdir()
    with pytest.raises(InvalidArgument, match="Is a directory"):
        find(path)
    lock.rmdir()
    lock.write_text("4711")  # left by a process that was killed
    with Journal(path, heats.Tournament(heats.plan(9, 3, 24))):
        lock.unlink()
        lock.write_text("somebody else's")
    assert lock.read_text() == "somebody else's"
    assert draft.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(InvalidArgument, match=r"command=.* cannot be written as JSON"):
        JournalFile(path, command={"a": object()})


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


LIMITED = """
import resource, sys
from pathlib import Path
from tests.journal.runs import find
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    find(Path(sys.argv[1]))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("room", [0, 100, 1500, 2222])
def test_no_room_left(path: Path, room: int) -> None:
    """The run stops with a clear error, whole lines are on disk, and with more room it goes on."""
    expected = find(path).to_json()
    size = path.read_bytes().index(b"\n") + 1 if room else 0
    path.unlink()
    arguments = [sys.executable, "-c", LIMITED, str(path), str(size + room)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    if not room:
        assert "InvalidArgument" in done.stdout
        assert "cannot be written: File too large" in done.stdout
        assert list(path.parent.iterdir()) == []
    else:
        assert "JournalFailed" in done.stdout
        assert "File too large. What was told before is in it" in done.stdout
        assert path.read_bytes().endswith(b"\n")
        assert told(path) == list(range(len(told(path))))
        assert (len(told(path)) > 0) == (room > 100)
    assert find(path).to_json() == expected


def test_a_full_disk_leaves_the_journal_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a line is taken back; nothing more is taken until the journal is opened anew."""
    write = os.write
    tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
    with Journal(path, tournament) as journal:
        first, second = tournament.ask(2)
        journal.tell(first, [1.0, 2.0, 3.0])
        whole = path.read_bytes()
        calls = []

        def full(handle: int, data: Any) -> int:
            calls.append(data)
            if len(calls) == 1:
                return write(handle, bytes(data)[:30])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        for _ in range(2):
            with pytest.raises(JournalFailed, match="No space left on device"):
                journal.tell(second, [1.0, 2.0, 3.0])
        assert path.read_bytes() == whole
        monkeypatch.setattr(os, "write", write)
        with pytest.raises(JournalFailed, match="No space left on device"):
            journal.requeue(second)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("sync", ["each", "grouped", "system"])
def test_two_writers_without_a_lock_do_not_mix(path: Path, sync: Any) -> None:
    """Who removes the lock, links to the file or cuts it ends the other's run, before it writes among foreign lines."""
    for meddle in (lambda: Path(f"{path}.lock").unlink(), lambda: os.link(path, f"{path}.hard"), None):
        tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
        with Journal(JournalFile(path, sync=sync), tournament) as journal:
            first, second = tournament.ask(2)
            journal.tell(first, [1.0, 2.0, 3.0])
            if meddle is None:
                os.truncate(path, path.stat().st_size - 3)
            else:
                meddle()
                link = Path(f"{path}.hard")
                where = str(link if link.exists() else path)
                code = f"import heats; heats.Journal({where!r}, heats.Tournament(heats.plan(9, 3, 24), seed=5))"
                subprocess.run([sys.executable, "-c", code], check=True)
            before = path.read_bytes()
            with pytest.raises(JournalFailed, match="was changed by somebody else: it has"):
                journal.tell(second, [1.0, 2.0, 3.0])
            assert path.read_bytes() == before
        for left in path.parent.iterdir():
            left.unlink()


def test_whole_lines_of_a_group_that_failed_stay(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were told; only the torn one is taken back."""
    write = os.write
    tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
    with Journal(path, tournament) as journal:
        sent = []

        def full(handle: int, data: Any) -> int:
            sent.append(bytes(data))
            if len(sent) == 1:
                return write(handle, sent[0][: sent[0].index(b"\n") + 30])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)

        def tell_three() -> None:
            with journal.together():
                for query in tournament.ask(3):
                    journal.tell(query, [1.0, 2.0, 3.0])

        with pytest.raises(JournalFailed):
            tell_three()
    assert told(path) == [0]


@pytest.mark.parametrize("sync", ["grouped", "system"])
def test_a_journal_that_vanishes_is_noticed_at_the_end(path: Path, sync: Any) -> None:
    """At the latest, however lazily it is synced."""

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == 3:
            path.unlink()
        return noisy(heat, query)

    with pytest.raises(JournalFailed, match="moved, removed or replaced"):
        find(JournalFile(path, sync=sync), compare=compare)


def test_a_journal_that_vanishes_stops_the_run(path: Path) -> None:
    """Writing on into a removed file would lose everything silently."""

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == 3:
            path.rename(path.with_suffix(".moved"))
        return noisy(heat, query)

    with pytest.raises(JournalFailed, match="moved, removed or replaced"):
        find(path, compare=compare)
    assert find(path.with_suffix(".moved")).to_json() == find().to_json()


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the program changes its folder; a folder that is gone is refused."""
    monkeypatch.chdir(tmp_path)

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        os.chdir("/")
        return noisy(heat, query)

    find("here.jsonl", compare=compare)
    assert (tmp_path / "here.jsonl").exists()
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with pytest.raises(InvalidArgument, match=r"leads nowhere|no folder"):
        find("here.jsonl")


def refusal_to_nobody(work: Callable[[], object]) -> str:
    """Return what ``work`` is refused with in a process without any rights, which root would not be."""
    import fcntl  # what a process without rights may not be able to load

    assert fcntl
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none of them
        child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            work()
        except InvalidArgument as error:
            os.write(into, str(error).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, encoding="utf-8") as said:
        refusal = said.read()
    os.waitpid(child, 0)
    return refusal


def test_no_permission() -> None:
    """A folder that cannot be written to, a journal that cannot be read: one sentence each."""
    path = Path(tempfile.mkdtemp()) / "run.jsonl"  # where anybody may look, unlike a test's own folder
    path.parent.chmod(0o555)
    said = refusal_to_nobody(lambda: find(path))
    assert said == f"{path} cannot be written: Permission denied; choose another place for the journal."
    path.parent.chmod(0o755)
    find(path)
    expected = path.read_bytes()
    path.parent.chmod(0o555)
    assert refusal_to_nobody(lambda: find(path)) == ""  # a finished run needs no more than reading
    path.write_bytes(expected[: len(expected) // 2])
    assert "Permission denied" in refusal_to_nobody(lambda: find(path))
    path.chmod(0)
    assert refusal_to_nobody(lambda: find(path)) == f"{path} cannot be read: Permission denied."
    path.parent.chmod(0o755)
    shutil.rmtree(path.parent)


def test_a_folder_that_takes_no_files() -> None:
    """As root sees it."""
    with pytest.raises(InvalidArgument, match=r"/proc/run.jsonl cannot be written"):
        find("/proc/run.jsonl")


def test_sealing_is_stable() -> None:
    """Golden value: a journal written today is read tomorrow."""
    from datetime import UTC, datetime

    from heats.journal.events import Requeued

    line = Chain().seal(Requeued(3, "why", datetime(2026, 1, 2, tzinfo=UTC)))
    assert line == b'{"event":"requeued","id":3,"why":"why","at":"2026-01-02T00:00:00Z","crc":"767259a0"}\n'
