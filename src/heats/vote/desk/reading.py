"""The journal, read again for the organiser: standings take seconds, and no voter waits for them.

Served polls are read in a process of their own: a thread would take turns with the one that takes votes. What is read
stays there and is brought up to date at every look.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import TypeVar

from heats.errors import HeatsError
from heats.journal import Log
from heats.vote.desk.ledger import Ledger

T = TypeVar("T")

_numbers = count()
_read: dict[int, tuple[Log, Ledger]] = {}  # by the number of the reading, where it is read


def read_in_thread() -> Executor:
    """Return a thread that reads."""
    return ThreadPoolExecutor(1, "heats vote, reading")


def read_in_process() -> Executor:
    """Return a process that reads; it begins with the first look, and ends with this one, however that ends."""
    return ProcessPoolExecutor(1, get_context("spawn"), _live_as_long_as_parent)


class Reading:
    """What a journal says, brought up to date whenever somebody looks."""

    def __init__(self, path: Path, make_executor: Callable[[], Executor]) -> None:
        self._path, self._number, self._make = path, next(_numbers), make_executor
        self._executor = make_executor()

    def do(self, job: Callable[[Log, Ledger], T]) -> Future[T]:
        """Look at all that is on the disk by now; ``job`` is a function of a module, or a partial of one."""
        try:
            return self._executor.submit(_do, self._number, self._path, job)
        except BrokenExecutor:  # its process was killed: the next one reads everything again
            self._executor = self._make()
            return self._executor.submit(_do, self._number, self._path, job)

    def close(self) -> None:
        """Finish what is under way."""
        self._executor.shutdown(cancel_futures=True)
        _read.pop(self._number, None)


def _do(number: int, path: Path, job: Callable[[Log, Ledger], T]) -> T:
    if number not in _read:
        _read[number] = _begin(path)
    try:
        _read[number][0].advance()
    except HeatsError:  # lines that could not be brought to the disk may have been there, and others now
        _read[number] = _begin(path)
        _read[number][0].advance()
    return job(*_read[number])


def _begin(path: Path) -> tuple[Log, Ledger]:
    ledger = Ledger()
    return Log(path, on_event=ledger.note), ledger


def _live_as_long_as_parent() -> None:
    """Let Ctrl-C be the parent's business, and end when it does, even by kill -9."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
