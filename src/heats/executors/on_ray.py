"""Ray, on this machine or a cluster, as an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from heats.base.checks import whole
from heats.base.extras import explain_missing
from heats.base.text import end_sentence
from heats.errors import InvalidArgument


def ray(address: str | None = None, *, pulls_per_task: int | None = None) -> RayExecutor:
    """Return an executor on Ray: on the cluster at ``address``, on the one this program is part of, or a local one.

    ``with heats.executors.ray() as executor: heats.find_best(..., executor=executor)``. Short comparisons share a task,
    ``pulls_per_task`` of them if that is said; else as many as take about 30 milliseconds.
    """
    if pulls_per_task is not None:
        whole("pulls_per_task", pulls_per_task, 1)
    try:
        import ray as engine
    except ImportError as error:
        raise InvalidArgument(explain_missing("heats.executors.ray needs Ray", "ray", error)) from None
    is_ours = not engine.is_initialized()
    if is_ours:
        try:
            engine.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        except (ConnectionError, ValueError) as error:
            raise InvalidArgument(
                f"{{address}} is not the address of a Ray cluster that answers: {end_sentence(error)}", address=address
            ) from None
    elif address is not None:
        raise InvalidArgument(
            "{address} was said, but this program is part of a Ray cluster already; leave it out.", address=address
        )
    return RayExecutor(engine, pulls_per_task, is_ours=is_ours)


class RayExecutor(Executor):
    """Makes pulls in the workers of Ray."""

    def __init__(self, engine: Any, pulls_per_task: int | None, *, is_ours: bool) -> None:
        self._ray, self._is_ours = engine, is_ours
        self._call = engine.remote(_call).options(max_retries=0)  # the driver counts who dies
        self.pulls_per_task = pulls_per_task
        self.losses = (engine.exceptions.WorkerCrashedError, engine.exceptions.NodeDiedError)

    @property
    def num_workers(self) -> int:
        """How many processors the cluster has."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand out a call; its arguments travel with cloudpickle, so lambdas can."""
        reference = self._call.remote(fn, args, kwargs)
        future: Future[Any] = reference.future()
        future.add_done_callback(lambda done: self._ray.cancel(reference) if done.cancelled() else None)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the cluster if it was started here."""
        if self._is_ours:
            self._ray.shutdown()


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
