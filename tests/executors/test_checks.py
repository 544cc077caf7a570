"""What is no executor is refused before anything is handed out, and what would be one is said."""

from __future__ import annotations

import math
import multiprocessing.pool
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import heats
from heats.errors import ComparisonFailed, InvalidArgument
from tests.journal.runs import find


class Awaiting:
    async def submit(self, work: Any) -> Any:
        raise AssertionError("nothing may be handed out")


class Picky:
    def submit(self, work: Any, queue: str) -> Any:
        raise AssertionError("nothing may be handed out")


@pytest.mark.parametrize(
    ("executor", "said"),
    [
        (4, r"executor=4 must be an executor, such as ThreadPoolExecutor\(4\)"),
        ("threads", r"such as ThreadPoolExecutor\(4\), or None"),
        (ThreadPoolExecutor, "must be an executor"),
        (multiprocessing.pool.ThreadPool, "must be an executor"),
        (math, "must be an executor"),
        (Awaiting(), "hands work out by awaiting; compare with an async def in heats.find_best_async instead"),
        (Picky(), r"cannot be handed a function alone \(missing a required argument: 'queue'\)"),
    ],
)
def test_what_is_no_executor_is_refused(executor: Any, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        find(executor=executor)


def test_a_pool_of_multiprocessing_is_told_which_one_would_do() -> None:
    with (
        multiprocessing.pool.ThreadPool(1) as pool,
        pytest.raises(InvalidArgument, match=r"such as concurrent.futures.ProcessPoolExecutor\(4\)"),
    ):
        find(executor=pool)


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_a_module_is_told_its_adapter(name: str) -> None:
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    with pytest.raises(InvalidArgument, match=rf"such as heats\.executors\.{name}\("):
        find(executor=module)


def test_an_executor_that_gives_back_no_future_stops_the_run() -> None:
    """With a sentence, at its first answer."""

    class Blunt:
        def submit(self, work: Any) -> Any:
            return 7

    with pytest.raises(ComparisonFailed, match=r"gave back 7 instead of a future: something with done\(\) and result"):
        heats.find_best(range(6), max, budget=6, heat_size=2, executor=Blunt())
