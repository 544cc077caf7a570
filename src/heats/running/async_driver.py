"""Run a machine to its end in the caller's event loop: several comparisons are awaited at once.

A *place* is a task of the loop that makes one pull after the other until there is none to make; there are as many as
comparisons may be under way. What comes back is told together, by the one that drives. Nothing here starts a loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable
from typing import Any

from heats.base.worker import name_this_worker
from heats.engine.machine import Query
from heats.errors import HeatsError
from heats.running.aside import call_aside
from heats.running.calls import Answer, Calls, Job, took_too_long
from heats.running.comparison import Comparison
from heats.running.driver import GRACE_SECONDS
from heats.running.lookout import Lookout
from heats.running.outcomes import Outcomes
from heats.running.preparing import Prepared

HOLD_SECONDS = 0.01  # for which comparisons that never wait may keep the loop from everybody else


async def drive_async(run: Prepared, concurrency: int) -> None:
    """Make all pulls the machine asks for, ``concurrency`` at once, and tell them.

    An error or a cancellation stops the run: what is under way is cancelled, and what had come back is told.
    """
    assert isinstance(run.task, Comparison)
    await Places(run, concurrency, Asker(run.task, run.timeout)).run()


class Asker:
    """Has ``compare`` answer in its time: a coroutine function in this loop, a plain function in a thread."""

    def __init__(self, task: Comparison, timeout: float | None) -> None:
        self.is_stopping = False  # whoever is cancelled from then on is cancelled by us
        self._task = task
        self._timeout = timeout
        self._here = name_this_worker()

    async def ask(self, query: Query, attempt: int) -> tuple[str, Answer]:
        """Return who answered, and what came of the pull."""
        start, by = time.perf_counter(), self._here
        value: Any = None
        failure: Exception | None = None
        try:
            function, arguments = call = self._task.call(query, attempt)
            if self._task.is_awaited:
                said = await self._in_time(function(*arguments))
            else:
                by, said, failure = await self._in_time(self._ask_thread(call))
            value = self._task.read(said, query) if failure is None else None
        except asyncio.CancelledError:
            if self.is_stopping:
                raise
            failure = RuntimeError("CancelledError was raised, but nobody cancelled this run")
        except Exception as error:  # whatever the user's comparison raises
            failure = error
        seconds = time.perf_counter() - start
        if failure is None and self._timeout is not None and seconds > self._timeout:
            failure = took_too_long(self._timeout)  # it kept the loop busy, so that nobody could stop it
        return by, Answer(value, failure, seconds)

    async def _in_time(self, answer: Awaitable[Any]) -> Any:
        """Await an answer, and cancel it when its time is up."""
        if self._timeout is None:
            return await answer
        task = asyncio.ensure_future(answer)
        try:
            await asyncio.wait([task], timeout=self._timeout)
            is_late = not task.done()
        finally:
            await _cancel(task)
        if is_late:
            raise took_too_long(self._timeout)
        return task.result()

    async def _ask_thread(self, call: Job) -> tuple[str, Any, Exception | None]:
        """Call in a thread, and return who answered what, or the error; what is only to be awaited is awaited here."""
        by, [(said, error, _)] = await call_aside(Calls([call]))
        return by, await said if hasattr(said, "__await__") else said, error


class Places:
    """All that is under way in the loop."""

    def __init__(self, run: Prepared, concurrency: int, asker: Asker) -> None:
        self._machine = run.machine
        self._keeper = run.keeper
        self._watch = run.watch
        self._answers = Outcomes(run.machine, run.task, run.keeper, run.retries, run.backoff)
        self._lookout = Lookout(run.machine, run.keeper, run.sure)
        self._asker = asker
        self._concurrency = concurrency
        self._taken: set[asyncio.Task[None]] = set()
        self._back: deque[tuple[Query, Answer, str]] = deque()  # came back, and not told yet
        self._news = asyncio.Event()  # something came back, or a place is free
        self._error: BaseException | None = None  # that a place ended with
        self._landed = 0.0  # when the loop was last let go

    async def run(self) -> None:
        """Keep the places taken until the machine is done."""
        self._lookout.look()
        try:
            while not self._machine.done:
                self._fill()
                await self._wait()
                self._land()
        except BaseException as error:
            try:
                if not isinstance(error, GeneratorExit):  # else there is no loop any more to wait in
                    await self._stop()
            finally:
                self._keep_what_came_back()
            raise
        await self._stop()

    def _fill(self) -> None:
        while len(self._taken) < self._concurrency and (query := self._answers.ask()):
            place = asyncio.create_task(self._make_pulls(query))
            self._taken.add(place)
            place.add_done_callback(self._leave)

    async def _make_pulls(self, query: Query | None) -> None:
        """Make a pull, and another one as long as there is one to make."""
        while query is not None and not self._asker.is_stopping:
            by, answer = await self._asker.ask(query, self._answers.count_attempts(query))
            self._back.append((query, answer, by))
            self._news.set()
            if time.perf_counter() - self._landed > HOLD_SECONDS:
                await asyncio.sleep(0)
            query = self._answers.ask()

    def _leave(self, place: asyncio.Task[None]) -> None:
        self._taken.discard(place)
        self._error = self._error or (None if place.cancelled() else place.exception())
        self._news.set()

    async def _wait(self) -> None:
        """Wait until something came back, or until a pull is to be made again that had failed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._answers.seconds_left if len(self._taken) < self._concurrency else None):
                await self._news.wait()
        self._news.clear()

    def _land(self) -> None:
        """Tell all that came back."""
        if self._error is not None:
            raise self._error
        with self._keeper.together():
            while self._back:
                self._answers.settle(*self._back.popleft())
        self._lookout.look()
        self._watch()
        self._landed = time.perf_counter()

    async def _stop(self) -> None:
        """Cancel what is under way, and wait until it has cleaned up."""
        self._asker.is_stopping = True
        for place in self._taken:
            place.cancel()
        if self._taken:
            await asyncio.wait(self._taken)

    def _keep_what_came_back(self) -> None:
        """Tell what is there when the run stops, as far as it is of use."""
        with contextlib.suppress(HeatsError), self._keeper.together():
            while self._back:
                self._answers.settle_late(*self._back.popleft())


async def _cancel(task: asyncio.Future[Any]) -> None:
    """Cancel what is not done, and give it a moment to end; one that does not give in is left alone."""
    if not task.done():
        task.cancel()
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody else will ask for it
        await asyncio.wait([task], timeout=GRACE_SECONDS)
