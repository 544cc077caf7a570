"""Adaptive play: the cost of a pull beside a tournament's, and of many runs at once beside one by one."""

from __future__ import annotations

from collections.abc import Iterator

import heats
from benchmarks.measure import Row, seconds
from heats.environments import Gaussian, Winners
from heats.environments.protocol import play


def ask_and_tell(machine: heats.Machine) -> None:
    """Play to the end, one pull after the other: the arm with the largest number wins."""
    while query := machine.ask():
        machine.tell(query, heats.Winner(max(query.arms)))


def rows() -> Iterator[Row]:
    """Measure everything."""
    yield from _pulls()
    yield from _runs()


def _pulls() -> Iterator[Row]:
    for times in (1, 3):
        yield _compare_pulls(10**5, 4, times)


def _compare_pulls(n: int, k: int, times: int) -> Row:
    plan = heats.plan(n, k, times * n)
    planned = seconds(lambda: ask_and_tell(heats.Tournament(plan, seed=1)), 2) / plan.cost
    adaptive = seconds(lambda: ask_and_tell(heats.Adaptive(n, k, times * n, seed=1)), 2) / (times * n)
    what = f"cost of a pull of adaptive play over a tournament's, n = {n}, k = {k}, B = {times}n"
    return Row(f"{what} ({adaptive * 1e6:.1f} µs over {planned * 1e6:.1f} µs)", f"{adaptive / planned:.1f}", "≤ 5")


def _runs() -> Iterator[Row]:
    for problem in ((50, 2, 200), (50, 4, 200), (20, 4, 60)):
        yield _compare_runs(*problem)
    yield _compare_runs(100, 10, 500, many=500, asked="")  # there one run alone already works on long arrays


def _compare_runs(n: int, k: int, budget: int, few: int = 5, many: int = 2000, asked: str = "≥ 20") -> Row:
    world = Winners(Gaussian(n))
    alone = seconds(lambda: [play(heats.Adaptive(n, k, budget, seed=i), world) for i in range(few)], 3) / few
    together = seconds(lambda: heats.simulate(heats.Adaptive(n, k, budget), world, many), 2) / many
    what = f"adaptive runs one by one over many at once, n = {n}, k = {k}, B = {budget}"
    return Row(f"{what} ({alone * 1e3:.1f} ms over {together * 1e3:.2f} ms a run)", f"{alone / together:.0f}", asked)
