"""A real Dask cluster on this machine: two worker processes, the same report, also when one of them dies."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import ComparisonFailed, InvalidArgument
from heats.executors import dask as connect_dask
from tests.journal.runs import find, lines, told

pytestmark = [
    pytest.mark.dask,
    pytest.mark.usefixtures("distributed"),
    pytest.mark.filterwarnings("ignore"),  # its warnings are its own
]

SMALL: dict[str, Any] = {"n": 20, "budget": 150}


def slowly(heat: tuple[int, ...], query: heats.Query) -> list[float]:
    """As tests.journal.runs.noisy, which workers could not import."""
    time.sleep(0.01)
    draw = random.Random(query.seed)
    return [value + draw.gauss(0, 3) for value in heat]


@pytest.fixture(scope="module")
def distributed() -> Any:
    return pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")


@pytest.fixture(scope="module")
def cluster(distributed: Any) -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made


def test_a_cluster_gives_the_same_report(distributed: Any, cluster: Any, tmp_path: Path) -> None:
    """Told by two processes, none of which is this one."""
    path = tmp_path / "run.jsonl"
    with distributed.Client(cluster) as client:
        found = find(path, compare=slowly, executor=client.get_executor(), **SMALL)
    assert found.to_json() == find(**SMALL).to_json()
    assert sorted(told(path)) == list(range(150))
    by = {line["by"] for line in lines(path) if line["event"] == "told"}
    assert len(by) == 2
    assert not [who for who in by if who.endswith(f":{os.getpid()}")]


def test_a_dead_worker_changes_nothing(distributed: Any, cluster: Any, tmp_path: Path) -> None:
    """Killed in the middle of the run, with SIGKILL."""
    path, stop = tmp_path / "run.jsonl", threading.Event()
    killed: list[int] = []

    def kill_when_under_way(victim: int) -> None:
        while not stop.wait(0.005):
            if not killed and path.exists() and path.read_bytes().count(b"\n") > 50:
                killed.append(victim)
                os.kill(victim, signal.SIGKILL)

    with distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_when_under_way, args=(pids[0],))
        killer.start()
        try:
            found = find(path, compare=slowly, executor=client.get_executor(), **SMALL)
        finally:
            stop.set()
            killer.join()
    assert killed
    assert found.to_json() == find(**SMALL).to_json()
    assert sorted(told(path)) == list(range(150))


def test_by_address(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As --dask does it; an address where nobody answers is one sentence."""
    with connect_dask(cluster.scheduler_address) as executor:
        assert find(compare=slowly, executor=executor).to_json() == find().to_json()
    monkeypatch.setattr("heats.executors.on_dask.PATIENCE_SECONDS", 1)
    for wrong in ("tcp://127.0.0.1:1", "nonsense://x"):
        with (
            pytest.raises(InvalidArgument, match=f"dask='{wrong}' is not the address of a cluster that answers"),
            connect_dask(wrong),
        ):
            pass


def test_a_cluster_of_one_s_own() -> None:
    with connect_dask("local") as executor:
        assert find(compare=slowly, executor=executor).to_json() == find().to_json()


def test_workers_here_are_deaf_to_interrupts() -> None:
    """Ctrl-C on a terminal reaches them too; only the run itself acts on it."""
    before = signal.getsignal(signal.SIGINT)
    with connect_dask("local") as executor:
        assert signal.getsignal(signal.SIGINT) is before
        assert executor.submit(signal.getsignal, signal.SIGINT).result(60) is signal.SIG_IGN


def cannot_travel(heat: tuple[int, ...]) -> Any:
    """Answer with something that no process can send to another."""
    return threading.Lock()


def test_an_answer_that_cannot_travel_stops_the_run(distributed: Any, cluster: Any, tmp_path: Path) -> None:
    """Within seconds, with a sentence; Dask itself would wait for it for ever."""
    with distributed.Client(cluster) as client:
        start = time.monotonic()
        with pytest.raises(ComparisonFailed, match="what compare returned cannot be sent home from its worker"):
            find(tmp_path / "run.jsonl", compare=cannot_travel, executor=client.get_executor())
        assert time.monotonic() - start < 30


def test_a_cluster_without_workers_is_spoken_of(
    distributed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; when workers come, the run goes on."""
    monkeypatch.setattr("heats.running.driver.LOOK_SECONDS", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None) as empty,
        distributed.Client(empty) as client,
    ):
        timer = threading.Timer(3, empty.scale, [1])
        timer.start()
        with pytest.warns(RuntimeWarning, match="waiting for workers: the cluster has none"):
            found = find(tmp_path / "run.jsonl", compare=slowly, executor=client.get_executor())
        timer.join()
    assert found.to_json() == find().to_json()


def test_workers_that_lack_heats_stop_the_run(distributed: Any, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is handed out; here their answer is that no such module is found."""
    monkeypatch.setattr("heats.executors.pools.find_spec", str.isdigit)
    with (
        distributed.Client(cluster) as client,
        pytest.raises(ComparisonFailed, match="2 of 2 workers of the cluster cannot import heats"),
    ):
        find(compare=slowly, executor=client.get_executor())
