"""A plain function that may block → something to await: it is called in a thread beside the loop.

A thread that hangs cannot be stopped. So these are in no pool of ``concurrent.futures``: that would count it among its
workers, and Python would wait for it before it ends, for ever if need be.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

IDLE_SECONDS = 10.0  # after which a thread that nobody needs ends

Work: TypeAlias = tuple[Callable[[], Any], Callable[[Any, BaseException | None], object]]  # to call; to hand it to


async def call_aside(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a thread, and return or raise what it does; given up, it goes on, and nobody listens."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def land(said: Any, error: BaseException | None) -> None:
        if not over.done():  # else it was given up
            over.set_result((said, error))

    def hand_over(said: Any, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody awaits anything any more
            loop.call_soon_threadsafe(land, said, error)

    _threads.take((partial(copy_context().run, function, *arguments), hand_over))
    said, error = await over
    if error is not None:
        raise error
    return said


class Threads:
    """Threads that work for whoever comes, as many as there is work for at once; each ends when nobody comes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._idle: list[SimpleQueue[Work]] = []  # where each that has nothing to do waits; who came last is first
        self._numbers = count()

    def take(self, work: Work) -> None:
        """Have something done, at once."""
        with self._guard:
            waiting = self._idle.pop() if self._idle else None
        if waiting is None:
            waiting = SimpleQueue()
            name = f"aside_{next(self._numbers)}"
            threading.Thread(target=self._serve, args=(waiting,), name=name, daemon=True).start()
        waiting.put(work)

    def _serve(self, waiting: SimpleQueue[Work]) -> None:
        while True:
            try:
                work = waiting.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._guard:
                    if waiting in self._idle:  # else work is on its way
                        self._idle.remove(waiting)
                        return
            else:
                self._do(work, waiting)
                del work  # whatever it holds is not ours to keep

    def _do(self, work: Work, waiting: SimpleQueue[Work]) -> None:
        said, error = None, None
        try:
            said = work[0]()
        except BaseException as raised:  # whatever it is, it is for whoever awaits it
            error = raised
        with self._guard:
            self._idle.append(waiting)  # first, so that what is handed over finds a thread that is free
        work[1](said, error)


_threads = Threads()


def _begin_anew() -> None:
    """Forget threads that stayed with the process this one was forked from."""
    global _threads
    _threads = Threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
