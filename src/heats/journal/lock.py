"""One writer at a time: a lock on a file beside the journal, which dies with the process that holds it.

The lock is POSIX's (``lockf``): the system gives it up when the process ends, however it ends, and a forked worker
never inherits it, so a run whose parent was killed can be resumed at once although its workers may live on. It stands
on a file of its own because such a lock is also lost when its process closes *any* handle of the file, and a program
may well read its own journal. Within one process POSIX locks do not exclude each other; a set does that.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from pathlib import Path

from heats.errors import InvalidArgument, JournalLocked
from heats.journal.sync import open_to_append

_held: set[tuple[int, str]] = set()  # (process, lock file); a forked child holds none of its parent's
_guard = threading.Lock()


class Lock:
    """Held from its making until ``release``, or until the process ends."""

    def __init__(self, journal: Path) -> None:
        self._path = f"{journal}.lock"
        self._mine = os.getpid(), self._path
        with _guard:
            if self._mine in _held:
                raise _refuse_locked(journal, str(os.getpid()))
            while (handle := _try(self._path, journal)) is None:
                pass
            self._handle = handle
            _held.add(self._mine)

    def release(self) -> None:
        """Let others write; the lock file goes away."""
        with _guard:
            if self._mine in _held and self._mine[0] == os.getpid():
                with contextlib.suppress(OSError):
                    if _same(self._handle, self._path):  # else somebody removed it, and this one is not ours
                        Path(self._path).unlink()
                os.close(self._handle)
                _held.discard(self._mine)


def _try(path: str, journal: Path) -> int | None:
    """Return the handle of the locked file, or None if its last owner removed it at this very moment."""
    try:
        import fcntl
    except ImportError:
        raise InvalidArgument("a journal needs the locks of POSIX systems, which this one lacks.") from None
    try:
        handle = open_to_append(path, os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK)  # nobody's file behind a link
    except OSError:
        if Path(path).is_symlink():
            raise _in_the_way(path) from None
        raise
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _same(handle, path):
            os.close(handle)
            return None
        _check_ours(handle, path)
        with contextlib.suppress(OSError):  # no room: then others are not told who it is
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
    except BlockingIOError:
        owner = os.pread(handle, 20, 0).decode(errors="replace")
        os.close(handle)
        raise _refuse_locked(journal, owner) from None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _same(handle: int, path: str) -> bool:
    """Say whether the file that was locked is still the one that others would find."""
    try:
        return os.path.samestat(os.fstat(handle), Path(path).stat())
    except FileNotFoundError:
        return False


def _check_ours(handle: int, path: str) -> None:
    """Refuse a file that is not a lock: one is empty, or holds the number of a process."""
    found = os.fstat(handle)
    digits = os.pread(handle, 21, 0) if stat.S_ISREG(found.st_mode) else b"not a file"
    if digits and not (digits.isdigit() and found.st_size <= 20):
        raise _in_the_way(path)


def _in_the_way(path: str) -> InvalidArgument:
    return InvalidArgument(f"{path} is in the way: it is not a lock of heats. Move it, or give another journal.")


def _refuse_locked(journal: Path, owner: str) -> JournalLocked:
    who = f"process {owner}" if owner else "another process"
    return JournalLocked(
        f"{who} is writing to {journal}; a journal has one writer at a time. "
        "Wait for it, stop it, or give another journal."
    )
