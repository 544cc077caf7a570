"""The driver: any executor, any order, any accident; the same report."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import BadFeedback, ComparisonFailed, InvalidArgument
from heats.running import driver
from heats.running.calls import Calls
from heats.running.outcomes import Noted
from tests.journal.runs import find, lines, noisy, told

SMALL: dict[str, Any] = {"n": 20, "budget": 150}


def slowly(heat: tuple[int, ...], query: heats.Query) -> list[float]:
    time.sleep(0.03)
    return noisy(heat, query)


class Scrambled(Executor):
    """Runs what it is given, later, and gives it back in any order."""

    def __init__(self, seed: int, workers: int) -> None:
        self._max_workers = workers
        self._draw = random.Random(seed)
        self._waiting: list[tuple[Future[Any], Any]] = []
        self._lock = threading.Lock()
        self.tasks: list[int] = []
        self.most = 0

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks.append(len(function.jobs))
        self._waiting.append((future, function))
        self.most = max(self.most, len(self._waiting))
        if len(self._waiting) == self._max_workers or self._draw.random() < 0.2:
            threading.Timer(0.001, self._run).start()
        else:
            threading.Timer(0.01, self._run).start()
        return future

    def _run(self) -> None:
        with self._lock:
            while self._waiting:
                future, function = self._waiting.pop(self._draw.randrange(len(self._waiting)))
                future.set_result(function())


@pytest.mark.parametrize("workers", [1, 2, 64])
def test_any_order_of_completion(workers: int, tmp_path: Path) -> None:
    """With query.seed the report is the same to the byte, and every pull is told once."""
    expected = find(**SMALL).to_json()
    path = tmp_path / "run.jsonl"
    assert find(path, executor=Scrambled(workers, workers), **SMALL).to_json() == expected
    assert sorted(told(path)) == list(range(150))


def test_threads_and_processes_agree(tmp_path: Path) -> None:
    """One thread, four threads, two processes."""
    expected = find(**SMALL).to_json()
    for workers in (1, 4):
        with ThreadPoolExecutor(workers) as pool:
            assert find(tmp_path / f"{workers}.jsonl", executor=pool, **SMALL).to_json() == expected
    with ProcessPoolExecutor(2) as processes:
        assert find(tmp_path / "processes.jsonl", executor=processes, **SMALL).to_json() == expected
    by = {line["by"] for line in lines(tmp_path / "processes.jsonl") if line["event"] == "told"}
    assert 1 <= len(by) <= 2
    assert not [who for who in by if who.endswith(f":{os.getpid()}")]


def test_cheap_pulls_share_tasks() -> None:
    """By measured duration: many cheap ones together, slow ones alone; at the end of a round they are shared out."""
    cheap = Scrambled(1, 2)
    find(executor=cheap, n=50, budget=4000)
    assert max(cheap.tasks) > 50
    assert len(cheap.tasks) < 800
    assert cheap.most <= 2 * driver.AHEAD  # and never more of them at once, whatever they hold
    slow = Scrambled(1, 2)
    find(executor=slow, compare=slowly, n=6, budget=20)
    assert slow.tasks == [1] * 20


def test_what_travels_is_one_object() -> None:
    """Clusters look into arguments, and take equal calls for the same; neither may happen to a pull."""
    one, two = Calls([(max, ((1, 2),))]), Calls([(max, ((1, 2),))])
    assert pickle.dumps(one) != pickle.dumps(two)
    who, [answer] = pickle.loads(pickle.dumps(one))()
    assert (answer.value, answer.error) == (2, None)
    assert who.endswith(f":{os.getpid()}")


class Odd(Exception):
    """An error that can be pickled, but not read back."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"odd {one} {two}")


def odd(heat: tuple[int, ...]) -> list[float]:
    raise Odd(1, 2)


def test_an_error_of_another_process_comes_home() -> None:
    """Also one that cannot travel, and with its traceback."""
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(ComparisonFailed, match="Odd: odd 1 2") as failure:
            find(compare=odd, executor=pool)
        assert failure.value.__cause__ is not None
        assert "in odd\n" in failure.value.__cause__.__notes__[0]


def unpicklable(heat: tuple[int, ...], query: heats.Query) -> Any:
    return (lambda: 1) if query.id == 40 else noisy(heat, query)


