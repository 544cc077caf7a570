"""Futures that only say whether they are done are as good as any."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from heats.errors import ComparisonFailed
from heats.executors.polling import Polled
from tests.journal.runs import find


class Job:
    """The future of a pool with all but the least hidden."""

    def __init__(self, future: Any) -> None:
        self.done, self.result, self.cancel = future.done, future.result, future.cancel


class Jobs:
    """An executor whose futures cannot call back."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def submit(self, work: Any) -> Job:
        return Job(self._pool.submit(work))


def test_a_run_on_jobs_gives_the_same_report() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert find(executor=Jobs(pool)).to_json() == find().to_json()


def test_what_a_job_raises_is_raised() -> None:
    """A comparison that fails ends the run with its error, as on any executor."""

    def fail(heat: tuple[int, ...]) -> Any:
        raise OSError("no such judge")

    with ThreadPoolExecutor(3) as pool, pytest.raises(ComparisonFailed, match="no such judge"):
        find(executor=Jobs(pool), compare=fail)


def test_an_engine_that_lost_a_job_fails_its_pull() -> None:
    """It does not end the run with an error of its own."""

    class Lost:
        def done(self) -> bool:
            raise OSError("no such job")

        result = done

    job = Polled(Lost())
    assert job.look()
    assert isinstance(job.exception(), OSError)


def test_cancelling_reaches_the_job() -> None:
    """One that has not begun; a job that is done stays done."""
    cancelled = []

    class Waiting:
        def done(self) -> bool:
            return False

        def cancel(self) -> None:
            cancelled.append(self)

    job = Waiting()
    future = Polled(job)
    assert not future.look()
    assert future.cancel()
    assert cancelled == [job]
    assert future.look()
