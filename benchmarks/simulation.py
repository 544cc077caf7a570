"""The simulator: tournaments per second against driving them one by one, and against drawing the numbers alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import heats
from benchmarks.measure import Row, seconds
from heats.environments import Environment, Gaussian, Winners, play


def rows() -> Iterator[Row]:
    """Measure everything."""
    plan = heats.plan(100, 4, 500)
    arms = sum(each.heats * each.size for each in plan.rounds)
    yield from _against(plan, Gaussian(100), "means of rewards drawn at once", "≥ 200", arms)
    yield from _against(plan, Winners(Gaussian(100)), "winners drawn pull by pull", "≥ 40", 4 * plan.cost)
    yield from _memory()


def _against(plan: heats.Plan, world: Environment, name: str, asked: str, numbers: int) -> Iterator[Row]:
    reps = 4000
    batch = seconds(lambda: heats.simulate(plan, world, reps), 3) / reps
    single = seconds(lambda: [play(heats.Tournament(plan, seed=seed), world) for seed in range(5)], 2) / 5
    rng = np.random.Generator(np.random.SFC64(1))
    drawn = seconds(lambda: rng.standard_normal(numbers * 1000), 3) / 1000
    what = f"n = 100, k = 4, B = 500, {name} ({batch * 1e6:.0f} µs a tournament)"
    yield Row(f"{what}: times faster than one by one", f"{single / batch:.0f}", asked)
    yield Row(f"{what}: times the normal numbers alone", f"{batch / drawn:.1f}", "≤ 4")


def _memory() -> Iterator[Row]:
    code = """
import resource, heats
from heats.environments import Gaussian, Winners
for reps in (2000, 20000):
    heats.simulate(heats.plan(100, 4, 500), Winners(Gaussian(100)), reps)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    yield Row("peak memory of 20 000 tournaments over that of 2 000", f"{many / few:.2f}", "≤ 1.1")
