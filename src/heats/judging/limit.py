"""How often somebody's server may be called: at most so many calls within any minute, and so many at once."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NoReturn

from heats.base.checks import between, whole
from heats.errors import InvalidArgument


class Limit:
    """At most ``calls`` within any ``seconds``, a minute if nothing else is said, and at most ``at_once`` under way.

    A call takes its place until ``seconds`` after it *ended*: so the rate holds at the server, however long calls
    travel. One limit may be shared by several judges; it holds within one process.
    """

    def __init__(self, calls: int | None = None, seconds: float = 60, at_once: int | None = None) -> None:
        if calls is None and at_once is None:
            raise InvalidArgument("a limit needs a number: Limit(calls=60) a minute, or Limit(at_once=4).")
        self._calls = None if calls is None else whole("calls", calls, 1)
        self._seconds = between("seconds", seconds, 0, 1e9, open_low=True)
        self._at_once = math.inf if at_once is None else whole("at_once", at_once, 1)
        self._changed = threading.Condition()
        self._under_way = 0
        self._ended: deque[float] = deque()  # when, within the last seconds
        self._bells: list[Callable[[], object]] = []  # of coroutines that wait

    def __reduce__(self) -> NoReturn:
        raise InvalidArgument(
            "a limit holds within one process, so a judge that has one cannot be sent to others; use threads, or "
            "find_best_async."
        )

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for a place, and have it for a call."""
        with self._changed:
            while wait := self._take():
                self._changed.wait(None if wait == math.inf else wait)
        try:
            yield
        finally:
            self._leave()

    @contextlib.asynccontextmanager
    async def hold_async(self) -> AsyncIterator[None]:
        """Do the same without keeping others of this thread from going on."""
        while True:
            bell, loop = asyncio.Event(), asyncio.get_running_loop()
            with self._changed:
                if not (wait := self._take()):
                    break
                self._bells.append(lambda loop=loop, bell=bell: loop.call_soon_threadsafe(bell.set))  # type: ignore[misc]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if wait == math.inf else wait):
                    await bell.wait()
        try:
            yield
        finally:
            self._leave()

    def _take(self) -> float:
        """Take a place and return 0; or return how long there will be none, if nothing ends before."""
        now = time.monotonic()
        while self._ended and self._ended[0] + self._seconds <= now:
            self._ended.popleft()
        if self._under_way >= self._at_once:
            return math.inf
        if self._calls is not None and self._under_way + len(self._ended) >= self._calls:
            return self._ended[0] + self._seconds - now if self._ended else math.inf
        self._under_way += 1
        return 0

    def _leave(self) -> None:
        with self._changed:
            self._under_way -= 1
            if self._calls is not None:
                self._ended.append(time.monotonic())
            self._changed.notify_all()
            bells, self._bells = self._bells, []
        for ring in bells:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                ring()