def test_an_answer_that_cannot_travel_is_blamed_alone() -> None:
    """Its task is taken apart, the others of it count."""
    with ProcessPoolExecutor(2) as pool, pytest.raises(ComparisonFailed, match=r"\(pull 40\) failed: .*pickle"):
        find(compare=unpicklable, executor=pool, **SMALL)


def deadly(heat: tuple[int, ...], query: heats.Query) -> list[float]:
    if query.id == 40:
        os._exit(9)
    return noisy(heat, query)


def deadly_once(heat: tuple[Path, ...], query: heats.Query) -> list[float]:
    mark = heat[0].parent / f"killed-{query.id}"
    if query.id in (3, 40, 90) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return [float(len(each.name)) + random.Random(query.seed).random() for each in heat]


def test_a_dead_process_is_replaced(tmp_path: Path) -> None:
    """The pulls under way are made again in a new pool; whoever kills it again and again stops the run."""
    field = [tmp_path / ("x" * (i + 1)) for i in range(20)]
    path = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"budget": 150, "names": [each.name for each in field]}
    with ProcessPoolExecutor(2) as pool:
        found = heats.find_best(field, deadly_once, executor=pool, journal=path, **options)
    assert found.to_json() == heats.find_best(field, deadly_once, **options).to_json()
    assert sorted(told(path)) == list(range(150))
    assert "BrokenProcessPool" in next(line["why"] for line in lines(path) if line["event"] == "requeued")
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(ComparisonFailed, match=r"\(pull \d+\) failed: BrokenProcessPool"),
    ):
        find(tmp_path / "other.jsonl", compare=deadly, executor=pool, **SMALL)
    assert find(tmp_path / "other.jsonl", **SMALL).to_json() == find(**SMALL).to_json()


def refuse() -> None:
    raise RuntimeError("no licence")


@pytest.mark.filterwarnings("ignore")
def test_an_executor_that_cannot_be_mended_stops_the_run() -> None:
    with ThreadPoolExecutor(1, initializer=refuse) as pool, pytest.raises(ComparisonFailed, match="the executor broke"):
        find(executor=pool)


class Cancelling(Executor):
    """Cancels every third task, as a cluster that loses a worker may."""

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.submitted += 1
        future: Future[Any] = Future()
        if self.submitted % 3 == 0:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(function())
        return future


