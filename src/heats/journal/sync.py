"""How what was written gets to the disk, and whether the file is still the one that will be found under its name."""

from __future__ import annotations

import os
import threading
from pathlib import Path

GROUP_SECONDS = 0.1


class NotOurs(OSError):
    """The file under the journal's name is not as it was left."""


class Syncer:
    """A thread that brings a file to the disk within a tenth of a second, one group of lines at a time."""

    def __init__(self, handle: int, path: Path) -> None:
        self._handle = handle
        self._path = path
        self._waiting = threading.Event()  # something was written
        self._stopping = threading.Event()
        self._error: OSError | None = None
        self._thread: threading.Thread | None = None  # started when first needed

    def soon(self) -> None:
        """Say that something was written; raise what went wrong with an earlier group."""
        if self._error is not None:
            raise self._error
        self._waiting.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="heats journal", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread and bring the last group to the disk; raise what went wrong with this or an earlier one."""
        self._stopping.set()
        self._waiting.set()
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        bring_to_disk(self._handle, self._path)

    def _run(self) -> None:
        while self._error is None:
            self._waiting.wait()
            if self._stopping.wait(GROUP_SECONDS):
                return
            self._waiting.clear()
            if self._stopping.is_set():  # since then: what wakes us would just have been cleared
                return
            try:
                bring_to_disk(self._handle, self._path)
            except OSError as error:
                self._error = error


def bring_to_disk(handle: int, path: Path) -> None:
    """Sync a file that is still the one that will be found under its name."""
    os.fsync(handle)
    check_there(handle, path)


def check_there(handle: int, path: Path) -> None:
    """Refuse to go on with a file that nobody would find again."""
    try:
        there = os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        there = False
    if not there:
        raise NotOurs(
            "was moved, removed or replaced while it was written. What was told is in the file that was there; "
            "put it back, or give its new path, do the same again and the run goes on."
        )


def open_to_append(path: Path | str, flags: int = 0) -> int:
    """Open a file to read and append, never at 0, 1 or 2: whatever prints there would print into it."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o644)
    if handle > 2:
        return handle
    import fcntl

    try:
        return fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(handle)
