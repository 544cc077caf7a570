"""Jobs on several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from typing import Any, TypeVar

from heats.base.checks import whole
from heats.base.helpers import HelperPool

Found = TypeVar("Found")


def count_workers(workers: int | None) -> int:
    """Return how many processes to use: as many as there are cores, unless it is said."""
    return (os.cpu_count() or 1) if workers is None else whole("workers", workers, 1)


def run_jobs(job: Callable[..., Found], jobs: Iterable[tuple[Any, ...]], workers: int) -> Iterator[Found]:
    """Yield what the jobs return, as they finish; after an error or Ctrl-C the rest is broken off."""
    pool = HelperPool(workers)
    try:
        for future in as_completed([pool.submit(job, *each) for each in jobs]):
            yield future.result()
    finally:
        pool.end()
        pool.shutdown(cancel_futures=True)
