"""Heats of real processes: orders are pure, both modes pick the same winner, and what was measured is written down."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.engine.machine import Query
from heats.race.heat import HeatResult, Order, choose_instance, make_order, run_heat
from heats.race.processes import GuardianPool
from heats.race.scenario import Scenario, load_scenario
from tests.race.scenarios import sleepers, write

GUARDIANS = GuardianPool()


@pytest.fixture(autouse=True, scope="module")
def _guardians_are_closed() -> Iterator[None]:
    yield
    GUARDIANS.close()


def run(order: Order) -> HeatResult:
    """Run a heat by the guardians of these tests."""
    return run_heat(order, GUARDIANS)


def query(*arms: int, number: int = 0, seed: int = 7) -> Query:
    return Query(number, 0, 0, arms, seed)


def python(folder: Path, code: str, candidates: list[dict[str, Any]], **changes: Any) -> Scenario:
    """Return a race of Python programs that get their parameter as the first argument."""
    race = {"command": [sys.executable, "-c", code, "{x}"], "budget": 9, "cutoff": "10s", "heat_size": 2}
    return load_scenario(write(folder, race | changes, candidates))


@given(st.integers(1, 9), st.integers(0, 2**64), st.integers(0, 50))
def test_instances_come_without_replacement(size: int, seed: int, start: int) -> None:
    """Each time round has every instance once; a pull's instance is a function of the seed and its id."""
    names = [str(i) for i in range(size)]
    drawn = [choose_instance(names, seed, start * size + place) for place in range(size)]
    assert sorted(drawn) == names
    assert choose_instance((), seed, start) is None


def test_times_round_differ() -> None:
    """A new shuffle each, and other ones for other seeds."""
    names = [str(i) for i in range(20)]
    rounds = {tuple(choose_instance(names, seed, 20 * lap + i) for i in range(20)) for seed in (1, 2) for lap in (0, 1)}
    assert len(rounds) == 4


def test_an_order_is_a_function_of_the_query(tmp_path: Path) -> None:
    """Command lines, seeds, the instance and the turns; it travels to other processes."""
    (tmp_path / "a.txt").touch()
    (tmp_path / "b.txt").touch()
    race = {"command": ["echo", "{x}", "{instance}", "{seed}", "{cutoff}"], "budget": 9, "cutoff": "1.5s"}
    scenario = load_scenario(write(tmp_path, race | {"instances": "*.txt"}, [{"x": 1}, {"x": 2}, {"x": 3}]))
    made = make_order(scenario, query(2, 0))
    assert made == make_order(scenario, query(2, 0)) == pickle.loads(pickle.dumps(made))
    assert [line[1] for line in made.lines] == ["3", "1"]
    assert {line[2] for line in made.lines} == {made.instance}
    assert {line[4] for line in made.lines} == {"1.5"}
    seeds = {line[3] for number in (7, 8) for line in make_order(scenario, query(0, 1, 2, seed=number)).lines}
    assert len(seeds) == 6
    assert all(1 <= int(seed) < 2**31 for seed in seeds)


def test_turns_are_random(tmp_path: Path) -> None:
    """Nobody goes first more often than others."""
    scenario = sleepers(tmp_path, mode="capped")
    first = Counter(make_order(scenario, query(0, 1, 2, seed=seed)).turns[0] for seed in range(300))
    assert set(first) == {0, 1, 2}
    assert min(first.values()) > 60


@pytest.mark.parametrize("mode", ["parallel", "capped"])
def test_the_fastest_wins_and_is_measured(tmp_path: Path, mode: str) -> None:
    """In both modes; what the others took is a lower bound."""
    scenario = sleepers(tmp_path, mode=mode)
    for number in range(3):
        told = run(make_order(scenario, query(1, 2, 0, seed=number)))
        slow, slower, fast = told.runs
        assert isinstance(told.feedback, heats.Race)
        assert told.winner == 0
        assert (fast.arm, fast.verdict, fast.code) == (0, "finished", 0)
        assert 0.05 <= fast.seconds < 0.5
        for other in (slow, slower):
            assert other.verdict in ("stopped", "finished")
            assert other.seconds >= fast.seconds - 0.04 if mode == "parallel" else other.seconds >= fast.seconds
        if mode == "parallel":
            assert slow.verdict == slower.verdict == "stopped"
            assert slow.kill_latency is not None
            assert 0 <= slow.kill_latency < 5


