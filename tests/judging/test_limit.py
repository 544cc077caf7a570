"""The rate holds at the server, whoever calls, and what was kept is no call."""

from __future__ import annotations

import asyncio
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.judging import Judge, Limit
from tests.judging.servers import Server, serve

CALLS, SECONDS, AT_ONCE = 12, 0.25, 4


def test_threads_keep_to_a_limit() -> None:
    """Counted at the server: in no time span more than allowed, and at once neither."""
    limit, ready = Limit(CALLS, SECONDS, AT_ONCE), threading.Barrier(12)

    def call(number: int) -> None:
        if number < 12:
            ready.wait()
        with limit.hold():
            server.ask(f"{number}")

    with serve(Server(latency=0.005)) as server, ThreadPoolExecutor(12) as pool:
        list(pool.map(call, range(40)))
    check(server, 40)


def test_coroutines_keep_to_a_limit() -> None:
    """As threads do; calls that fail count, too, and one that is cancelled gives its place back."""
    limit = Limit(CALLS, SECONDS, AT_ONCE)

    async def call(number: int) -> None:
        async with limit.hold_async():
            await server.ask_async(f"{number}")
            if number % 3 == 0:
                raise OSError("gone")

    async def call_all() -> None:
        given_up = [asyncio.ensure_future(call(number)) for number in range(100, 110)]
        tasks = [asyncio.ensure_future(call(number)) for number in range(40)]
        await asyncio.sleep(0)
        for each in given_up:
            each.cancel()
        await asyncio.gather(*tasks, *given_up, return_exceptions=True)

    with serve(Server(latency=0.005)) as server:
        asyncio.run(call_all())
    check(server, 40)


def check(server: Server, calls: int) -> None:
    assert len(server.asked) >= calls
    assert server.most_within(SECONDS) <= CALLS
    assert server.most_at_once <= AT_ONCE


def test_a_limit_of_one_kind_leaves_the_other_open() -> None:
    """So many at once, as often as they like; or so many in a minute, all at once."""
    with serve(Server()) as server:
        some = Limit(at_once=2)
        for number in range(20):
            with some.hold():
                server.ask(f"{number}")
        many = Limit(calls=20)
        with ThreadPoolExecutor(20) as pool:
            for number in range(20):
                pool.submit(ask_within, many, server, number)
    assert len(server.asked) == 40


def ask_within(limit: Limit, server: Server, number: int) -> None:
    with limit.hold():
        server.ask(f"{number}")


def test_what_was_kept_is_no_call(tmp_path: Path) -> None:
    """A run that only reads its cache needs no place of a limit that has none to give."""

    def ask(text: str) -> str:
        return "A" if len(text) % 2 else "B"

    found = [
        heats.find_best(
            list("abcdef"), Judge(ask, cache=tmp_path / "c.db", name="x", limit=limit), budget=20, heat_size=2
        )
        for limit in (None, Limit(calls=1, seconds=1e9))
    ]
    assert found[0].to_json() == found[1].to_json()
    assert found[0].judging is not None
    assert found[1].judging is not None
    assert found[1].judging.calls == 0
    assert found[1].judging.cache_hits == 20


@pytest.mark.parametrize("wrong", [{}, {"calls": 0}, {"calls": 1.5}, {"at_once": 0}, {"calls": 1, "seconds": 0}])
def test_limits_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    """And named."""
    with pytest.raises(heats.errors.InvalidArgument):
        Limit(**wrong)


def test_a_limit_does_not_travel() -> None:
    """Each process would have its own, and together they would exceed it."""
    with pytest.raises(heats.errors.InvalidArgument, match="one process"):
        pickle.dumps(Judge(str, limit=Limit(calls=1)))
