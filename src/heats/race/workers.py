"""What programs are started from: an executor that was given, this thread, or threads with guardians of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from heats.race.processes import GuardianPool

if TYPE_CHECKING:
    from concurrent.futures import Executor


@contextmanager
def find_workers(at_once: int, executor: Executor | None) -> Iterator[tuple[Executor | None, GuardianPool | None]]:
    """Yield what to run on: the executor given, this thread, or as many threads as run something ``at_once``."""
    if executor is not None:
        yield executor, None
    elif at_once == 1:
        with GuardianPool() as guardians:
            yield None, guardians
    else:
        from concurrent.futures import ThreadPoolExecutor

        # The guardians are closed first: else the pool would wait for heats that nobody wants any more.
        with ThreadPoolExecutor(at_once) as pool, GuardianPool() as guardians:
            yield pool, guardians
