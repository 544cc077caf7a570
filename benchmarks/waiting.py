"""Comparisons that wait for somebody else: how close to the ideal time, and what an awaited one costs."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import heats
from benchmarks.measure import Row, seconds

WAIT = 0.05  # seconds of a comparison
PLACES = 20
PLAN = heats.plan(40, 2, 200, "csws")
CHEAP = heats.plan(100, 4, 10**5)


def rows() -> Iterator[Row]:
    """Measure everything."""
    yield from _waiting()
    yield from _instant()


async def _find(compare: Callable[..., object], plan: heats.Plan) -> None:
    """Find the best, and return nothing: asyncio.run makes a text of what is returned, which takes a report."""
    await heats.find_best_async(range(plan.n_arms), compare, plan=plan, concurrency=PLACES)


def _answer(heat: tuple[int, ...]) -> list[float]:
    return [float(value) for value in heat]


async def _answer_async(heat: tuple[int, ...]) -> list[float]:
    return _answer(heat)


def _wait(heat: tuple[int, ...]) -> list[float]:
    time.sleep(WAIT)
    return _answer(heat)


async def _wait_async(heat: tuple[int, ...]) -> list[float]:
    await asyncio.sleep(WAIT)
    return _answer(heat)


def _waiting() -> Iterator[Row]:
    """Compare with the ideal: pulls of a round are made at once, those of the next one not before."""
    ideal = WAIT * sum(math.ceil(each.heats * each.pulls / PLACES) for each in PLAN.rounds)
    what = f"{PLAN.cost} comparisons of 50 ms, {PLACES} at once, times the ideal {ideal:.2f} s"

    def threads() -> None:
        with ThreadPoolExecutor(PLACES) as pool:
            heats.find_best(range(PLAN.n_arms), _wait, plan=PLAN, executor=pool)

    def awaited() -> None:
        asyncio.run(_find(_wait_async, PLAN))

    def in_threads() -> None:
        asyncio.run(_find(_wait, PLAN))

    for name, work in {"awaited": awaited, "a thread pool": threads, "plain function, awaited": in_threads}.items():
        yield Row(f"{what}: {name}", f"{seconds(work, 3) / ideal:.2f}", "≤ 1.2")


def _instant() -> Iterator[Row]:
    ours = seconds(lambda: asyncio.run(_find(_answer_async, CHEAP)), 3)
    plain = seconds(lambda: heats.find_best(range(CHEAP.n_arms), _answer, plan=CHEAP), 3)
    each = f"{ours / CHEAP.cost * 1e6:.0f} µs over {plain / CHEAP.cost * 1e6:.0f} µs"
    yield Row(f"{CHEAP.cost} instant comparisons, awaited over find_best ({each} each)", f"{ours / plain:.2f}", "≤ 3")
