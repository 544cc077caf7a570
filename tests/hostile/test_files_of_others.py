"""Nothing of anybody's is written over, and nothing that was told is lost to what stands around a journal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heats
from heats.cli.app import run
from heats.errors import BadFeedback, BrokenFile, InvalidArgument
from heats.journal import Journal, Log
from tests.journal.runs import find, lines, told

PLAN = heats.plan(9, 3, 24)


def half_done(path: Path) -> bytes:
    """Keep a run of which seven pulls were told; return the file."""
    tournament = heats.Tournament(PLAN, seed=5)
    with Journal(path, tournament) as journal:
        for query in tournament.ask(7):
            journal.tell(query, [1.0, 2.0, 3.0])
    return path.read_bytes()


@pytest.mark.parametrize(
    "content", [b"[race]\n", b'{"event":"journal"', b"\0\1\2", b"plain text", b"<svg></svg>", b"%PDF-1.7"]
)
def test_pages_take_the_place_of_pages_only(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever else is there stays, and the run is not even begun."""
    path, target = tmp_path / "run.jsonl", tmp_path / "mine"
    find(path)
    target.write_bytes(content)
    assert run(["report", str(path), "--html", str(target)]) == 2
    why = "is the journal of a run" if content.startswith(b'{"event":"journal"') else "is not an HTML page"
    assert why in capsys.readouterr().err
    assert target.read_bytes() == content
    link = tmp_path / "link.html"
    link.symlink_to(target)
    assert run(["report", str(path), "--html", str(link)]) == 2
    assert target.read_bytes() == content
    for page in (b"", b"<!DOCTYPE html><html></html>", b"  <html>"):
        target.write_bytes(page)
        assert run(["report", str(path), "--html", str(target)]) == 0
        assert target.read_bytes().startswith(b"<!doctype html>")


CLOSED = """
import os, sys
for number in map(int, sys.argv[2].split(",")):
    os.close(number)
import heats
from heats.journal import Journal
tournament = heats.Tournament(heats.plan(9, 3, 24), seed=5)
with Journal(sys.argv[1], tournament) as journal:
    for query in tournament.ask(3):
        for number in (1, 2):
            try:
                os.write(number, b"printed by somebody\\n")
            except OSError:
                pass
        journal.tell(query, [1.0, 2.0, 3.0])
"""


@pytest.mark.parametrize("closed", ["0", "1", "2", "0,1,2"])
def test_a_journal_is_never_a_standard_stream(closed: str, tmp_path: Path) -> None:
    """With a stream closed, the next file would get its number, and every print would go into it."""
    path = tmp_path / "run.jsonl"
    done = subprocess.run([sys.executable, "-c", CLOSED, str(path), closed], check=False, capture_output=True)
    assert done.returncode == 0
    assert len(told(path)) == 3
    Log(path).advance()


def test_a_missing_line_is_found(tmp_path: Path) -> None:
    """Any of them, also within the round under way, and lines that changed places or stand twice."""
    path = tmp_path / "run.jsonl"
    kept = half_done(path).splitlines(keepends=True)
    for number in range(1, len(kept) - 1):
        forged = [
            kept[:number] + kept[number + 1 :],
            [*kept[:number], kept[number + 1], kept[number], *kept[number + 2 :]],
            [*kept[: number + 1], kept[number], *kept[number + 1 :]],
        ]
        for whole in forged:
            path.write_bytes(b"".join(whole))
            with pytest.raises(BrokenFile, match="is damaged, or one before it is missing"):
                Log(path).advance()


@pytest.mark.parametrize("end", [b"\x0b", b"\r", b" ", b"\0", b"}"])
def test_a_damaged_end_costs_no_answer(end: bytes, tmp_path: Path) -> None:
    """The last line is sound: it is kept, and its end put right."""
    path = tmp_path / "run.jsonl"
    whole = half_done(path)
    path.write_bytes(whole[:-1] + end)
    tournament = heats.Tournament(PLAN, seed=5)
    with Journal(path, tournament):
        assert tournament.spent == 7
    assert path.read_bytes().startswith(whole)


def test_junk_after_a_sound_line_is_refused(tmp_path: Path) -> None:
    """It is nothing that a crash leaves: nothing is cut."""
    path = tmp_path / "run.jsonl"
    whole = half_done(path)
    for junk in (b"xx", b"  ", b"{}", b"\x0b\x0b"):
        path.write_bytes(whole[:-1] + junk)
        with pytest.raises(BrokenFile, match="Nothing was changed"):
            Journal(path, heats.Tournament(PLAN, seed=5))
        assert path.read_bytes() == whole[:-1] + junk


def deep(levels: int) -> Any:
    nest: Any = 1
    for _ in range(levels):
        nest = [nest]
    return nest


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    """From any depth of a program: notes that are too deep, times that are no times, ids of any kind."""
    path = tmp_path / "run.jsonl"
    tournament = heats.Tournament(PLAN, seed=5)
    with Journal(path, tournament) as journal:
        first, second, third = tournament.ask(3)
        for levels in (101, 990, 100_000):
            with pytest.raises(BadFeedback, match="levels deep"):
                journal.tell(first, [1.0, 2.0, 3.0], notes={"deep": deep(levels)})
        journal.tell(first, [1.0, 2.0, 3.0], notes={"deep": deep(90)}, took=1e10)
        journal.tell(second, [1.0, 2.0, 3.0], took=1e10)
        for wrong in ("abc", 1e308, -1, float("nan")):
            with pytest.raises(InvalidArgument, match="took="):
                journal.late(first, [1.0], took=wrong)
            with pytest.raises(InvalidArgument, match="took="):
                journal.tell(third, [1.0, 2.0, 3.0], took=wrong)
        journal.requeue(np.int64(third.id))
        again = tournament.ask()
        assert again is not None
        assert again.id == third.id
    log = Log(path)
    log.advance()
    assert log.machine.spent == 2
    assert log.compared_seconds == 2e10
    assert [line["event"] for line in lines(path)[1:]] == ["told", "told", "requeued"]


def test_a_lock_follows_no_link(tmp_path: Path) -> None:
    """What somebody laid in its place is refused, what it leads to is not touched or made."""
    path, precious = tmp_path / "run.jsonl", tmp_path / "precious"
    lock = Path(f"{path}.lock")
    lock.symlink_to(precious)
    for content in (None, "", "12"):
        if content is not None:
            precious.write_text(content)
        with pytest.raises(InvalidArgument, match="is in the way"):
            find(path)
        assert (precious.read_text() if precious.exists() else None) == content


def test_drafts_of_the_dead_are_removed(tmp_path: Path) -> None:
    """And only those: a living process may be about to put its own in place."""
    path = tmp_path / "run.jsonl"
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    stale = tmp_path / f".run.jsonl.{int(dead.stdout)}-0a1b2c3d.new"
    living = tmp_path / f".run.jsonl.{os.getpid()}-0a1b2c3d.new"
    other = tmp_path / ".run.jsonl.notes.new"
    for each in (stale, living, other):
        each.write_text("x")
    find(path)
    assert not stale.exists()
    assert living.exists()
    assert other.exists()


def test_a_clock_that_is_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is negative."""
    from datetime import UTC, datetime, timedelta

    clock = iter([datetime(2026, 1, 1, tzinfo=UTC) - timedelta(hours=hour) for hour in range(100)])
    monkeypatch.setattr("heats.journal.writer.now", lambda: next(clock))
    path = tmp_path / "run.jsonl"
    find(path)
    log = Log(path)
    log.advance()
    assert log.elapsed_seconds >= 0
