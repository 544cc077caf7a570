"""Run a machine to its end: hand its pulls to this thread or to any executor, tell what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback, ComparisonFailed, HeatsError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Watch = Callable[[], None]


class Task(Protocol):
    """What is to be done for a query, and in which words to speak of it."""

    def job(self, query: Query) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return a function and its arguments, no more than it needs: they may travel to another process."""

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
        """Tell what ``answer()`` returns; if that fails, queue the pull again or give up with the reason."""
        try:
            self._machine.tell(query, self._made(query, answer))
        except BadFeedback as error:
            self._again(query, BadFeedback(f"{self._what(query)} gave feedback that cannot be used: {error}"), error)
        except ComparisonFailed as failure:
            self._again(query, failure, failure.__cause__)

    def _made(self, query: Query, answer: Callable[[], Any]) -> Any:
        try:
            return answer()
        except BadFeedback:
            raise
        except Exception as error:  # whatever the user's comparison raises
            raise ComparisonFailed(f"{self._what(query)} failed: {type(error).__name__}: {error}") from error

    def _again(self, query: Query, failure: HeatsError, cause: BaseException | None) -> None:
        self._failed[query.id] += 1
        if self._failed[query.id] > self._retries:
            raise failure from cause
        self._machine.requeue(query)

    def _what(self, query: Query) -> str:
        return f"comparing {self._task.describe(query)} (pull {query.id})"


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
        function, arguments = task.job(query)
        pulls.settle(query, partial(function, *arguments))
        watch()


def _drive_on(executor: Executor, machine: Machine, task: Task, pulls: Pulls, watch: Watch) -> None:
    from queue import SimpleQueue

    workers = getattr(executor, "_max_workers", None)  # the standard pools say how many they have
    limit = 2 * workers if workers else 64  # enough to keep them busy, not so many that they flood the queue
    flying: dict[Future[Any], Query] = {}
    landed: SimpleQueue[Future[Any]] = SimpleQueue()
    try:
        while not machine.done:
            for query in machine.ask(limit - len(flying)) if len(flying) < limit else ():
                function, arguments = task.job(query)
                future = executor.submit(function, *arguments)
                flying[future] = query
                future.add_done_callback(landed.put)
            future = landed.get()
            pulls.settle(flying.pop(future), future.result)
            watch()
    finally:
        for future in flying:
            future.cancel()
