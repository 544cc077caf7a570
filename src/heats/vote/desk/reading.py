"""The journal, read again for the organiser: standings take seconds, and no voter waits for them.

Served polls are read in a process of their own: a thread would take turns with the one that takes votes. What is read
stays there and is brought up to date at every look; if that process is killed, the next one reads everything again.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import TypeVar

from heats.base.helpers import HelperPool
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
    return HelperPool(1)


class Reading:
    """What a journal says, brought up to date whenever somebody looks."""

    def __init__(self, path: Path, make_executor: Callable[[], Executor]) -> None:
        self._path, self._number, self._executor = path, next(_numbers), make_executor()

    def do(self, job: Callable[[Log, Ledger], T]) -> Future[T]:
        """Look at all that is on the disk by now; ``job`` is a function of a module, or a partial of one."""
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
