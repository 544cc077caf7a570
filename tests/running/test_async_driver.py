"""find_best_async: any order of completion, any accident, in the caller's loop; the same bytes as one by one."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.machine import Query
from heats.errors import BadFeedback, ComparisonFailed, InvalidArgument
from heats.journal import JournalFile
from tests.journal.runs import BUDGET, N, find, lines, noisy, told
from tests.playing import recall

Awaited = Callable[..., Coroutine[Any, Any, Any]]


async def noisy_soon(heat: tuple[int, ...], query: Query) -> list[float]:
    await asyncio.sleep(0)
    return noisy(heat, query)


async def find_soon(journal: Any = None, **options: Any) -> heats.Found:
    """Run the small tournament the tests speak of."""
    asked: dict[str, Any] = {"budget": BUDGET, "heat_size": 3, "seed": 5, "strategy": "planned"} | options
    field, compare = range(asked.pop("n", N)), asked.pop("compare", noisy_soon)
    return await heats.find_best_async(field, compare, journal=journal, **asked)


def find_async(journal: Any = None, **options: Any) -> heats.Found:
    return asyncio.run(find_soon(journal, **options))


class Flaky:
    """Ends in any order, fails now and then in any way, and needs another attempt for some verdicts."""

    varies = True

    def __init__(self, chance: random.Random, failures: int) -> None:
        self.chance = chance
        self.failures = failures  # per pull, at most
        self.failed: Counter[int] = Counter()

    async def __call__(self, heat: tuple[int, ...], query: Query, attempt: int) -> Any:
        for _ in range(self.chance.randrange(9)):
            await asyncio.sleep(0)
        if self.failed[query.id] < self.failures and self.chance.random() < 0.3:
            self.failed[query.id] += 1
            return self.fail(len(heat))
        return judge(heat, query, attempt)

    def fail(self, size: int) -> list[float]:
        match self.chance.randrange(4):
            case 0:
                raise OSError("no connection")
            case 1:
                raise asyncio.CancelledError
            case 2:
                raise heats.errors.OutOfTurn("one of ours")
        return [float("nan")] * size


def judge(heat: tuple[int, ...], query: Query, attempt: int) -> Any:
    if (query.seed >> attempt) % 4 == 0:
        return heats.NoVerdict("unreadable")
    return noisy(heat, query)


judge.varies = True


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    concurrency=st.integers(1, 30),
    failures=st.integers(0, 3),
    options=st.sampled_from(
        [
            {"strategy": "planned"},
            {"strategy": "adaptive", "batches": 5},
            {"strategy": "csh", "record": "off", "early": True, "statistic": heats.win_rate},
            {"sure": 0.7},
        ]
    ),
)
def test_any_order_and_any_failures_give_the_same_run(
    seed: int, concurrency: int, failures: int, options: dict[str, Any]
) -> None:
    """As one by one without an accident."""
    played = {"strategy": None, "retries": 3, "backoff": None} | options
    flaky = Flaky(random.Random(seed), failures)
    found = find_async(compare=flaky, concurrency=concurrency, **played)
    assert recall(found.played) == recall(find(compare=judge, **played).played)


def test_the_bytes_are_those_of_find_best(tmp_path: Path) -> None:
    """Of the report; the journal holds every pull once."""
    path = tmp_path / "run.jsonl"
    assert find_async(path, concurrency=5).to_json() == find().to_json()
    assert sorted(told(path)) == list(range(24))
    assert find_async(path).to_json() == find(path).to_json() == find().to_json()  # each reads what the other kept


def test_it_runs_in_the_caller_s_loop() -> None:
    """Beside whatever else is there, and leaves nothing behind."""
    loops = set()

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        loops.add(asyncio.get_running_loop())
        return await noisy_soon(heat, query)

    async def main() -> None:
        one, two = await asyncio.gather(find_soon(compare=compare), find_soon(compare=compare, seed=6))
        assert (one.spent, two.spent) == (24, 24)
        assert loops == {asyncio.get_running_loop()}
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_places_are_taken_and_no_more() -> None:
    """As many comparisons are under way as may be, while there are enough to make."""
    under_way, most = 0, 0

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return noisy(heat, query)

    find_async(compare=compare, concurrency=4)
    assert most == 4


def test_comparisons_that_never_wait_leave_the_loop_to_others() -> None:
    """A server next to them still answers."""
    ticks = 0

    async def instant(heat: tuple[int, ...]) -> list[float]:
        return [float(x) for x in heat]

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    async def main() -> None:
        other = asyncio.create_task(tick())
        await heats.find_best_async(range(50), instant, plan=heats.plan(50, 4, 20_000, "csws"))
        other.cancel()

    asyncio.run(main())
    assert ticks > 5


def test_a_comparison_that_never_returns_is_cancelled(tmp_path: Path) -> None:
    """When its time is up; the run ends with the reason, and goes on when it is asked to."""
    cancelled = []

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        if query.id == 5:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(query.id)
                raise
        return noisy(heat, query)

    path = tmp_path / "run.jsonl"
    with pytest.raises(ComparisonFailed, match=r"\(pull 5\) failed: TimeoutError: it took longer than timeout=1 s"):
        find_async(path, compare=compare, timeout=1, retries=1, backoff=None)
    assert cancelled == [5, 5]
    assert find_async(path, timeout=30).to_json() == find().to_json()


def test_a_comparison_that_does_not_give_in_is_left_alone() -> None:
    """One that catches its cancellation and goes on holds nobody up, and what it says then does not count."""
    release = asyncio.Event()

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        while query.id == 5 and not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return noisy(heat, query)

    async def main() -> None:
        with pytest.raises(ComparisonFailed, match=r"\(pull 5\) failed: TimeoutError"):
            await find_soon(compare=compare, timeout=1)
        release.set()

    asyncio.run(main())


def test_a_late_answer_does_not_count() -> None:
    """One that blocks the loop for longer than its time is asked again, like one that is late elsewhere."""
    made: Counter[int] = Counter()

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        made[query.id] += 1
        if query.id == 5 and made[5] == 1:
            time.sleep(1.3)
            return [9.0] * len(heat)
        return noisy(heat, query)

    assert find_async(compare=compare, timeout=1, retries=3, backoff=None).to_json() == find().to_json()
    assert made[5] > 1


def test_a_comparison_that_is_cancelled_by_others_failed() -> None:
    """Its CancelledError is no reason to stop everything; a task of its own that is cancelled neither."""

    async def compare(heat: tuple[int, ...]) -> Any:
        inner = asyncio.ensure_future(asyncio.sleep(60))
        asyncio.get_running_loop().call_soon(inner.cancel)
        return await inner

    with pytest.raises(ComparisonFailed, match=r"CancelledError was raised, but nobody cancelled this run"):
        find_async(compare=compare)

    async def itself(heat: tuple[int, ...]) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with pytest.raises(ComparisonFailed, match=r"CancelledError was raised"):
        find_async(compare=itself)


def test_a_coroutine_is_no_answer() -> None:
    """An await was forgotten: it says so, and Python does not complain as well."""

    async def compare(heat: tuple[int, ...], query: Query) -> Any:
        return noisy_soon(heat, query)

    with pytest.raises(BadFeedback, match=r"compare returned something to await, .*: write return await"):
        find_async(compare=compare)


def test_a_plain_function_runs_in_threads() -> None:
    """So that it may block; as many as there are places."""
    threads = set()

    def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        threads.add(threading.current_thread().name)
        time.sleep(0.002)
        return noisy(heat, query)

    assert find_async(compare=compare, concurrency=3).to_json() == find().to_json()
    assert len(threads) == 3
    assert threading.main_thread().name not in threads


def test_a_plain_function_that_gives_a_coroutine_is_awaited() -> None:
    """As a lambda does, or a decorated one."""
    loops = []

    async def ask(heat: tuple[int, ...], query: Query) -> list[float]:
        loops.append(asyncio.get_running_loop())
        return noisy(heat, query)

    assert find_async(compare=lambda heat, query: ask(heat, query)).to_json() == find().to_json()
    assert len(set(loops)) == 1


def test_a_thread_that_hangs_is_left_behind() -> None:
    """Its pull is made again in another one, also if all hang."""
    release, made = threading.Event(), Counter[int]()

    def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        made[query.id] += 1
        if query.id < 2 and made[query.id] == 1:
            release.wait(60)
        return noisy(heat, query)

    try:
        found = find_async(compare=compare, timeout=1, retries=3, backoff=None, concurrency=2)
    finally:
        release.set()
    assert found.to_json() == find().to_json()


def test_what_a_thread_raises_comes_through() -> None:
    """StopIteration too, which no future takes."""

    def compare(heat: tuple[int, ...]) -> list[float]:
        raise StopIteration

    with pytest.raises(ComparisonFailed, match=r"failed: StopIteration") as failure:
        find_async(compare=compare)
    assert isinstance(failure.value.__cause__, StopIteration)


class Emergency(BaseException):
    """Not for anybody to catch."""


def test_what_is_no_ordinary_error_stops_the_run(tmp_path: Path) -> None:
    """It comes out as it is, and what had come back is kept."""

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        if query.id == 7:
            raise Emergency
        return await noisy_soon(heat, query)

    path = tmp_path / "run.jsonl"
    with pytest.raises(Emergency):
        find_async(path, compare=compare, retries=3)
    assert len(told(path)) >= 4
    assert find(path).to_json() == find().to_json()


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5, "8", None])
def test_impossible_concurrencies_are_refused(concurrency: Any) -> None:
    """Before anything is compared."""
    with pytest.raises(InvalidArgument, match="concurrency="):
        find_async(concurrency=concurrency)


def test_it_takes_all_that_find_best_takes() -> None:
    """But for the executor, in whose place there is concurrency; with the same defaults."""
    from inspect import signature

    one, two = dict(signature(heats.find_best).parameters), dict(signature(heats.find_best_async).parameters)
    assert one.pop("executor")
    assert two.pop("concurrency").default == 8
    assert list(one.values()) == list(two.values())


def test_cancellation_keeps_what_came_back(tmp_path: Path) -> None:
    """What is under way is cancelled and cleans up; the same call goes on."""
    path, cleaned, begun = tmp_path / "run.jsonl", [], []

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        begun.append(query.id)
        if query.id >= 6:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.01)
                cleaned.append(query.id)
        return noisy(heat, query)

    async def main() -> None:
        run = asyncio.create_task(find_soon(path, compare=compare, concurrency=3))
        while len(begun) < 9:
            await asyncio.sleep(0.001)
        run.cancel()
        with pytest.raises(asyncio.CancelledError) as stop:
            await run
        assert f"6 of 24 pulls are kept in {path}; do the same again to go on." in stop.value.__notes__
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert sorted(told(path)) == list(range(6))
    assert sorted(cleaned) == begun[6:]
    assert find_async(path).to_json() == find().to_json()


def test_a_timeout_of_the_caller_is_the_caller_s(tmp_path: Path) -> None:
    """asyncio.timeout around all of it ends it as it should."""

    async def compare(heat: tuple[int, ...]) -> list[float]:
        await asyncio.sleep(60)
        return [1.0] * len(heat)

    async def main() -> None:
        async with asyncio.timeout(0.05):
            await find_soon(compare=compare)

    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_a_failure_leaves_the_rest_told(tmp_path: Path) -> None:
    """Answers that came back with it are kept, those under way are cancelled."""

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        if query.id == 3:
            raise KeyError("no such model")
        return noisy(heat, query)

    path = tmp_path / "run.jsonl"
    with pytest.raises(ComparisonFailed, match=r"\(pull 3\) failed: KeyError: 'no such model'\. .* retries=0 allows"):
        find_async(path, compare=compare)
    assert set(told(path)) >= {0, 1, 2, 4}
    assert find_async(path).to_json() == find().to_json()


class Busy(Exception):
    """A service that says when to come back."""

    retry_after = 0.3


def test_others_go_on_while_one_waits(tmp_path: Path) -> None:
    """Even in a single place: the pull that failed is made again when its time has come."""
    made: list[tuple[int, float]] = []

    async def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        made.append((query.id, time.monotonic()))
        if query.id == 0 and [number for number, _ in made].count(0) == 1:
            raise Busy
        return noisy(heat, query)

    path = tmp_path / "run.jsonl"
    assert find_async(path, compare=compare, retries=1, concurrency=1).to_json() == find().to_json()
    first, again = (when for number, when in made if number == 0)
    assert again - first >= 0.3
    assert [number for number, _ in made].index(0, 1) > 1
    assert [line["why"] for line in lines(path) if line["event"] == "requeued"] == ["Busy: "]


def test_waiting_can_be_cancelled() -> None:
    """Nobody has to sit out a wait of an hour."""

    async def compare(heat: tuple[int, ...]) -> Any:
        raise OSError

    async def main() -> None:
        async with asyncio.timeout(0.05):
            await find_soon(compare=compare, retries=9, backoff=(3600, 3600))

    with pytest.raises(TimeoutError):
        asyncio.run(main())


KILLS = 20


def test_killed_at_many_moments(tmp_path: Path) -> None:
    """A real process, killed with SIGKILL and started again until it is done: the same bytes, no pull twice."""
    options: dict[str, Any] = {"n": 20, "budget": 150}
    expected, moments, kills, runs = recall(find(**options).played), random.Random(2), 0, 0
    while kills < KILLS:
        path = tmp_path / f"run-{runs}.jsonl"
        sync: Any = ("each", "grouped", "system")[runs % 3]
        while not _finishes(JournalFile(path, sync=sync), options, after=moments.randrange(4000)):
            kills += 1
        assert recall(find(path, **options).played) == expected
        assert sorted(told(path)) == list(range(150))
        runs += 1


async def noisy_later(heat: tuple[int, ...], query: Query) -> list[float]:
    await asyncio.sleep(query.seed % 7 / 2000)
    return noisy(heat, query)


def _finishes(journal: JournalFile, options: dict[str, Any], after: int) -> bool:
    """Run in a process of its own that is killed after so many more bytes; return whether it was done before."""
    path = Path(journal.path)
    limit = after + (path.stat().st_size if path.exists() else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none of them
        child = os.fork()
    if not child:
        try:
            find_async(journal, compare=noisy_later, concurrency=6, **options)
            os._exit(0)
        finally:
            os._exit(1)
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended:
        if path.exists() and path.stat().st_size >= limit:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.0005)
        ended, status = os.waitpid(child, os.WNOHANG)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)
