"""Worlds → what came of their runs, which are played in parts on all cores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from heats.experiments.shared.jobs import run_jobs
from heats.experiments.standings.worlds import World

Part = TypeVar("Part")
Play = Callable[[World, range], Part]  # a world and the numbers of some runs → what came of them


def play_in_parts(
    play: Play[Part], worlds: Iterable[World], reps: int, size: int, workers: int, tick: Callable[[int], None]
) -> Iterator[tuple[World, list[Part]]]:
    """Yield the worlds that are finished, each with what came of its parts, in order; they may finish in any.

    A part has ``size`` runs, the last of a world maybe fewer.
    """
    parts = {world: _cut(range(world.count_runs(reps)), size) for world in worlds}
    jobs = [(world, numbers) for world, cuts in parts.items() for numbers in cuts]
    found: dict[World, dict[range, Part]] = defaultdict(dict)
    for world, numbers, part in run_jobs(partial(_play_part, play), jobs, workers):
        found[world][numbers] = part
        tick(len(numbers))
        if len(found[world]) == len(parts[world]):
            yield world, [found[world][numbers] for numbers in parts[world]]


def _cut(runs: range, size: int) -> list[range]:
    return [runs[start : start + size] for start in runs[::size]]


def _play_part(play: Play[Part], world: World, numbers: range) -> tuple[World, range, Part]:
    return world, numbers, play(world, numbers)
