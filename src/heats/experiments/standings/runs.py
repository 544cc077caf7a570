"""A world and the number of a run → the chance that standings state for the winner, and whether it is the best."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import Indices
from heats.base.threads import use_one_thread
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.baselines import RoundRobin
from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import mean
from heats.engine.tournament import Tournament
from heats.environments import Environment
from heats.environments.protocol import Rng
from heats.experiments.standings.worlds import World, draw_world
from heats.planning.build import plan
from heats.planning.plan import Plan


class Run(NamedTuple):
    """What was said of the winner, and whether it is the truly best arm."""

    chance: float
    right: bool


def play_runs(world: World, numbers: range, seed: int) -> list[Run]:
    """Play some runs of a world; each depends on the seed, the world's name and its own number only."""
    if world.group == "adaptive":
        *_, (bests, game) = play_adaptively(world, numbers, seed)
        assert game.posterior is not None
        chances = game.posterior.take_chances(game.winners)
        return [Run(*each) for each in zip(chances.tolist(), (game.winners == bests).tolist(), strict=True)]
    with use_one_thread():
        return [_play_run(world, _draw_seed(world, number, seed)) for number in numbers]


def play_adaptively(world: World, numbers: range, seed: int) -> Iterator[tuple[Indices, WinnerStays]]:
    """Play some runs in step, and yield the truly best arms and the game after every batch."""
    seeds = [_draw_seed(world, number, seed) for number in numbers]
    rngs = [np.random.default_rng(each) for each in seeds]
    drawn = [draw_world(world, *each) for each in zip(seeds, rngs, strict=True)]
    bests = np.array([each.best for each in drawn])
    spec = AdaptiveSpec(world.n_arms, world.heat_size, world.budget)
    game = WinnerStays(spec, mean, randomness.draw_bits(0, np.array(seeds, dtype=np.uint64)))
    with use_one_thread():
        while (stage := game.stage()) is not None:
            rows = [each.sample(heats, 1, rng) for each, heats, rng in zip(drawn, stage.heats, rngs, strict=True)]
            game.hear(drawn[0].kind, np.array(rows), None)
            yield bests, game


def _draw_seed(world: World, number: int, seed: int) -> int:
    """Return the seed of a run of a world."""
    root = randomness.draw_bits(randomness.fold_seed(seed), *repr(world).encode())
    return int(randomness.draw_bits(root, number) >> np.uint64(2))


def _play_run(world: World, seed: int) -> Run:
    rng = np.random.default_rng(seed)
    drawn = draw_world(world, seed, rng)
    machine = _make_machine(world, seed)
    while not machine.done:
        _play_stage(machine, drawn, rng)
    winner = machine.winner
    assert winner is not None
    chance = machine.standings().of(winner).chance
    assert chance is not None
    return Run(chance, winner == drawn.best)


def _play_stage(machine: Machine, drawn: Environment, rng: Rng) -> None:
    """Make all pulls of a stage at once; they all have as many arms."""
    queries = machine.ask(machine.owed)
    rows = drawn.sample(np.array([query.arms for query in queries]), 1, rng)[:, 0]
    for query, row in zip(queries, rows.tolist(), strict=True):
        machine.tell(query, drawn.feedback(query.arms, row))


def _make_machine(world: World, seed: int) -> Machine:
    problem = (world.n_arms, world.heat_size, world.budget)
    if world.group == "round-robin":
        return RoundRobin(*problem, seed=seed)
    return Tournament(_make_plan(*problem, world.kind), seed=seed)


@cache
def _make_plan(n_arms: int, heat_size: int, budget: int, kind: str) -> Plan:
    return plan(n_arms, heat_size, budget, feedback=kind)  # type: ignore[arg-type]  # one of three