def test_both_modes_pick_the_same_winner(tmp_path: Path) -> None:
    """By the wall clock, far enough apart for a machine that is busy, and by the CPU clock, for those that work."""
    nap = "import sys, time\ntime.sleep(float(sys.argv[1]))"
    burn = "import sys, time\nwhile time.process_time() < float(sys.argv[1]): pass"
    races = [
        python(tmp_path, nap, [{"x": 0.1}, {"x": 3}, {"x": 2.9}], mode="parallel"),
        python(tmp_path, nap, [{"x": 0.1}, {"x": 3}, {"x": 2.9}], mode="capped"),
        python(tmp_path, burn, [{"x": 0.1}, {"x": 0.5}, {"x": 0.4}], mode="capped", clock="cpu"),
    ]
    told = [run(make_order(race, query(2, 1, 0, seed=seed))) for race in races for seed in range(2)]
    assert [each.winner for each in told] == [0] * 6


def test_by_the_cpu_clock_naps_are_free(tmp_path: Path) -> None:
    """A program that sleeps a lot and computes little beats one that computes."""
    code = "import sys, time\nif sys.argv[1] == 'nap': time.sleep(1.5)\nelse:\n while time.process_time() < 0.1: pass"
    field = [{"x": "nap"}, {"x": "burn"}]
    by_cpu = run(make_order(python(tmp_path, code, field, mode="capped", clock="cpu"), query(0, 1)))
    assert by_cpu.winner == 0
    by_wall = run(make_order(python(tmp_path, code, field, mode="capped"), query(0, 1)))
    assert by_wall.winner == 1


@pytest.mark.parametrize("mode", ["parallel", "capped"])
def test_nobody_finishes(tmp_path: Path, mode: str) -> None:
    """The heat counts, and nobody has won it."""
    told = run(make_order(sleepers(tmp_path, cutoff="30ms", mode=mode), query(1, 2)))
    assert told.feedback == heats.Race({})
    assert told.winner is None
    assert [each.verdict for each in told.runs] == ["cutoff", "cutoff"]
    assert all(each.seconds >= 0.03 for each in told.runs)


def test_one_that_crashes_only_loses(tmp_path: Path) -> None:
    """However fast it is at that."""
    code = "import sys, time\nif sys.argv[1] == '1': sys.exit('out of luck')\ntime.sleep(2)"
    told = run(make_order(python(tmp_path, code, [{"x": 1}, {"x": 2}], mode="parallel"), query(0, 1)))
    assert told.winner == 1
    assert (told.runs[0].verdict, told.runs[0].code, told.runs[0].last) == ("crashed", 1, "out of luck")


def test_an_undecided_solver_does_not_win(tmp_path: Path) -> None:
    """It exits 0 at once and says UNKNOWN; the other one takes longer and solves."""
    code = "import sys, time\nif sys.argv[1] == '1': print('s UNKNOWN'); sys.exit(0)\ntime.sleep(2); sys.exit(10)"
    told = run(
        make_order(python(tmp_path, code, [{"x": 1}, {"x": 2}], mode="parallel", finished=[10, 20]), query(0, 1))
    )
    assert told.winner == 1
    assert (told.runs[0].verdict, told.runs[0].unknown) == ("undecided", True)


@pytest.mark.parametrize("mode", ["parallel", "capped"])
def test_the_best_value_at_the_cutoff_wins(tmp_path: Path, mode: str) -> None:
    """Values printed until then count, whether the program has ended or was stopped; nobody is stopped by others."""
    code = """
import sys, time
print("value", 10 * int(sys.argv[1]), flush=True)
if sys.argv[1] == "2": sys.exit(0)
time.sleep(0.1)
if sys.argv[1] == "1": print("value 100", flush=True)
time.sleep(60)
"""
    changes = {"objective": r"value (\S+)", "goal": "maximize", "cutoff": "2s", "mode": mode}
    told = run(make_order(python(tmp_path, code, [{"x": 1}, {"x": 2}, {"x": 3}], **changes), query(0, 1, 2)))
    assert told.feedback == [100.0, 20.0, 30.0]
    assert [each.verdict for each in told.runs] == ["cutoff", "finished", "cutoff"]


def test_commands_run_in_the_folder_of_the_scenario(tmp_path: Path) -> None:
    """So that paths on a command line are relative to the file, too."""
    (tmp_path / "solver.py").write_text("import time; time.sleep(0.01)")
    race = {"command": [sys.executable, "solver.py", "{x}"], "budget": 9, "cutoff": 5, "heat_size": 2}
    told = run(make_order(load_scenario(write(tmp_path, race, [{"x": 1}, {"x": 2}])), query(0, 1)))
    assert told.winner is not None


def test_runs_can_be_pinned(tmp_path: Path) -> None:
    """Each to one core."""
    code = "import os, sys; print('cores', len(os.sched_getaffinity(0)))"
    changes = {"pin": True, "objective": r"cores (\d+)", "mode": "parallel"}
    assert run(make_order(python(tmp_path, code, [{"x": 1}, {"x": 2}], **changes), query(0, 1))).feedback == [
        -1.0,
        -1.0,
    ]
