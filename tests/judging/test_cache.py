"""Answers are kept whatever happens, and no file of somebody else is touched."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from heats.errors import BrokenFile, CacheFailed, InvalidArgument
from heats.judging import cache as caches
from heats.judging.cache import Cache, Memory, Store


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Cache(tmp_path / "cache.db") if request.param == "file" else Memory()


def test_the_first_answer_stays(store: Store) -> None:
    """Who comes later gets it; other keys have their own."""
    assert store.get("k", 0) is None
    assert store.put("k", 0, "first") == "first"
    assert store.put("k", 0, "second") == "first"
    assert store.get("k", 0) == "first"
    assert store.get("other", 0) is None


def test_answers_are_numbered_without_gaps(store: Store) -> None:
    """What was asked again is kept after what there was, whatever number was expected."""
    assert store.put("k", 3, "a") == "a"
    assert store.get("k", 0) == "a"
    assert store.put("k", 1, "b") == "b"
    assert [store.get("k", number) for number in range(3)] == ["a", "b", None]


def test_any_text_is_kept(tmp_path: Path) -> None:
    """Zeros, a megabyte, other languages."""
    cache = Cache(tmp_path / "c.db")
    for text in ("", "a\x00b", "x" * 1_000_000, "答案", "\x1b[0m"):
        assert cache.put(text, 0, text) == text
        assert cache.get(text, 0) == text


def test_others_see_what_was_kept(tmp_path: Path) -> None:
    """Another object, one that travelled, and a process that was forked."""
    cache = Cache(tmp_path / "c.db")
    cache.put("k", 0, "v")
    assert Cache(tmp_path / "c.db").get("k", 0) == "v"
    assert pickle.loads(pickle.dumps(cache)).get("k", 0) == "v"
    assert in_child(lambda: cache.put("c", 0, "child") == "child") == 0
    assert cache.get("c", 0) == "child"


def in_child(function: Callable[[], Any]) -> int:
    """Call a function in a process of its own; return 0 if what it returned is true."""
    child = fork()
    if not child:
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1]


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none of them
        return os.fork()


def test_threads_and_processes_agree(tmp_path: Path) -> None:
    """Whoever is first, all of them read the same."""
    path = tmp_path / "c.db"
    Cache(path)

    def work(who: int) -> list[str]:
        cache = Cache(path)
        return [cache.put(f"k{n}", 0, f"{who}") for n in range(15)]

    children = []
    for who in range(3):
        if not (child := fork()):
            try:
                work(who)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(work, range(10, 13))
    assert all(other == first for other in others)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]


def test_killed_while_it_writes(tmp_path: Path) -> None:
    """What was kept before stays, and the file is whole: also if it was being made."""
    for kill in range(15):
        path, said = tmp_path / f"c{kill}.db", tmp_path / f"said{kill}"
        if not (child := fork()):
            cache = Cache(path)
            with said.open("w") as log:
                for number in range(100_000):
                    cache.put(f"k{number}", 0, "v" * 100)
                    print(number, file=log, flush=True)
            os._exit(0)
        time.sleep(0.002 * kill)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        cache = Cache(path)
        claimed = said.read_text().split("\n")[:-1] if said.exists() else []
        assert all(cache.get(f"k{number}", 0) for number in claimed)
        assert cache._connect().execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_files_of_others_are_refused_and_left_alone(tmp_path: Path) -> None:
    """Text, a journal, somebody's database."""
    text = tmp_path / "notes.txt"
    text.write_text("my notes, which are longer than the header of a database " * 20)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(BrokenFile, match=path.name):
            Cache(path)
        assert path.read_bytes() == before


def test_places_without_a_file_are_refused(tmp_path: Path) -> None:
    """A folder, a pipe, a folder that is not there, what is no path."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "nowhere" / "c.db", "a\0b", 7.5):
        with pytest.raises(InvalidArgument, match="cache="):
            Cache(path)


def test_a_locked_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start nothing is begun; later nothing is paid twice, and what was paid for counts."""
    monkeypatch.setattr(caches, "PATIENCE_SECONDS", 0.01)
    cache = Cache(tmp_path / "c.db")
    cache.close()
    holder = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InvalidArgument, match=r"c\.db.*locked"):
        Cache(tmp_path / "c.db")
    holder.execute("COMMIT")
    holder.close()
    assert cache.get("k", 0) is None
    writer = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.warns(RuntimeWarning, match="locked"):
        assert cache.put("k", 0, "v") == "v"
    [[patience]] = cache._connect().execute("PRAGMA busy_timeout")
    assert patience == 1000 * caches.IMPATIENCE_SECONDS  # not all that come after it wait as long
    assert cache.get("k", 0) is None
    writer.execute("COMMIT")
    writer.close()
    assert cache.put("k", 0, "w") == "w"


def test_a_damaged_file_stops_the_run_before_it_pays_twice(tmp_path: Path) -> None:
    """Nothing is asked while nobody knows what was kept."""
    cache = Cache(tmp_path / "c.db")
    cache.put("k", 0, "v")
    cache._connect().execute("DROP TABLE answers")
    with pytest.raises(CacheFailed, match=r"c\.db"):
        cache.get("k", 0)


def test_a_full_disk_is_said_once(tmp_path: Path) -> None:
    """The answer is handed on, and what was kept can be read."""
    cache = Cache(tmp_path / "c.db")
    cache.put("k", 0, "v")
    connection = cache._connect()
    connection.execute("PRAGMA max_page_count = 3")
    with pytest.warns(RuntimeWarning, match="full"):
        assert cache.put("large", 0, "x" * 100_000) == "x" * 100_000
    assert cache.put("larger", 0, "x" * 200_000) == "x" * 200_000  # without another warning
    assert cache.get("large", 0) is None
    assert cache.get("k", 0) == "v"
