"""Whatever kills a run, at whatever moment: it goes on to the same report, and no pull counts twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import heats
from heats.journal import Journal, JournalFile
from tests.journal.runs import find, told
from tests.playing import noisy as noisy_arms

KILLS = 200


def test_killed_at_200_random_moments(tmp_path: Path) -> None:
    """A real process, killed with SIGKILL and started again until it is done, over and over."""
    options: dict[str, Any] = {"n": 20, "budget": 150}
    expected = find(**options).to_json()
    moments, kills, runs = random.Random(1), 0, 0
    start = time.perf_counter()
    find(tmp_path / "whole.jsonl", **options)
    life = min((time.perf_counter() - start) / 5, 0.02)
    while kills < KILLS:
        path = tmp_path / f"run-{runs}.jsonl"
        sync: Any = ("each", "each", "grouped", "system")[runs % 4]
        while not _finishes(path, sync, options, after=moments.expovariate(1 / life)):
            kills += 1
            life *= 1.05  # on a busy machine a process gets nowhere in the time it would take on an idle one
        life /= 2
        assert find(path, **options).to_json() == expected
        assert sorted(told(path)) == list(range(150))
        runs += 1
    assert runs > 1


def _finishes(path: Path, sync: Any, options: dict[str, Any], after: float) -> bool:
    """Run in a process of its own that is killed after so many seconds; return whether it was faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none of them
        child = os.fork()
    if not child:
        try:
            find(JournalFile(path, sync=sync), **options)
            os._exit(0)
        finally:
            os._exit(1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)


POOL = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from tests.journal.runs import find, noisy

def compare(heat, query):
    time.sleep(0.02)
    return noisy(heat, query)

if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(find(sys.argv[1], compare=compare, executor=pool).to_json())
"""


def test_killed_with_a_process_pool(tmp_path: Path) -> None:
    """Its workers may outlive it, but not its lock: the run goes on at once."""
    path, script = tmp_path / "run.jsonl", tmp_path / "script.py"
    script.write_text(textwrap.dedent(POOL))
    root = str(Path(__file__).parents[2])
    command, environment = [sys.executable, str(script), str(path)], {**os.environ, "PYTHONPATH": root}
    run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        while not path.exists() or path.read_bytes().count(b"\n") < 5:
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        resumed = find(path)  # in this process, without waiting for anybody
    finally:
        os.killpg(run.pid, signal.SIGKILL)  # the orphans
    assert resumed.to_json() == find().to_json()
    assert sorted(told(path)) == list(range(24))


class Interleavings(RuleBasedStateMachine):
    """Ask, tell, tell twice, requeue and crash in any order, against a dictionary of what was told."""

    plan = heats.plan(7, 3, 14)

    @initialize()
    def begin(self) -> None:
        import tempfile

        memory = Path("/dev/shm")
        self.folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
        self.path = Path(self.folder.name) / "run.jsonl"
        self.told: dict[int, list[float]] = {}
        self._open()

    def _open(self) -> None:
        self.tournament = heats.Tournament(self.plan, seed=3)
        self.journal = Journal(self.path, self.tournament)
        self.out: dict[int, heats.Query] = {}

    @rule(n=st.integers(1, 4))
    def ask(self, n: int) -> None:
        for query in self.tournament.ask(n):
            assert query.id not in self.told
            assert query.id not in self.out
            self.out[query.id] = query

    @precondition(lambda self: self.out)
    @rule(data=st.data(), by_id=st.booleans(), twice=st.booleans())
    def tell(self, data: Any, by_id: bool, twice: bool) -> None:
        query = self.out.pop(data.draw(st.sampled_from(sorted(self.out))))
        self.told[query.id] = noisy_arms(query)
        for _ in range(1 + twice):
            if self.journal._pen.is_at_work and not (twice and self.tournament.done):
                self.journal.tell(query.id if by_id else query, self.told[query.id], by="ann")

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def requeue(self, data: Any) -> None:
        self.journal.requeue(self.out.pop(data.draw(st.sampled_from(sorted(self.out)))), "left")

    @rule(length=st.integers(0, 30), zeros=st.integers(0, 9))
    def crash(self, length: int, zeros: int) -> None:
        torn = b'{"event":"told","id":3,"arms":'[:length] + b"\0" * zeros
        self.journal.close()
        with self.path.open("ab") as file:
            file.write(torn if not self.tournament.done else b"")
        self._open()

    @invariant()
    def the_file_is_the_run(self) -> None:
        assert self.tournament.spent == len(self.told)
        assert sorted(told(self.path)) == sorted(self.told)

    def teardown(self) -> None:
        for out in self.out.values():
            self.journal.tell(out, noisy_arms(out))
        while query := self.tournament.ask():
            self.journal.tell(query, noisy_arms(query))
        undisturbed = heats.Tournament(self.plan, seed=3)
        while query := undisturbed.ask():
            undisturbed.tell(query, noisy_arms(query))
        assert self.tournament.report() == undisturbed.report()
        self.journal.close()
        self.folder.cleanup()


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
