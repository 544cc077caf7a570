"""Standings: what a look back at all pulls costs, and what it costs in accuracy where there are too many arms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any

import numpy as np

import heats
from benchmarks.measure import Row
from heats.engine.belief import consistent, matrices, strengths
from heats.engine.standings import Standings


def rows() -> Iterator[Row]:
    """Measure everything."""
    for n, pulls, most in ((20, 100, 0.1), (1000, 10_000, 2), (10_000, 100_000, 10)):
        for feedback in ("winner", "ranking", "reward"):
            machine = play(heats.Tournament(heats.plan(n, 4, pulls, feedback=feedback), seed=1), feedback)
            yield _time(machine, f"{n} arms, {machine.spent} pulls of a tournament, {feedback} feedback", most)
    for n, pulls, most in ((1000, 10_000, 2), (10_000, 100_000, 10)):
        machine = play(heats.RoundRobin(n, 4, pulls, seed=1), "winner")
        yield _time(machine, f"{n} arms, {pulls} pulls that are all different, winner feedback", most)
    yield from _accuracy()


def play(machine: heats.Machine, feedback: str) -> heats.Machine:
    """Play a machine among arms of normal strengths."""
    rng = np.random.default_rng(1)
    strengths = rng.normal(size=machine.n_arms)
    while queries := machine.ask(1 << 20):
        for query in queries:
            luck = strengths[list(query.arms)] + rng.gumbel(size=len(query.arms))
            order = [query.arms[place] for place in np.argsort(-luck)]
            said = {"winner": heats.Winner(order[0]), "ranking": heats.Ranking(order), "reward": luck.tolist()}
            machine.tell(query, said[feedback])
    return machine


def _time(machine: heats.Machine, what: str, most: float) -> Row:
    machine.standings()  # loads SciPy
    start = process_time()
    machine.standings()
    return Row(f"standings of {what}: CPU seconds", f"{process_time() - start:.2f}", f"< {most}")


def _accuracy() -> Iterator[Row]:
    """Take the way of many arms for few enough to be exact, and compare."""
    for n, pulls in ((250, 500), (250, 2500)):  # all of them are treated together
        for feedback in ("winner", "reward"):
            machine = play(heats.Tournament(heats.plan(n, 4, pulls, feedback=feedback), seed=1), feedback)
            exact = machine.standings()
            with _most_together(100):
                rough = machine.standings()
            chance, strength = _compare(exact, rough)
            what = f"{n} arms, {pulls} pulls, {feedback} feedback, only 100 treated together: largest error of a"
            yield Row(f"{what} chance", f"{chance:.3f}", "< 0.05")
            yield Row(f"{what} strength, over the width of its interval", f"{strength:.2f}", "")


@contextmanager
def _most_together(arms: int) -> Iterator[None]:
    files: tuple[Any, ...] = (consistent, matrices, strengths)
    before = [each.MOST_TOGETHER for each in files]
    try:
        for each in files:
            each.MOST_TOGETHER = arms
        yield
    finally:
        for each, most in zip(files, before, strict=True):
            each.MOST_TOGETHER = most


def _compare(exact: Standings, rough: Standings) -> tuple[float, float]:
    """Return the largest differences of chances and, in widths of the exact interval, of strengths."""
    found = {row.arm: row for row in rough.rows}
    chances = [abs((row.chance or 0) - (found[row.arm].chance or 0)) for row in exact.rows]
    strengths = [
        abs((row.strength or 0) - (found[row.arm].strength or 0)) / ((row.high or 0) - (row.low or 0))
        for row in exact.rows
    ]
    return max(chances), max(strengths)
