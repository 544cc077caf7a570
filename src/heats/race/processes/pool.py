"""Guardians for the threads of this process, each of which runs a heat at a time."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Self

from heats.race.processes.client import CLOSED, Guardian, GuardianGone


class GuardianPool:
    """Guardians for any number of threads, each of which borrows one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Guardian] = []
        self._busy: set[Guardian] = set()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def borrow(self, *, isolate: bool = True) -> Iterator[Guardian]:
        """Yield a guardian nobody else uses; one that ends in an error is not used again."""
        guardian = self._take(isolate)
        try:
            yield guardian
        except BaseException:
            guardian.close()
            with self._lock:
                self._busy.discard(guardian)
            raise
        with self._lock:
            self._busy.discard(guardian)
            if not self._closed:
                self._idle.append(guardian)
                return
        guardian.close()

    def close(self) -> None:
        """End all guardians, for good: heats under way fail with ``GuardianGone`` in the threads that run them."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for guardian in self._busy:
                guardian.hang_up()
        for guardian in idle:
            guardian.close()

    def _take(self, isolate: bool) -> Guardian:
        """Return a guardian that lives, a new one if there is none, and count it as busy."""
        with self._lock:
            if self._closed:
                raise GuardianGone(CLOSED)
            for guardian in [each for each in self._idle if not each.is_alive or each.isolate != isolate]:
                self._idle.remove(guardian)
                guardian.close()
            taken = {guardian.number for guardian in self._busy}
            free = next(number for number in range(len(taken) + 1) if number not in taken)
            guardian = self._idle.pop() if self._idle else Guardian(free, isolate=isolate)
            self._busy.add(guardian)
            return guardian


@cache
def get_process_pool(process: int) -> GuardianPool:
    """Return the guardians of this process, which a worker of a cluster shares among its heats and keeps to its end."""
    guardians = GuardianPool()
    atexit.register(guardians.close)
    return guardians
