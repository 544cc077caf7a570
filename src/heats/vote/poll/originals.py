"""Whether files of candidates are still what was hashed: looked at again and again, hashed again only if touched."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from pathlib import Path
from typing import NamedTuple

TICK_SECONDS = 0.05  # two changes of a file that are further apart have different times, as file systems keep them
AGAIN_SECONDS = 1.0  # after which a file that was changed is looked at again: somebody may have put the old one back


class Signature(NamedTuple):
    """What changes whenever a file is replaced or written to, also if its size and its time are made the old ones."""

    device: int
    inode: int
    size: int
    modified: int  # nanoseconds
    touched: int


class Originals:
    """Knows of files that were hashed whether they are what they were; threads may ask at once."""

    def __init__(self) -> None:
        self._hashed: dict[
            tuple[Path, str], tuple[Signature, bool]
        ] = {}  # the last one, and whether it is another file
        self._changed_at: dict[tuple[Path, str], float] = {}
        self._lock = threading.Lock()

    def is_changed(self, path: Path, digest: str, first: Signature) -> bool:
        """Whether a file that had this hash, and this signature then, is another one by now, or gone."""
        key = path, digest
        with self._lock:
            if time.monotonic() < self._changed_at.get(key, -AGAIN_SECONDS) + AGAIN_SECONDS:
                return True
            is_changed = self._look(key, first)
            if is_changed:
                self._changed_at[key] = time.monotonic()
            return is_changed

    def _look(self, key: tuple[Path, str], first: Signature) -> bool:
        path, digest = key
        found = _read_signature(path)
        known, is_changed = self._hashed.get(key, (first, False))
        if found == known:
            return is_changed
        if found is None or found.size != first.size or path.resolve() != path:
            return True
        try:
            now, signature = hash_file(path)
        except OSError:
            return True
        self._hashed[key] = signature, now != digest
        return now != digest


def hash_file(path: Path) -> tuple[str, Signature]:
    """Return the hash of a file, and the signature that it has as long as nobody touches it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        if time.time_ns() - os.fstat(handle).st_ctime_ns < TICK_SECONDS * 1e9:
            time.sleep(TICK_SECONDS)  # else it could be changed once more and keep its time
        signature = _sign(os.fstat(handle))
        return hashlib.file_digest(file, "sha256").hexdigest(), signature


def _read_signature(path: Path) -> Signature | None:
    """Return the signature of a file, None if it is gone, a link or anything else."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return _sign(found) if stat.S_ISREG(found.st_mode) else None


def _sign(found: os.stat_result) -> Signature:
    return Signature(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
