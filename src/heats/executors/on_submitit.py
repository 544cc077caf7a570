"""An executor of submitit (Slurm, or processes on this machine) → one whose jobs make several pulls each."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from heats.base.checks import whole
from heats.errors import InvalidArgument

MOST_JOBS = 32  # of a cluster, at once, unless it is said


def submitit(executor: Any, pulls_per_job: int = 20, *, jobs: int | None = None) -> SubmititExecutor:
    """Return an executor whose jobs are submitit's: ``heats.executors.submitit(submitit.AutoExecutor("logs"))``.

    Starting a job takes seconds, or hours in a queue, so ``pulls_per_job`` comparisons travel together, one after the
    other; a batch of adaptive play ends when its last job does. Up to ``jobs`` are out at once (default: 32, on this
    machine one per processor).
    """
    if not is_of_submitit(executor):
        raise InvalidArgument(
            "{executor} must be an executor of submitit, such as submitit.AutoExecutor('logs').", executor=executor
        )
    at_once = _count_jobs(executor) if jobs is None else whole("jobs", jobs, 1)
    return SubmititExecutor(executor, whole("pulls_per_job", pulls_per_job, 1), at_once)


def is_of_submitit(executor: Any) -> bool:
    """Return whether it is one of submitit's executors."""
    return type(executor).__module__.split(".")[0] == "submitit" and hasattr(executor, "submit")


class SubmititExecutor(Executor):
    """Makes pulls in jobs of submitit."""

    has_queue = True  # a job may wait for as long as the cluster likes

    def __init__(self, executor: Any, pulls_per_task: int, num_workers: int) -> None:
        from submitit.core.utils import UncompletedJobError

        self._executor = executor
        self.pulls_per_task = pulls_per_task
        self.num_workers = num_workers
        self.losses = (UncompletedJobError,)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Hand out a job."""
        return self._executor.submit(fn, *args, **kwargs)


def _count_jobs(executor: Any) -> int:
    """Return how many jobs may be out at once: local ones are processes that begin at once."""
    is_local = getattr(executor, "cluster", None) in ("local", "debug")
    return os.cpu_count() or 1 if is_local else MOST_JOBS
