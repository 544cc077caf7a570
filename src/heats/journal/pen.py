"""Events → lines at the end of a journal: one writer at a time, and nothing after a write that failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from heats.errors import BrokenFile, JournalFailed
from heats.journal.appending import Appender, Sync
from heats.journal.events import Event
from heats.journal.lock import Lock
from heats.journal.reader import Log
from heats.journal.sync import NotOurs


class Pen:
    """What a journal is written with; ``failed`` says why no more is."""

    def __init__(self, path: Path, sync: Sync) -> None:
        self.path = path
        self.failed: JournalFailed | None = None
        self.is_closed = False
        self._sync = sync
        self._lock: Lock | None = None
        self._end: Appender | None = None  # of the file, while this is the one that writes
        self._buffer: list[bytes] = []
        self._together = False

    @property
    def is_at_work(self) -> bool:
        """Whether this is the one that writes."""
        return self._end is not None

    def lock(self) -> None:
        """Let nobody else write."""
        self._lock = self._lock or Lock(self.path)

    def take(self, log: Log) -> int:
        """Be the one that writes after what a log has read; return how many bytes of a torn line were cut off."""
        self.lock()
        log.advance()  # another writer may have gone on until it was locked
        self._end = Appender(self.path, log.size, self._sync)
        return _mend(self._end, log)

    def write(self, event: Event, log: Log) -> None:
        """Add a line, which the log then knows of."""
        line = log.chain.seal(event)
        self._buffer.append(line)
        log.note_written(event, len(line))
        if not self._together:
            self._commit()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Write all lines that are added within at once, at the end."""
        self._together = True
        try:
            yield
        finally:
            self._together = False
            self._commit()

    def fail(self, error: BaseException) -> None:
        """Write no more: what the machine was told may not be in the file, and no later line would be true."""
        self.failed = self.failed or JournalFailed(
            f"{self.path} was interrupted while it was written ({type(error).__name__}). What was told before is in "
            "it; do the same again and the run goes on."
        )

    def close(self) -> None:
        """Bring everything to the disk and let others write."""
        self.is_closed = True
        end, self._end = self._end, None
        try:
            if end is not None:
                end.close(is_sound=self.failed is None)
        except OSError as error:
            if self.failed is None:
                raise self._explain(error) from error
        finally:
            if self._lock is not None:
                self._lock.release()

    def _commit(self) -> None:
        if not self._buffer or self.failed is not None:
            return
        assert self._end is not None
        try:
            self._end.write(b"".join(self._buffer))
            self._buffer.clear()
        except OSError as error:
            self.failed = self._explain(error)
            raise self.failed from error
        except BaseException as error:
            self.fail(error)
            raise

    def _explain(self, error: OSError) -> JournalFailed:
        if isinstance(error, NotOurs):
            return JournalFailed(f"{self.path} {error}")
        return JournalFailed(
            f"{self.path} cannot be written: {error.strerror}. What was told before is in it; "
            "once that is mended (make room, say), do the same again and the run goes on."
        )


def _mend(end: Appender, log: Log) -> int:
    """Deal with what stands after the last whole line: end a line that lacks its end only, cut one that was torn off.

    Returns how many bytes were cut; what was torn off was never told.
    """
    tail = log.tail()
    if not tail:
        return 0
    if line := log.chain.find_sound_line(tail):
        end.end_line(line)
        log.advance()
        return 0
    if log.chain.is_torn(tail):
        end.cut()
        return len(tail)
    raise BrokenFile(
        f"line {log.lines + 1} of {log.path} has no end, and is nothing that a crash of heats leaves behind: "
        f"{tail[:40]!r}. Nothing was changed; remove what stands after the {log.lines} lines before it to go on."
    )
