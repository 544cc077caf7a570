"""Answers that were paid for once: kept in a file, safe with threads, processes and whatever kills them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import stat
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from heats.base.text import make_encodable
from heats.errors import BrokenFile, CacheFailed, InvalidArgument

OURS = 0x68656174  # "heat", in the header of our files
PATIENCE_SECONDS = 20.0  # with another process that writes
IMPATIENCE_SECONDS = 1.0  # with one that had its time: answers wait for it one after the other


def make_key(name: str, text: str) -> str:
    """Return what an answer is kept by: a hash of who is asked and what."""
    return hashlib.sha256(json.dumps([name, text]).encode()).hexdigest()


class Store(Protocol):
    """Where answers are kept: the first to a key, and those that were asked for after it had been of no use."""

    def get(self, key: str, number: int) -> str | None:
        """Return the answer of that number, from 0; None if there are not so many."""

    def put(self, key: str, number: int, answer: str) -> str:
        """Keep an answer; return it, or the one that somebody else kept first."""


class Memory:
    """Answers kept as long as this object is there."""

    def __init__(self) -> None:
        self._answers: dict[str, list[str]] = {}

    def __reduce__(self) -> tuple[type[Memory], tuple[()]]:
        return Memory, ()  # another process begins with none

    def get(self, key: str, number: int) -> str | None:
        """Return the answer of that number."""
        kept = self._answers.get(key, [])
        return kept[number] if number < len(kept) else None

    def put(self, key: str, number: int, answer: str) -> str:
        """Keep an answer."""
        kept = self._answers.setdefault(key, [])
        if number >= len(kept):
            kept.append(answer)
        return kept[min(number, len(kept) - 1)]


class Cache:
    """Answers kept in an SQLite file: numbered from 0 without gaps, by key.

    The file is made if it is not there; one of somebody else is refused, and left as it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(os.path.realpath(path))
        except (OSError, TypeError, ValueError):
            raise InvalidArgument("{cache} must be the path of a file.", cache=path) from None
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None  # by which process
        self._warned = False
        with self._lock:
            self._connect()

    def __reduce__(self) -> tuple[Callable[[Path], Cache], tuple[Path]]:
        return _share_cache, (self.path,)

    def __del__(self) -> None:
        if getattr(self, "_opened", None) is not None:
            self.close()

    def get(self, key: str, number: int) -> str | None:
        """Return the answer of that number; None if there are not so many."""
        with self._lock:
            try:
                return _find(self._connect(), key, number)
            except sqlite3.Error as error:
                raise CacheFailed(
                    f"{self.path} cannot be read ({error}); asking again might pay twice, so nothing was asked."
                ) from error

    def put(self, key: str, number: int, answer: str) -> str:
        """Keep an answer; if that cannot be done (no room, locked), say so once: it was paid for, so it counts."""
        with self._lock:
            try:
                connection = self._connect()
                connection.execute(
                    "INSERT OR IGNORE INTO answers SELECT ?, min(?, (SELECT count(*) FROM answers WHERE key = ?)), ?",
                    (key, number, key, make_encodable(answer)),
                )
                return _find(connection, key, number) or answer
            except sqlite3.Error as error:
                self._warn(error)
                self._lose_patience()
                return answer

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        with self._lock:
            self._leave_to_parent()
            if self._opened is not None:
                self._opened[1].close()
            self._opened = None

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"answers cannot be kept in {self.path} ({error}): the run goes on, but what is asked now will be "
                "asked again by the next one.",
                RuntimeWarning,
                stacklevel=4,
            )

    def _lose_patience(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connect().execute(f"PRAGMA busy_timeout = {IMPATIENCE_SECONDS * 1000:.0f}")

    def _connect(self) -> sqlite3.Connection:
        """Return the connection of this process: one that was open when it was forked is its parent's."""
        self._leave_to_parent()
        if self._opened is None:
            self._opened = os.getpid(), _open(self.path)
        return self._opened[1]

    def _leave_to_parent(self) -> None:
        if self._opened is not None and self._opened[0] != os.getpid():
            _PARENTS.append(self._opened[1])
            self._opened = None


_PARENTS: list[sqlite3.Connection] = []  # connections of the process this one was forked from, never to be closed here


@functools.cache
def _share_cache(path: Path) -> Cache:
    """Return the one cache of this process for a file, to judges that travelled here."""
    return Cache(path)


def _find(connection: sqlite3.Connection, key: str, number: int) -> str | None:
    row = connection.execute("SELECT answer FROM answers WHERE key = ? AND number = ?", (key, number)).fetchone()
    return None if row is None else str(row[0])


def _open(path: Path) -> sqlite3.Connection:
    """Open our file, or make it; refuse whatever else is there."""
    if not path.parent.is_dir():
        raise InvalidArgument(f"{{cache}} cannot be there: there is no folder {path.parent}.", cache=str(path))
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise InvalidArgument("{cache} is a folder, a pipe or a device; give the path of a file.", cache=str(path))
    with _said_plainly(path):
        connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _check_ours(connection, path)
            connection.execute("PRAGMA synchronous = NORMAL")  # of a power cut the last answers may be the price
        except BaseException:
            connection.close()
            raise
        return connection


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    [[mark]], [[tables]] = (
        connection.execute(each).fetchall() for each in ("PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
    )
    if mark == OURS:
        return
    if mark or tables:
        raise BrokenFile("{cache} is the database of another program; give another path.", cache=str(path))
    connection.execute("BEGIN IMMEDIATE")  # so that a file is ours, or empty, whatever happens meanwhile
    connection.execute(
        "CREATE TABLE IF NOT EXISTS answers"
        " (key TEXT, number INT, answer TEXT, PRIMARY KEY (key, number)) WITHOUT ROWID"
    )
    connection.execute(f"PRAGMA application_id = {OURS}")
    connection.execute("COMMIT")
    with contextlib.suppress(sqlite3.OperationalError):  # another process is at it; or the disk cannot, and waits more
        connection.execute("PRAGMA journal_mode = WAL")


@contextlib.contextmanager
def _said_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        reason = "another program has locked it" if "locked" in str(error) else str(error)
        raise InvalidArgument(f"{{cache}} cannot be used: {reason}.", cache=str(path)) from None
    except sqlite3.DatabaseError:
        raise BrokenFile(
            "{cache} is no cache of heats, and was left alone; give another path.", cache=str(path)
        ) from None
