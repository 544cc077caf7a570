"""One thread for linear algebra: many small products gain nothing from more, and on a busy machine they wait for each.

On two cores that were racing solvers, threads that wait for each other made standings forty times slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Let the libraries under NumPy and SciPy use one thread; afterwards as many as before."""
    import scipy.linalg  # noqa: F401  # brings its own, which must be there to be found

    with _find_libraries().limit(limits=1):
        yield


@cache
def _find_libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
