"""A Dask cluster as an executor, by its address."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from heats.base.extras import explain_missing
from heats.base.text import end_sentence
from heats.errors import InvalidArgument

PATIENCE_SECONDS = 10  # seconds to wait for a scheduler to answer


@contextmanager
def dask(address: str) -> Iterator[Executor]:
    """Yield the executor of the cluster at ``address``, as tcp://host:8786; ``local`` starts one on this machine.

    ``with heats.executors.dask("local") as executor: heats.find_best(..., executor=executor)``.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InvalidArgument(explain_missing("{dask} needs Dask", "dask", error), dask=address) from None
    if address == "local":
        with _deaf_to_interrupts():
            cluster = LocalCluster(threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL)
        with cluster, Client(cluster) as client:
            yield client.get_executor()
        return
    try:
        client = Client(address, timeout=PATIENCE_SECONDS)
    except (OSError, ValueError) as error:
        raise InvalidArgument(
            f"{{dask}} is not the address of a cluster that answers: {end_sentence(error)}", dask=address
        ) from None
    with client:
        yield client.get_executor()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which reaches all of a terminal: this one hears it and ends them in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