def test_cancelled_futures_are_made_again(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    assert find(path, executor=Cancelling(), retries=5, **SMALL).to_json() == find(**SMALL).to_json()
    assert any("CancelledError" in line.get("why", "") for line in lines(path))


class Losing(Executor):
    """Loses the worker that has the pull 0, so many times."""

    pulls_per_task = 1

    def __init__(self, times: int) -> None:
        self.left = times
        self.attempts = 0

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if any(isinstance(each, heats.Query) and each.id == 0 for each in function.jobs[0][1]):
            self.attempts += 1
            self.left -= 1
            if self.left >= 0:
                future.cancel()
                future.set_running_or_notify_cancel()
                return future
        future.set_result(function())
        return future


@pytest.mark.parametrize("retries", [0, 1, 2, 4])
def test_a_pull_whose_workers_are_lost_is_tried_once_more_or_as_often_as_one_that_fails(retries: int) -> None:
    """Not for ever: the pull itself may be what kills them."""
    limit = max(1, retries)
    surviving = Losing(limit)
    assert find(executor=surviving, retries=retries, **SMALL).to_json() == find(**SMALL).to_json()
    assert surviving.attempts == limit + 1
    deadly = Losing(50)
    with pytest.raises(ComparisonFailed, match=f"It failed {limit + 1} times, and retries={retries} allows no more"):
        find(executor=deadly, retries=retries, **SMALL)
    assert deadly.attempts == limit + 1


def hangs(heat: tuple[int, ...], query: heats.Query) -> list[float]:
    if query.id == 5:
        time.sleep(60)
    return noisy(heat, query)


@pytest.mark.parametrize("where", ["here", "processes", "threads"])
def test_a_comparison_that_hangs(where: str, tmp_path: Path) -> None:
    """It is stopped where that is possible, given up elsewhere; the run ends with the reason, and can be resumed."""
    release = threading.Event()

    def waits(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == 5:
            release.wait(60)
        return noisy(heat, query)

    pools = {"here": None, "processes": ProcessPoolExecutor(2), "threads": ThreadPoolExecutor(2)}
    pool, path, start = pools[where], tmp_path / "run.jsonl", time.monotonic()
    compare = waits if where == "threads" else hangs
    try:
        with pytest.raises(ComparisonFailed, match=r"\(pull 5\) failed: TimeoutError: it took longer than timeout=1 s"):
            find(path, compare=compare, executor=pool, timeout=1)
        assert time.monotonic() - start < 40
    finally:
        release.set()
        for each in pools.values():
            if each is not None:
                each.shutdown()
    assert find(path).to_json() == find().to_json()


def test_an_executor_that_takes_no_work_stops_the_run() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(ComparisonFailed, match="the executor took no work: RuntimeError: cannot schedule new futures"):
        find(executor=pool)


class Starting(Executor):
    """Takes a while until its workers are there, as a cluster does."""

    def __init__(self) -> None:
        self._max_workers = 2
        self._pool = ThreadPoolExecutor(2)
        self._begun = False

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        if not self._begun:
            self._begun = True
            for _ in range(2):
                self._pool.submit(time.sleep, 3)
        return self._pool.submit(function)


def test_a_cluster_that_starts_is_not_late(tmp_path: Path) -> None:
    """Time counts from the first answer on."""
    path = tmp_path / "run.jsonl"
    assert find(path, executor=Starting(), timeout=1.5).to_json() == find().to_json()
    assert not [line for line in lines(path) if line["event"] == "requeued"]


def stubborn(heat: tuple[Path, ...], query: heats.Query) -> list[float]:
    mark = heat[0].parent / "stuck"
    if query.id == 5 and not mark.exists():
        mark.touch()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(60)
    return [float(len(each.name)) for each in heat]


def test_a_process_that_cannot_be_stopped_is_ended(tmp_path: Path) -> None:
    """As one stuck in foreign code; the others of the pool are replaced with it."""
    field = [tmp_path / ("x" * (i + 1)) for i in range(9)]
    names = [each.name for each in field]
    with ProcessPoolExecutor(2) as pool:
        found = heats.find_best(
            field, stubborn, budget=24, heat_size=3, executor=pool, timeout=1, retries=1, names=names
        )
    assert found.winner == field[-1]


def slow_beside(heat: tuple[Path, ...], query: heats.Query) -> list[float]:
    """Get stuck in foreign code once, while other pulls are slow but in time."""
    mark = heat[0].parent / f"stuck {query.id}"
    if query.id == 1 and not mark.exists():
        mark.touch()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(60)
    time.sleep(0.3)
    return [float(len(each.name)) for each in heat]


def test_who_is_ended_with_a_stuck_one_is_not_blamed(tmp_path: Path) -> None:
    """And new workers get the time that the first ones needed to start, not a minute."""
    field, path, start = [tmp_path / ("x" * (i + 1)) for i in range(9)], tmp_path / "run.jsonl", time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        heats.find_best(
            field,
            slow_beside,
            budget=24,
            heat_size=3,
            strategy="planned",  # a batch may be too small to have a neighbour under way
            executor=pool,
            timeout=2,
            retries=1,
            journal=path,
            names=[each.name for each in field],
        )
    assert time.monotonic() - start < 50
    again = {line["id"]: line["why"] for line in lines(path) if line["event"] == "requeued"}
    assert "TimeoutError" in again.pop(1)
    assert set(again.values()) == {"its worker was ended together with one that took too long"}


def test_a_late_answer_is_noted(tmp_path: Path) -> None:
    """The one in time counts; in the journal is what the other one said."""
    release, asked = threading.Event(), []

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == 2:
            asked.append(query)
            if len(asked) == 1:
                release.wait(30)
                return [9.0] * len(heat)
        if query.id == 20:
            release.set()
            time.sleep(0.1)
        return noisy(heat, query)

    path = tmp_path / "run.jsonl"
    with ThreadPoolExecutor(2) as pool:
        found = find(path, compare=compare, executor=pool, timeout=1, retries=1)
    assert found.to_json() == find().to_json()
    assert len(asked) == 2
    [late] = [line for line in lines(path) if line["event"] == "late"]
    assert (late["id"], late["feedback"]) == (2, [9.0, 9.0, 9.0])
    [requeued] = [line for line in lines(path) if line["event"] == "requeued"]
    assert (requeued["id"], requeued["why"]) == (2, "TimeoutError: it took longer than timeout=1 seconds")
    assert sorted(told(path)) == list(range(24))


@pytest.mark.parametrize("seconds", [1.3, 2.5])
def test_an_answer_after_its_time_does_not_count(tmp_path: Path, seconds: float) -> None:
    """Whether it was given up before it came or not: the pull is compared again."""
    calls = []

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        calls.append(query.id)
        if query.id == 5 and calls.count(5) == 1:
            time.sleep(seconds)
            return [9.0] * len(heat)
        return noisy(heat, query)

    with ThreadPoolExecutor(1) as pool:
        found = find(tmp_path / "run.jsonl", compare=compare, executor=pool, timeout=1, retries=3)
    assert found.to_json() == find().to_json()
    assert calls.count(5) >= 2
    assert sorted(told(tmp_path / "run.jsonl")) == list(range(24))


def test_notes_go_to_the_journal(tmp_path: Path) -> None:
    """With rewards or names; without a journal they are dropped."""

    def compare(heat: tuple[int, ...]) -> Noted:
        return Noted(heats.Winner(max(heat)), {"cpu_seconds": 1.5, "killed": [3]})

    path = tmp_path / "run.jsonl"
    assert find(path, compare=compare).to_json() == find(compare=compare).to_json()
    assert lines(path)[1]["notes"] == {"cpu_seconds": 1.5, "killed": [3]}
    assert lines(path)[1]["feedback"] == {"winner": [max(lines(path)[1]["arms"])]}
    with pytest.raises(BadFeedback, match=r"\(pull 0\) gave .* cannot be written as JSON"):
        find(tmp_path / "other.jsonl", compare=lambda heat: Noted(list(heat), {"x": object()}))


@pytest.mark.parametrize("journal", [None, "run.jsonl"])
def test_what_failed_leaves_the_rest_told(journal: str | None, tmp_path: Path) -> None:
    """Answers that came back with the failure are kept."""

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == 3:
            time.sleep(0.2)
            return [float("nan")] * len(heat)
        time.sleep(0.01)
        return noisy(heat, query)

    path = journal and tmp_path / journal
    with (
        ThreadPoolExecutor(4) as pool,
        pytest.raises(BadFeedback, match=r"\(pull 3\) gave feedback that cannot be used"),
    ):
        find(path, compare=compare, executor=pool)
    if path:
        assert {0, 1, 2} < set(told(path))
        assert find(path).to_json() == find().to_json()


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), "1", True])
def test_impossible_timeouts_are_refused(timeout: Any) -> None:
    with pytest.raises(InvalidArgument, match="timeout="):
        find(timeout=timeout)


