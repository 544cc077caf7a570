"""The journal, read again for the organiser in a thread of its own: standings take seconds, and no voter waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from heats.errors import HeatsError
from heats.journal import Log
from heats.vote.ledger import Ledger

T = TypeVar("T")


class Reading:
    """What a journal says, brought up to date whenever somebody looks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, "heats vote, reading")
        self._read: tuple[Log, Ledger] | None = None

    def do(self, job: Callable[[Log, Ledger], T]) -> Future[T]:
        """Look at all that is on the disk by now."""
        return self._thread.submit(lambda: job(*self._catch_up()))

    def close(self) -> None:
        """Finish what is under way."""
        self._thread.shutdown(cancel_futures=True)

    def _catch_up(self) -> tuple[Log, Ledger]:
        if self._read is None:
            self._read = self._begin()
        try:
            self._read[0].advance()
        except HeatsError:  # lines that could not be brought to the disk may have been there, and others now
            self._read = self._begin()
            self._read[0].advance()
        return self._read

    def _begin(self) -> tuple[Log, Ledger]:
        ledger = Ledger()
        return Log(self._path, on_event=ledger.note), ledger
