"""Any executor, as the driver needs it: how many workers it has, and what to do when they die."""

from __future__ import annotations

import math
import time
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from heats.base.text import describe_error
from heats.errors import ComparisonFailed, show_value
from heats.executors.on_submitit import is_of_submitit, submitit
from heats.executors.polling import POLL_SECONDS, Polled

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future

UNKNOWN_WORKERS = 32  # of an executor that does not say how many it has
START_UP_SECONDS = 60.0  # in which the first answer may be expected
RECOUNT_SECONDS = 5.0  # after which a cluster, which may grow, is asked again


class Pool:
    """An executor of the user, and the one that takes its place if its processes die."""

    def __init__(self, executor: Executor) -> None:
        self._executor: Any = submitit(executor) if is_of_submitit(executor) else executor
        self._rebuilt: Executor | None = None
        self._polled: list[Polled] = []  # under way, as far as they cannot call back
        self.number = 0  # how often it was rebuilt
        self._counted = -RECOUNT_SECONDS
        self._workers = 1

    @property
    def workers(self) -> int:
        """How many pulls it can make at once, as far as it says."""
        if time.monotonic() - self._counted >= RECOUNT_SECONDS:
            self._workers = _workers(self._executor)
            self._counted = time.monotonic()
        return self._workers

    @property
    def pulls_per_task(self) -> int | None:
        """How many pulls travel together, if the executor says that."""
        return getattr(self._executor, "pulls_per_task", None)

    @property
    def has_queue(self) -> bool:
        """Whether what is handed out may wait for as long as it likes, so that nothing is gained by more of it."""
        return getattr(self._executor, "has_queue", False)

    @property
    def poll_seconds(self) -> float:
        """How long to wait between two looks at what cannot call back."""
        return POLL_SECONDS if self._polled else math.inf

    def poll(self) -> None:
        """Let what cannot call back, and is done, do so."""
        self._polled = [each for each in self._polled if not each.look()]

    def is_loss(self, error: BaseException) -> bool:
        """Return whether an error says that a worker died, or that nobody will do the work."""
        from concurrent.futures import BrokenExecutor, CancelledError

        return isinstance(error, (BrokenExecutor, CancelledError, *getattr(self._executor, "losses", ())))

    @property
    def start_up(self) -> float:
        """Seconds its workers may take to start: threads none, processes and clusters some."""
        from concurrent.futures import ThreadPoolExecutor

        return 0.0 if isinstance(self._executor, ThreadPoolExecutor) else START_UP_SECONDS

    def check_workers(self) -> None:
        """Stop a run whose workers, of a cluster, lack heats: they would not even say so."""
        client = _dask_client(self._executor)
        if client is None or not client.nthreads():
            return
        found = client.run(find_spec, "heats", on_error="return")
        lacking = sorted(str(worker) for worker, spec in found.items() if not isinstance(spec, ModuleSpec))
        if lacking:
            raise ComparisonFailed(
                f"{len(lacking)} of {len(found)} workers of the cluster cannot import heats ({lacking[0]}); install "
                "the same version there and start the workers again. What was told is kept."
            )

    def call_everywhere(self, work: Callable[[], None]) -> None:
        """Call a function once on each worker that a cluster has now; no other executor can be asked for each."""
        client = _dask_client(self._executor)
        if client is not None and client.nthreads():
            self.check_workers()
            client.run(work)

    @property
    def is_without_workers(self) -> bool:
        """Whether it is a cluster that has none at this moment."""
        client = _dask_client(self._executor)
        return client is not None and not client.nthreads()

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        """Hand out work; a broken executor says so, one that takes no more stops the run."""
        from concurrent.futures import BrokenExecutor

        try:
            future: Any = self._executor.submit(work)
        except BrokenExecutor:
            raise
        except Exception as error:  # it was shut down, or the work cannot travel
            raise ComparisonFailed(f"the executor took no work: {describe_error(error)}") from error
        return future if hasattr(future, "add_done_callback") else self._follow(future)

    def _follow(self, job: Any) -> Future[Any]:
        """Look at a job now and then, which cannot call back."""
        if not all(callable(getattr(job, name, None)) for name in ("done", "result")):
            raise ComparisonFailed(
                f"the executor gave back {show_value(job)} instead of a future: something with done() and result()."
            )
        self._polled.append(Polled(job))
        return self._polled[-1]

    def rebuild(self, reason: BaseException) -> None:
        """Put new processes in the place of those that died; other executors cannot be mended from here."""
        rebuilt = _rebuild(self._executor)
        if rebuilt is None:
            raise ComparisonFailed(f"the executor broke: {describe_error(reason)}") from reason
        self.close()
        self.number += 1
        self._executor = self._rebuilt = rebuilt

    def kill(self) -> None:
        """End the processes of a pool that do not answer, which breaks it; other workers cannot be ended from here."""
        from concurrent.futures import ProcessPoolExecutor

        if isinstance(self._executor, ProcessPoolExecutor):
            for process in list((self._executor._processes or {}).values()):
                process.kill()

    def close(self) -> None:
        """Shut down what was built here; the user's executor is the user's."""
        if self._rebuilt is not None:
            drop = "kill_workers" if _is_loky(self._rebuilt) else "cancel_futures"
            self._rebuilt.shutdown(wait=False, **{drop: True})
            self._rebuilt = None


def _rebuild(old: Any) -> Executor | None:
    """Return a pool of processes like another one; how that was made is kept in no public place."""
    from concurrent.futures import ProcessPoolExecutor

    if isinstance(old, ProcessPoolExecutor):
        return ProcessPoolExecutor(
            _workers(old),
            mp_context=old._mp_context,
            initializer=old._initializer,
            initargs=old._initargs,
            max_tasks_per_child=getattr(old, "_max_tasks_per_child", None),
        )
    if _is_loky(old):
        import loky

        rebuilt: Executor = loky.ProcessPoolExecutor(
            _workers(old), context=old._context, initializer=old._initializer, initargs=old._initargs
        )
        return rebuilt
    return None


def _is_loky(executor: Any) -> bool:
    return type(executor).__module__.split(".")[0] == "loky"


def _workers(executor: Any) -> int:
    for name in ("_max_workers", "num_workers"):  # the standard pools; MPI's
        if isinstance(count := getattr(executor, name, None), int):
            return max(count, 1)
    client = _dask_client(executor)
    if client is not None:  # a cluster that grows by need may have none yet
        return sum(client.nthreads().values()) or UNKNOWN_WORKERS
    return UNKNOWN_WORKERS


def _dask_client(executor: Any) -> Any:
    client = getattr(executor, "_client", None)
    return client if hasattr(client, "nthreads") and hasattr(client, "run") else None
