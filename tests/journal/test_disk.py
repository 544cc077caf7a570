"""A journal and its disk: how soon lines are on it, and what happens if it is full, gone, or not ours alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import InvalidArgument, JournalFailed, JournalLocked
from heats.journal import Journal, JournalFile, Log
from tests.journal.runs import find, noisy, told
from tests.playing import TRUTH


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
        assert synced.wait(60)
        failed = threading.Event()

        def failing(handle: int) -> None:
            failed.set()
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "fsync", failing)
        journal.tell(second, [1.0, 2.0, 3.0])
        assert failed.wait(60)
        assert journal._pen._end is not None
        assert journal._pen._end._syncer is not None
        assert journal._pen._end._syncer._thread is not None
        journal._pen._end._syncer._thread.join()
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
