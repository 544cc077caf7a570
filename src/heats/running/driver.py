"""Run a machine to its end: hand its pulls to this thread or to any executor, tell what comes back.

On an executor the pulls of a round travel in *tasks*. A few tasks per worker are under way at any time; cheap pulls
share one, so that handing out costs little next to comparing. A task that fails as a whole (its worker died, its
results could not travel, it is overdue) is taken apart: its pulls are tried again one by one, and only a pull that
was on its own can be blamed.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from heats.base.text import describe_error
from heats.engine.machine import Machine, Query
from heats.errors import HeatsError
from heats.executors.pools import Pool
from heats.running.calls import Calls, took_too_long
from heats.running.lookout import Lookout
from heats.running.outcomes import Keeper, MachineOnly, Outcomes, Task
from heats.running.waits import Backoff

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Watch = Callable[[], None]

TASK_SECONDS = 0.03  # cheap pulls share tasks of about this length
LEAST_SECONDS = 0.002  # and hardly shorter ones at the end of a round
MOST_PULLS_PER_TASK = 1000
AHEAD = 2  # tasks under way per worker: one that runs, and one that waits for it
GRACE_SECONDS = 0.5  # that a worker has to stop an overdue pull by itself
LOOK_SECONDS = 5.0  # between two looks at a cluster that may have no workers


def drive(
    machine: Machine,
    task: Task,
    executor: Executor | None = None,
    retries: int | None = 0,
    watch: Watch = lambda: None,
    *,
    keeper: Keeper | None = None,
    backoff: Backoff | None = None,
    timeout: float | None = None,
    sure: float | None = None,
) -> None:
    """Make all pulls the machine asks for and tell them to ``keeper``; ``watch`` is called as they come back.

    Adaptive play ends between batches once its winner is ``sure`` to be the best, with that chance or a larger one.

    An error or Ctrl-C stops the run: nothing more is handed out, what waits in the executor is cancelled, and
    what had come back is told.
    """
    kept = keeper or MachineOnly(machine)
    answers, lookout = Outcomes(machine, task, kept, retries, backoff), Lookout(machine, kept, sure)
    lookout.look()
    if executor is not None:
        Flights(machine, answers, kept, Pool(executor), timeout, lookout).run(watch)
        return
    while (query := answers.ask()) or answers.seconds_left is not None:
        if query is None:  # all that is owed failed, and waits
            time.sleep(answers.seconds_left or 0.0)
            continue
        by, [answer] = Calls([answers.job(query)], timeout)()
        answers.settle(query, answer, by)
        lookout.look()
        watch()


class Flight(NamedTuple):
    """A task under way: its pulls, since when, and in which pool."""

    queries: list[Query]
    since: float
    pool: int


class Flights:
    """All that is under way on an executor."""

    def __init__(
        self,
        machine: Machine,
        answers: Outcomes,
        keeper: Keeper,
        pool: Pool,
        timeout: float | None,
        lookout: Lookout,
    ) -> None:
        self._machine = machine
        self._answers = answers
        self._keeper = keeper
        self._pool = pool
        self._timeout = timeout
        self._lookout = lookout
        self._flying: dict[Future[Any], Flight] = {}
        self._given_up: dict[Future[Any], Flight] = {}  # overdue, but an answer may still come
        self._landed: SimpleQueue[Future[Any]] = SimpleQueue()
        self._back: deque[Future[Any]] = deque()  # landed, and not looked at yet
        self._heard = -math.inf  # when something came back first: from then on, what is handed out is begun at once
        self._begun: float | None = None  # when something was handed out first
        self._start_up = pool.start_up  # seconds until something comes back from workers that have to start
        self._killed: set[int] = set()  # pools that were ended here, with innocent pulls in them
        self._warned = False  # that nobody works
        self._out = 0  # pulls under way
        self._saved = machine.saved  # pulls that need not be made, when that was last looked at
        self._seconds = TASK_SECONDS  # what a pull takes, lately
        self._ready: list[Query] = []  # asked for, to be handed out alone
        self._alone: set[int] = set()  # pulls of tasks that were taken apart

    def run(self, watch: Watch) -> None:
        """Keep the workers busy until the machine is done."""
        try:
            if not self._machine.done:
                self._pool.check_workers()
            while not self._machine.done:
                self._hand_out()
                self._wait()
                self._land()
                self._lookout.look()
                watch()
        except BaseException:
            self._keep_what_came_back()
            raise
        finally:
            for future in (*self._flying, *self._given_up):
                future.cancel()
            self._pool.close()

    # Handing out.

    def _hand_out(self) -> None:
        while len(self._flying) < self._limit and (queries := self._next_task()):
            self._submit(queries)

    @property
    def _limit(self) -> int:
        """Tasks under way at most; with a timeout none may wait, and a worker that hangs does not count."""
        workers = self._pool.workers
        if self._timeout is None:
            return workers if self._pool.has_queue else AHEAD * workers
        return max(1, workers - len(self._given_up))

    def _next_task(self) -> list[Query]:
        while self._ready:
            query = self._ready.pop()
            if not self._machine.told(query):  # else it was saved meanwhile
                return [query]
        if again := self._answers.take_waited():
            return [again]
        queries = self._machine.ask(self._task_size())
        alone = [query for query in queries if query.id in self._alone]
        if alone:
            queries = [query for query in queries if query.id not in self._alone]
            self._ready = alone
        return queries or ([self._ready.pop()] if self._ready else [])

    def _task_size(self) -> int:
        """Return how many pulls make a task; they get fewer towards the end of a round, so that none is waited for."""
        if (size := self._pool.pulls_per_task) is not None:
            return size
        share = (self._machine.owed - self._out) // (AHEAD * self._pool.workers)
        least, most = int(LEAST_SECONDS / self._seconds), int(TASK_SECONDS / self._seconds)
        return max(1, min(max(share, least), most, MOST_PULLS_PER_TASK))

    def _submit(self, queries: list[Query]) -> None:
        from concurrent.futures import BrokenExecutor

        work = Calls([self._answers.job(query) for query in queries], self._timeout)
        try:
            future = self._pool.submit(work)
        except BrokenExecutor as error:  # it broke since anything came back
            self._rebuild(error)
            future = self._pool.submit(work)
        if not self._out and self._pool.number == 0 and self._heard == -math.inf:
            self._begun = time.monotonic()
        self._flying[future] = Flight(queries, time.monotonic(), self._pool.number)
        self._out += len(queries)
        future.add_done_callback(self._landed.put)

    # Landing.

    def _wait(self) -> None:
        """Wait until a task is back, and take all that are; or until one is overdue, or a pull is to be made again."""
        due = min(map(self._due, self._flying.values()), default=math.inf)
        again = self._answers.seconds_left if len(self._flying) < self._limit else None
        soonest = min(due - time.monotonic(), math.inf if again is None else again)
        wait = max(0.0, min(soonest, LOOK_SECONDS, self._pool.poll_seconds))
        self._pool.poll()
        with contextlib.suppress(Empty):
            try:
                self._back.append(self._landed.get(timeout=wait))
            except Empty:
                self._say_if_nobody_works()
                raise
            if self._heard == -math.inf:
                self._heard = time.monotonic()
                if self._begun is not None:  # the first pool shows how long a new one may take
                    self._start_up = min(self._start_up, 2 * (self._heard - self._begun))
                    self._begun = None
            while True:
                self._back.append(self._landed.get_nowait())

    def _say_if_nobody_works(self) -> None:
        """Say once that a cluster has no workers; they may still come, so the run goes on waiting."""
        if self._heard == -math.inf and not self._warned and self._pool.is_without_workers:
            self._warned = True
            warnings.warn(
                "waiting for workers: the cluster has none. Start some, or stop this run: what was told is kept.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _due(self, flight: Flight) -> float:
        """Return when a task is overdue; until something came back, its workers may still have to start."""
        if self._timeout is None or self._pool.has_queue:
            return math.inf
        patience = GRACE_SECONDS if self._heard > -math.inf else GRACE_SECONDS + self._start_up
        return max(flight.since, self._heard) + self._timeout * len(flight.queries) + patience

    def _land(self) -> None:
        with self._keeper.together():
            while self._back:
                future = self._back.popleft()
                if future in self._given_up:
                    self._settle_late(self._given_up.pop(future), future)
                else:
                    self._settle(self._take(future), future)
            for future in [each for each, flight in self._flying.items() if self._due(flight) <= time.monotonic()]:
                self._give_up(future)
        if self._machine.saved > self._saved:
            self._saved = self._machine.saved
            self._call_off()

    def _call_off(self) -> None:
        """Let what is not needed any more and waits for a worker not be begun."""
        for future, flight in list(self._flying.items()):
            if not any(map(self._machine.counts, flight.queries)):
                future.cancel()

    def _take(self, future: Future[Any]) -> Flight:
        flight = self._flying.pop(future)
        self._out -= len(flight.queries)
        return flight

    def _settle(self, flight: Flight, future: Future[Any]) -> None:
        error = _error(future)
        if error is not None:
            self._apart(flight, error)
            return
        by, answers = future.result()
        for query, answer in zip(flight.queries, answers, strict=True):
            self._seconds += (max(answer.seconds, 1e-6) - self._seconds) / 8
            self._answers.settle(query, answer, by)

    def _settle_late(self, flight: Flight, future: Future[Any]) -> None:
        if _error(future) is None:
            by, answers = future.result()
            for query, answer in zip(flight.queries, answers, strict=True):
                self._answers.settle_late(query, answer, by)

    def _apart(self, flight: Flight, error: BaseException) -> None:
        """Deal with a task that failed as a whole: blame its pull if it has but one."""
        from concurrent.futures import BrokenExecutor

        if isinstance(error, KeyboardInterrupt):  # it reached the workers first
            raise error
        if isinstance(error, BrokenExecutor) and flight.pool == self._pool.number:
            self._rebuild(error)
        if isinstance(error, BrokenExecutor) and flight.pool in self._killed:
            for query in flight.queries:
                self._answers.retry(query, "its worker was ended together with one that took too long")
            return
        blame = self._answers.lose if self._pool.is_loss(error) else self._answers.fail
        for query in flight.queries:
            if len(flight.queries) == 1:
                blame(query, error)
            else:
                self._answers.retry(query, f"a task of {len(flight.queries)} pulls failed: {describe_error(error)}")
                self._alone.add(query.id)

    def _rebuild(self, error: BaseException) -> None:
        self._pool.rebuild(error)
        self._heard = -math.inf

    def _give_up(self, future: Future[Any]) -> None:
        """Stop waiting for an overdue task; its workers, if they are processes, are ended and replaced."""
        assert self._timeout is not None
        flight = self._take(future)
        self._given_up[future] = flight
        self._killed.add(flight.pool)
        self._pool.kill()
        self._apart(flight, took_too_long(self._timeout))

    def _keep_what_came_back(self) -> None:
        """Tell what is there when the run stops, as far as it is of use."""
        with contextlib.suppress(HeatsError), self._keeper.together():
            while not self._landed.empty():
                self._back.append(self._landed.get())
            for future in self._back:
                flight = self._flying.pop(future, None) or self._given_up.pop(future, None)
                if flight is not None:
                    self._settle_late(flight, future)


def _error(future: Future[Any]) -> BaseException | None:
    from concurrent.futures import CancelledError

    try:
        return future.exception()
    except CancelledError as error:
        return error
