"""The engine: cost per pull, a million arms, and what it takes to get started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from time import process_time

import heats
from benchmarks.measure import Row, command_seconds, python, seconds

REWARDS = {size: [i / 7 for i in range(size)] for size in range(2, 11)}


def play(plan: heats.Plan) -> None:
    """Ask and tell one pull after the other, rewards made beforehand."""
    tournament = heats.Tournament(plan, seed=1)
    while query := tournament.ask():
        tournament.tell(query, REWARDS[len(query.arms)])


def smallest(n_arms: int, heat_size: int) -> heats.Plan:
    """Return the CSH plan that looks at every heat once."""
    least = sum(each.heats for each in heats.plan(n_arms, heat_size, 10**9, "csh").rounds)
    return heats.plan(n_arms, heat_size, least, "csh")


def rows() -> Iterator[Row]:
    """Measure everything."""
    yield from _size()
    yield from _million()
    yield from _planning()
    yield from _optuna()
    yield from _start()


def _size() -> Iterator[Row]:
    small, large = smallest(10**3, 10), smallest(10**6, 10)
    per_small = seconds(lambda: play(small), 20) / small.cost
    per_large = seconds(lambda: play(large), 2) / large.cost
    what = f"cost of a pull, n = 10⁶ over n = 10³ ({per_large * 1e6:.1f} µs over {per_small * 1e6:.1f} µs)"
    yield Row(f"{what}, each heat pulled once", f"{per_large / per_small:.2f}", "≤ 1.5")
    small, large = heats.plan(10**3, 10, 10 * small.cost, "csh"), heats.plan(10**6, 10, 10 * large.cost, "csh")
    per_small = seconds(lambda: play(small), 10) / small.cost
    per_large = seconds(lambda: play(large), 1) / large.cost
    what = f"cost of a pull, n = 10⁶ over n = 10³ ({per_large * 1e6:.1f} µs over {per_small * 1e6:.1f} µs)"
    yield Row(f"{what}, ten times the pulls", f"{per_large / per_small:.2f}", "≤ 1.5")


def _planning() -> Iterator[Row]:
    for n, k, budget, most in ((10**4, 10, 10**6, 1), (10**6, 10, 10**7, 10), (10**5, 10**5, 10**6, 2)):
        for feedback in (None, "winner"):
            start = process_time()
            heats.plan(n, k, budget, feedback=feedback)
            what = f"planning {n} arms, k = {k}, {budget} pulls, {feedback or 'any'} feedback: CPU seconds"
            yield Row(what, f"{process_time() - start:.2f}", f"< {most}")


def _million() -> Iterator[Row]:
    code = """
import resource, time
from benchmarks.engine import play, smallest
plan = smallest(10**6, 10)
start = time.perf_counter()
play(plan)
print(plan.cost, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pulls, took, gigabytes = map(float, done.stdout.split())
    yield Row(f"CSH of 10⁶ arms, k = 10, {pulls:.0f} pulls: seconds", f"{took:.1f}", "< 30")
    yield Row("the same: peak memory in GB", f"{gigabytes:.2f}", "< 2")


def _optuna() -> Iterator[Row]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    plan = heats.plan(500, 4, 2000)

    def study(sampler: optuna.samplers.BaseSampler | None, pulls: int, *, choose: bool) -> None:
        trials = optuna.create_study(sampler=sampler)
        for _ in range(pulls):
            trial = trials.ask()
            if choose:
                trial.suggest_int("candidate", 0, plan.n_arms - 1)
            trials.tell(trial, 0.5)

    ours = seconds(lambda: play(plan), 20) / plan.cost
    random = seconds(lambda: study(optuna.samplers.RandomSampler(seed=1), 1000, choose=True), 3) / 1000
    default = seconds(lambda: study(None, 300, choose=True), 1) / 300
    bare = seconds(lambda: study(optuna.samplers.RandomSampler(seed=1), 1000, choose=False), 3) / 1000
    name = f"Optuna's ask + tell in memory over ours ({ours * 1e6:.1f} µs, n = 500, k = 4, B = 2000)"
    yield Row(f"{name}, it picks a candidate at random", f"{random / ours:.0f}", "≥ 20")
    yield Row(f"{name}, its default sampler picks", f"{default / ours:.0f}", "≥ 20")
    yield Row(f"{name}, no candidate picked", f"{bare / ours:.0f}", "")


def _start() -> Iterator[Row]:
    ours, numpy, nothing, plan = command_seconds(
        python("import heats"),
        python("import numpy"),
        python("pass"),
        [sys.executable, "-m", "heats", "plan", "-n", "100", "-k", "4", "-B", "500"],
    )
    yield Row("import heats over import numpy, start of Python included", f"{ours / numpy:.2f}", "≤ 1.5")
    yield Row("the same, start of Python taken off both", f"{(ours - nothing) / (numpy - nothing):.2f}", "≤ 1.5")
    yield Row("heats plan: seconds", f"{plan:.2f}", "< 0.5")
