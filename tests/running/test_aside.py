"""Plain functions are called beside the loop, and nobody has to wait for one that hangs."""

from __future__ import annotations

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
import time
import warnings

import pytest

from heats.running import aside
from heats.running.aside import call_aside

HANGS = """
import asyncio, heats, time

def hang(heat):
    time.sleep(3600)

async def main():
    try:
        await heats.find_best_async(range(5), hang, budget=10, timeout=0.05)
    except heats.errors.ComparisonFailed:
        print("gave up")

asyncio.run(main())
"""


def test_a_program_ends_though_a_thread_hangs() -> None:
    """A comparison that never returns does not keep Python from ending."""
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "gave up\n"


def test_threads_are_used_again() -> None:
    """As many as there is work for at once; what a thread keeps for itself, a connection say, is kept."""

    async def call() -> list[int]:
        together = threading.Barrier(3, timeout=20)

        def meet() -> int:
            together.wait()
            return threading.get_ident()

        found = []
        for _ in range(5):
            found += await asyncio.gather(*(call_aside(meet) for _ in range(3)))
        return found

    assert len(set(asyncio.run(call()))) == 3


def test_threads_that_nobody_needs_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while."""
    monkeypatch.setattr(aside, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(aside, "_threads", aside.Threads())
    thread = asyncio.run(call_aside(threading.current_thread))
    thread.join(20)
    assert not thread.is_alive()
    assert asyncio.run(call_aside(threading.current_thread)) is not thread


def test_what_is_raised_and_what_is_set_come_along() -> None:
    """Errors, StopIteration among them, and context variables."""
    who = contextvars.ContextVar("who", default="nobody")

    def stop() -> None:
        raise KeyError("here")

    async def call() -> str:
        who.set("ann")
        with pytest.raises(KeyError, match="here"):
            await call_aside(stop)
        return str(await call_aside(who.get))

    assert asyncio.run(call()) == "ann"


def test_one_that_is_given_up_bothers_nobody() -> None:
    """Neither its loop, nor one that is there after it was closed."""
    release = threading.Event()

    async def call(wait: float) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call_aside(release.wait, 20)
        await asyncio.sleep(wait)

    asyncio.run(call(0))
    release.set()
    assert asyncio.run(call_aside(sum, [1, 2])) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_has_its_own() -> None:
    """Threads stay behind, and nobody hands work to them."""
    asyncio.run(call_aside(time.sleep, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            os._exit(asyncio.run(asyncio.wait_for(call_aside(int, "7"), 20)))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