INTERRUPTED = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from tests.journal.runs import find, noisy

def slow(heat, query):
    os.write(1, b"on\\n")
    time.sleep(0.1)
    return noisy(heat, query)

if __name__ == "__main__":
    pools = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor, "here": lambda n: None}
    try:
        find(sys.argv[2], compare=slow, executor=pools[sys.argv[1]](2))
    except KeyboardInterrupt as stop:
        print(*stop.__notes__, flush=True)
"""


@pytest.mark.parametrize("where", ["threads", "processes", "here"])
def test_ctrl_c_keeps_what_came_back(where: str, tmp_path: Path) -> None:
    """Sent to the whole group, as a terminal does; the journal is whole, and the same call goes on."""
    path, script = tmp_path / "run.jsonl", tmp_path / "script.py"
    script.write_text(textwrap.dedent(INTERRUPTED))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.Popen(
        [sys.executable, str(script), where, str(path)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "on\n"
    while not path.exists() or path.read_bytes().count(b'"event":"told"') < 3:
        time.sleep(0.005)
    os.killpg(run.pid, signal.SIGINT)
    rest, _ = run.communicate(timeout=60)
    assert f"of 24 pulls are kept in {path}; do the same again to go on." in rest
    assert 3 <= len(told(path)) < 24
    assert find(path).to_json() == find().to_json()
