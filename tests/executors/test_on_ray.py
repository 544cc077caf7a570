"""Ray on this machine: the same report, also when a worker dies."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import ComparisonFailed, InvalidArgument
from tests.journal.runs import find, lines, told

pytestmark = [pytest.mark.ray, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # its warnings are its own


@pytest.fixture(scope="module")
def executor() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    with heats.executors.ray() as made:
        yield made
    assert ray.is_initialized()  # who started it ends it
    ray.shutdown()


def make_noisy(die_at: int | None = None, once: Path | None = None) -> Any:
    """As tests.journal.runs.noisy, which workers could not import; a worker dies at a pull, once or every time."""

    def noisy(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if query.id == die_at and (once is None or not once.exists()):
            if once is not None:
                once.touch()
            os._exit(1)
        time.sleep(0.005)
        draw = random.Random(query.seed)
        return [value + draw.gauss(0, 3) for value in heat]

    return noisy


def test_ray_gives_the_same_report(executor: Any, tmp_path: Path) -> None:
    """Told by other processes than this one."""
    path = tmp_path / "run.jsonl"
    found = find(path, compare=make_noisy(), executor=executor)
    assert found.to_json() == find().to_json()
    by = {line["by"] for line in lines(path) if line["event"] == "told"}
    assert not [who for who in by if who.endswith(f":{os.getpid()}")]


def test_a_dead_worker_changes_nothing(executor: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    found = find(path, compare=make_noisy(11, tmp_path / "died"), executor=executor)
    assert (tmp_path / "died").exists()
    assert found.to_json() == find().to_json()
    assert sorted(told(path)) == list(range(len(told(path))))


def test_a_pull_that_kills_its_workers_stops_the_run(executor: Any) -> None:
    with pytest.raises(ComparisonFailed, match=r"\(pull 11\) failed"):
        find(compare=make_noisy(11), executor=executor)


def test_pulls_travel_in_groups_of_the_size_that_is_said(executor: Any) -> None:
    """Each of them in the worker that makes the whole group."""
    grouped = heats.executors.ray(pulls_per_task=8)
    sizes: list[int] = []
    submit = grouped.submit

    def count(work: Any) -> Any:
        sizes.append(len(work.jobs))
        return submit(work)

    grouped.submit = count  # type: ignore[method-assign]
    assert find(compare=make_noisy(), executor=grouped).to_json() == find().to_json()
    assert max(sizes) == 8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pulls_per_task": 0}, "pulls_per_task=0 must be at least 1"),
        ({"address": "ray://nowhere:1"}, "this program is part of a Ray cluster already; leave it out"),
    ],
)
def test_bad_input_is_refused(executor: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        heats.executors.ray(**options)
