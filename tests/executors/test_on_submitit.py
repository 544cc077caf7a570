"""submitit's jobs on this machine: the same report, also when one of them dies."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import ComparisonFailed, InvalidArgument
from tests.journal.runs import find, lines

submitit = pytest.importorskip("submitit", reason="submitit is not installed: pip install submitit")
pytestmark = pytest.mark.filterwarnings("ignore")  # its warnings are its own


def make_jobs(folder: Path) -> Any:
    return submitit.AutoExecutor(folder / "jobs", cluster="local")


def make_noisy(die_at: int | None = None, once: Path | None = None) -> Any:
    """As tests.journal.runs.noisy, which jobs could not import; one dies at a pull, once."""

    def noisy(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == die_at and once is not None and not once.exists():
            once.touch()
            os._exit(1)
        draw = random.Random(query.seed)
        return [value + draw.gauss(0, 3) for value in heat]

    return noisy


def test_jobs_of_many_pulls_give_the_same_report(tmp_path: Path) -> None:
    """Two batches of twelve pulls are three jobs of up to eight."""
    path, executor = tmp_path / "run.jsonl", heats.executors.submitit(make_jobs(tmp_path), pulls_per_job=8)
    options: dict[str, Any] = {"strategy": "adaptive", "batches": 2}
    found = find(path, compare=make_noisy(), executor=executor, **options)
    assert found.to_json() == find(**options).to_json()
    jobs = {line["by"] for line in lines(path) if line["event"] == "told"}
    assert len(jobs) == len(list((tmp_path / "jobs").glob("*_result.pkl"))) <= 4


@pytest.mark.slow
def test_an_executor_of_submitit_needs_no_adapter(tmp_path: Path) -> None:
    """And a job that dies is made again: the pulls it had, one by one."""
    options: dict[str, Any] = {"strategy": "adaptive", "batches": 1, "budget": 3}
    found = find(compare=make_noisy(1, tmp_path / "died"), executor=make_jobs(tmp_path), **options)
    assert (tmp_path / "died").exists()
    assert found.to_json() == find(**options).to_json()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pulls_per_job": 0}, "pulls_per_job=0 must be at least 1"),
        ({"jobs": 0}, "jobs=0 must be at least 1"),
        ({"executor": 4}, "executor=4 must be an executor of submitit"),
    ],
)
def test_bad_input_is_refused(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        heats.executors.submitit(**({"executor": make_jobs(tmp_path)} | options))


def test_a_cluster_that_takes_no_job_stops_the_run(tmp_path: Path) -> None:
    """In a sentence, with what it said."""

    def refuse(*_: Any) -> Any:
        raise OSError("the queue is full")

    full = make_jobs(tmp_path)
    full.submit = refuse
    with pytest.raises(ComparisonFailed, match="the executor took no work: OSError: the queue is full"):
        find(executor=full)
