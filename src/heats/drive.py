"""Run a machine to its end: hand its pulls to this thread or to any executor, tell what comes back."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback, ComparisonFailed

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Watch = Callable[[], None]


class Task(Protocol):
    """Makes the pulls of a query, where the executor runs it; ``describe`` says what it compared."""

    def __call__(self, query: Query) -> Any:
        """Return the feedback of the pull, arms named by index."""

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull, for error messages."""


class Pulls:
    """The pulls under way: makes them, tells them, tries again what failed."""

    def __init__(self, machine: Machine, task: Task, retries: int) -> None:
        self._machine = machine
        self._task = task
        self._retries = retries
        self._failed: Counter[int] = Counter()

    def settle(self, query: Query, answer: Callable[[], Any]) -> None:
        """Tell what ``answer()`` returns; if it fails, queue the pull again or give up with the reason."""
        try:
            self._machine.tell(query, answer())
        except Exception as error:
            self._failed[query.id] += 1
            if self._failed[query.id] <= self._retries:
                self._machine.requeue(query)
                return
            what = f"comparing {self._task.describe(query)} (pull {query.id})"
            if isinstance(error, BadFeedback):
                raise BadFeedback(f"{what} gave feedback that cannot be used: {error}") from error
            raise ComparisonFailed(f"{what} failed: {type(error).__name__}: {error}") from error


def drive(
    machine: Machine, task: Task, executor: Executor | None = None, retries: int = 0, watch: Watch = lambda: None
) -> None:
    """Make all pulls the machine asks for; ``watch`` is called after each one.

    An error or Ctrl-C stops the run: nothing more is handed out, and what waits in the executor is cancelled.
    """
    pulls = Pulls(machine, task, retries)
    if executor is not None:
        _drive_on(executor, machine, task, pulls, watch)
        return
    while query := machine.ask():
        pulls.settle(query, lambda query=query: task(query))  # type: ignore[misc]  # bound now
        watch()


def _drive_on(executor: Executor, machine: Machine, task: Task, pulls: Pulls, watch: Watch) -> None:
    from concurrent.futures import FIRST_COMPLETED, wait

    workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    limit = 2 * workers  # enough to keep them busy, not so many that they flood the queue
    flying: dict[Future[Any], Query] = {}
    try:
        while not machine.done:
            for query in machine.ask(limit - len(flying)) if len(flying) < limit else ():
                flying[executor.submit(task, query)] = query
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                pulls.settle(flying.pop(future), future.result)
                watch()
    finally:
        for future in flying:
            future.cancel()
