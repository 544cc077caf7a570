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
    n, k = 10**5, 4
    for times in (1, 3):
        budget = times * n
        plan = heats.plan(n, k, budget)
        planned = seconds(lambda: ask_and_tell(heats.Tournament(plan, seed=1)), 2) / plan.cost  # noqa: B023
        adaptive = seconds(lambda: ask_and_tell(heats.Adaptive(n, k, budget, seed=1)), 2) / budget  # noqa: B023
        what = f"cost of a pull of adaptive play over a tournament's, n = 10⁵, k = 4, B = {times}n"
        yield Row(f"{what} ({adaptive * 1e6:.1f} µs over {planned * 1e6:.1f} µs)", f"{adaptive / planned:.1f}", "≤ 5")


def _runs() -> Iterator[Row]:
    for n, k, budget in ((50, 2, 200), (50, 4, 200), (20, 4, 60)):
        world, few, many = Winners(Gaussian(n)), 5, 2000
        one = seconds(lambda: [play(heats.Adaptive(n, k, budget, seed=i), world) for i in range(few)], 3) / few  # noqa: B023
        all_ = seconds(lambda: heats.simulate(heats.Adaptive(n, k, budget), world, many), 2) / many  # noqa: B023
        what = f"adaptive runs one by one over many at once, n = {n}, k = {k}, B = {budget}"
        yield Row(f"{what} ({one * 1e3:.1f} ms over {all_ * 1e3:.2f} ms a run)", f"{one / all_:.0f}", "≥ 20")
