"""A validation is kept like a journal: cut off anywhere it goes on, and what was changed is not believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import heats
from heats.errors import BrokenFile, JournalLocked
from heats.journal import Log
from heats.race.validation.record import Asked, Paired, Record, find_record, read_record
from tests.race.validation.pairs import AT, make_pair, make_run


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Return a journal to validate beside."""
    with heats.Journal(tmp_path / "run.jsonl", heats.Tournament(heats.plan(3, 3, 3))):
        pass
    return Log(tmp_path / "run.jsonl")


def make_pairs(count: int) -> list[Paired]:
    return [make_pair(number, make_run(1, 1.0 + number), make_run(0, 2.0)) for number in range(count)]


def write_record(log: Log, pairs: list[Paired]) -> bytes:
    with Record(log) as record:
        record.add(Asked(1, 0, tuple(pair.instance for pair in pairs), AT))
        for pair in pairs:
            record.add(pair)
        return record.path.read_bytes()


def test_what_was_kept_is_read_again(log: Log) -> None:
    """And the lock is gone."""
    pairs = make_pairs(3)
    write_record(log, pairs)
    kept = read_record(log)
    assert kept.list_pairs() == pairs
    assert kept.list_owed() == []
    assert sorted(path.name for path in log.path.parent.iterdir()) == ["run.jsonl", "run.validation.jsonl"]


def test_a_record_cut_at_any_byte_goes_on(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole lines are kept, the torn one is made again, and at the end it is as if nothing had happened."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # this is not about disks
    pairs = make_pairs(2)
    whole = write_record(log, pairs)
    path = find_record(log.path)
    for size in range(whole.index(b"\n") + 1, len(whole), 3):  # every third, which is about every kind
        path.write_bytes(whole[:size])
        kept = read_record(log)
        lines = whole[:size].count(b"\n")
        assert len(kept.list_pairs()) == max(0, lines - 2)
        with Record(log) as record:
            if record.kept.asked is None:
                record.add(Asked(1, 0, tuple(pair.instance for pair in pairs), AT))
            for number, _ in record.kept.list_owed():
                record.add(pairs[number])
        assert path.read_bytes() == whole


def test_what_was_changed_is_not_believed(log: Log) -> None:
    """A digit of a time, a line that is missing, a file that is something else or of another race."""
    whole = write_record(log, make_pairs(3))
    path, lines = find_record(log.path), whole.splitlines(keepends=True)
    for spoilt in (
        whole.replace(b'"seconds":3.0', b'"seconds":2.0'),
        b"".join([*lines[:2], *lines[3:]]),
        b"something else\n",
        b"",
        whole.replace(b'"format":1', b'"format":9'),
    ):
        path.write_bytes(spoilt)
        with pytest.raises(BrokenFile, match="validation"):
            read_record(log)
        with pytest.raises(BrokenFile):
            Record(log)
        assert path.read_bytes() == spoilt


def test_a_record_of_another_race_is_refused(log: Log, tmp_path: Path) -> None:
    """It stands beside a journal by its name alone."""
    write_record(log, make_pairs(1))
    with heats.Journal(tmp_path / "other.jsonl", heats.Tournament(heats.plan(3, 3, 3))):
        pass
    find_record(log.path).rename(tmp_path / "other.validation.jsonl")
    with pytest.raises(BrokenFile, match="belongs to another race"):
        read_record(Log(tmp_path / "other.jsonl"))


def test_pairs_that_cannot_be_are_refused(log: Log) -> None:
    """A candidate that the race does not have, or runs of others than the two."""
    for pair in (
        make_pair(0, make_run(7, 1.0), make_run(0, 1.0)),
        Paired(1, 0, "/i/0", (make_run(1, 1.0), make_run(2, 1.0)), AT),
    ):
        write_record(log, [pair])
        with pytest.raises(BrokenFile, match=r"line 3 of .* is not one of a validation"):
            read_record(log)
        find_record(log.path).unlink()


def test_one_process_writes(log: Log) -> None:
    """As to a journal."""
    with Record(log), pytest.raises(JournalLocked):
        Record(log)


def test_what_was_asked_last_counts(log: Log) -> None:
    """Pairs of earlier requests are kept, and used where they fit."""
    pairs = make_pairs(3)
    write_record(log, pairs)
    with Record(log) as record:
        record.add(Asked(1, 0, ("/i/2", "/i/9"), AT))
    kept = read_record(log)
    assert kept.list_pairs() == [pairs[2]]
    assert kept.list_owed() == [(1, "/i/9")]
