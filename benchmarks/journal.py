"""Journal and driver: the price of durability, of resuming, and of handing out."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import heats
from benchmarks.measure import Row, seconds
from heats.journal import Log
from heats.journal.writer import Sync
from heats.running import driver


def rows() -> Iterator[Row]:
    """Measure everything."""
    with tempfile.TemporaryDirectory(dir=".") as folder:  # a real disk, where /tmp may be none
        yield from _tells(Path(folder))
        yield from _resume(Path(folder))
        yield from _read_adaptive(Path(folder) / "adaptive.jsonl")
    yield from _driver()


def _keep(path: Path, sync: Sync, pulls: int) -> float:
    """Return the seconds a tell takes, and leave the journal."""
    tournament = heats.Tournament(heats.plan(1000, 4, pulls, "csh"), seed=1)
    rewards = {size: [i / 7 for i in range(size)] for size in (2, 3, 4)}
    path.unlink(missing_ok=True)
    with heats.Journal(heats.JournalFile(path, sync=sync), tournament) as journal:
        start = time.perf_counter()
        while query := tournament.ask():
            journal.tell(query, rewards[len(query.arms)], by="me", took=0.001)
        return (time.perf_counter() - start) / pulls


def _append(lines: list[bytes], path: Path) -> float:
    """Return the seconds it takes to append and sync a line, and nothing else."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    start = time.perf_counter()
    for line in lines:
        os.write(handle, line)
        os.fsync(handle)
    taken = time.perf_counter() - start
    os.close(handle)
    return taken / len(lines)


def _tells(folder: Path) -> Iterator[Row]:
    path, ours, bare = folder / "each.jsonl", [], []
    for number in range(8):  # in turn, because a disk has moods
        ours.append(_keep(path, "each", 500))
        lines = path.read_bytes().splitlines(keepends=True)[1:-1]
        bare.append(_append(lines, folder / f"bare-{number}"))
    what = f"durable tells per second, over appending the same bytes with fsync ({1 / min(bare):.0f} per second)"
    yield Row(what, f"{min(bare) / min(ours):.2f}", "≥ 0.5")
    grouped = min(_keep(path, "grouped", 50_000) for _ in range(2))
    yield Row("grouped tells per second", f"{1 / grouped:.0f}", "≥ 20000")


def _resume(folder: Path) -> Iterator[Row]:
    few, many = folder / "few.jsonl", folder / "many.jsonl"
    _keep(few, "system", 10**4)
    _keep(many, "system", 10**6)
    size = many.stat().st_size / 2**20
    _, little = _resumed(few, 10**4)
    taken, much = min(_resumed(many, 10**6) for _ in range(2))
    yield Row(f"seconds to resume a journal of 10⁶ tells ({size:.0f} MiB)", f"{taken:.1f}", "< 10")
    yield Row(f"MiB it takes more than one of 10⁴ tells ({little:.0f} MiB)", f"{much - little:.0f}", "")


def _resumed(path: Path, pulls: int) -> tuple[float, float]:
    """Return the seconds and MiB it takes to resume a run that lacks its last pull."""
    code = """
import resource, sys, time
import heats
tournament = heats.Tournament(heats.plan(1000, 4, int(sys.argv[2]), "csh"), seed=1)
start = time.perf_counter()
heats.Journal(sys.argv[1], tournament).close()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    with path.open("r+b") as file:
        file.seek(-1000, os.SEEK_END)
        tail = file.read()
        last = tail.index(b'{"event":"told","id":%d,' % (pulls - 1))
        file.truncate(path.stat().st_size - len(tail) + last)
    command = [sys.executable, "-c", code, str(path), str(pulls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    taken, memory = map(float, done.stdout.split())
    with path.open("ab") as file:
        file.write(tail[last:])
    return taken, memory


def _read_adaptive(path: Path) -> Iterator[Row]:
    """Read a run of adaptive play, of which nothing is dealt again, beside playing it."""
    pulls = 20_000

    def compare(query: heats.Query) -> list[float]:
        return [arm / 50 + (arm * query.id % 97) / 97 for arm in query.arms]

    def play() -> None:
        machine = heats.Adaptive(1000, 4, pulls, seed=1)
        while query := machine.ask():
            machine.tell(query, compare(query))

    machine = heats.Adaptive(1000, 4, pulls, seed=1)
    with heats.Journal(heats.JournalFile(path, sync="system"), machine) as journal:
        while query := machine.ask():
            journal.tell(query, compare(query))
    played, read = seconds(play, 3), seconds(lambda: Log(path).advance(), 3)
    yield Row(f"seconds to read a journal of {pulls:,} pulls of adaptive play", f"{read:.2f}", "")
    yield Row("the same, over playing it in memory", f"{read / played:.2f}", "≤ 1")


def _spin(duration: float, heat: tuple[int, ...]) -> list[float]:
    end = time.perf_counter() + duration
    while time.perf_counter() < end:
        pass
    return [float(value) for value in heat]


def _millisecond(heat: tuple[int, ...]) -> list[float]:
    return _spin(1e-3, heat)


def _ten_microseconds(heat: tuple[int, ...]) -> list[float]:
    return _spin(1e-5, heat)


def _many(compare: Callable[..., object], times: int) -> None:
    for _ in range(times):
        compare((1, 2, 3, 4))


def _driver() -> Iterator[Row]:
    with ProcessPoolExecutor(2) as pool:

        def run(compare: Callable[..., object], pulls: int) -> float:
            plan = heats.plan(100, 4, pulls)
            return seconds(lambda: heats.find_best(range(100), compare, plan=plan, executor=pool), 3)

        def ideal(compare: Callable[..., object], pulls: int) -> float:
            halves = [pulls // 2, pulls - pulls // 2]
            return seconds(lambda: [each.result() for each in [pool.submit(_many, compare, n) for n in halves]], 3)

        share = ideal(_millisecond, 2000) / run(_millisecond, 2000)
        yield Row("1 ms comparisons on 2 processes: share of the ideal speed-up", f"{share:.2f}", "≥ 0.8")
        grouped = run(_ten_microseconds, 10_000)
        most, driver.MOST_PULLS_PER_TASK = driver.MOST_PULLS_PER_TASK, 1
        try:
            single = run(_ten_microseconds, 10_000)
        finally:
            driver.MOST_PULLS_PER_TASK = most
        yield Row("10 µs comparisons: times faster than a task per pull", f"{single / grouped:.1f}", "≥ 5")
