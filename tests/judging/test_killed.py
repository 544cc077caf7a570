"""Killed at any moment, a judged run goes on, and pays for nothing twice that was kept."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import heats
from heats.judging import Judge
from heats.judging.cache import make_key
from tests.judging.servers import Server, serve

CANDIDATES = [f"prompt {number}" for number in range(9)]


def find(server: Server, folder: Path) -> heats.Machine:
    """Play a whole run with a journal and a cache, from the start or from where it is."""
    rows = [f"row {number}" for number in range(7)]
    judge = Judge(server.ask_async, rows=rows, both_orders=True, cache=folder / "cache.db", name="server")
    path = folder / "run.jsonl"
    found = asyncio.run(heats.find_best_async(CANDIDATES, judge, budget=24, heat_size=2, seed=4, journal=path))
    return found.played


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory, if there is such a place: what survives a kill does not depend on the disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.parametrize("most", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_no_call_is_repeated_whose_answer_was_kept(fast_folder: Path, most: int) -> None:
    """Counted by the server, over kills at random moments; the report is that of a run in peace."""
    moments, kills, runs = random.Random(1), 0, 0
    with serve(Server(latency=0.001)) as server:
        (fast_folder / "peace").mkdir()
        expected = find(server, fast_folder / "peace").report().to_json()
        while kills < most:
            folder = fast_folder / f"{runs}"
            folder.mkdir()
            while True:
                kept, before = read_keys(folder / "cache.db"), len(server.asked)
                survived = finishes(server, folder, before + moments.randrange(24), moments.uniform(0, 0.008))
                asked = {make_key("server", text) for _, text in server.asked[before:]}
                assert not asked & kept
                if survived:
                    break
                kills += 1
            before = len(server.asked)
            assert find(server, folder).report().to_json() == expected
            assert len(server.asked) == before  # all of it is in the journal
            runs += 1
    assert runs


def read_keys(path: Path) -> set[str]:
    """Return the keys of all answers that are kept."""
    if not path.exists():
        return set()
    connection = sqlite3.connect(path)
    try:
        return {key for (key,) in connection.execute("SELECT key FROM answers")}
    except sqlite3.OperationalError:  # it was killed before there was a table
        return set()
    finally:
        connection.close()


def finishes(server: Server, folder: Path, calls: int, after: float) -> bool:
    """Run in a process that is killed so long after the server had so many calls; return whether it was faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the threads of the server stay with the parent
        child = os.fork()
    if not child:
        try:
            find(server, folder)
            os._exit(0)
        finally:
            os._exit(1)
    ended = False
    while not (ended or len(server.asked) >= calls):
        time.sleep(0.001)
        ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)
