"""A pull as an order: which command lines to run on which instance, and how; and what came of it.

The order is made where the tournament is, and holds all that is needed to run it elsewhere: it is plain data, a pure
function of the scenario, the seed and the query.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.engine.feedback import Race
from heats.engine.machine import Query
from heats.race.outcome import UNKNOWN, Run, Verdict, last_lines, race_of, rewards_of
from heats.race.processes.client import End, Job, Lane, Lanes
from heats.race.scenario import command
from heats.race.scenario.complete import Scenario, Terms

MOST_SEED = 2**31 - 1  # solvers take a signed 32-bit number, some of them not 0


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One heat to run: a command line per arm."""

    arms: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]
    turns: tuple[int, ...]  # in which order they run, if one after another
    instance: str | None
    terms: Terms


class Heat(msgspec.Struct, frozen=True):
    """A heat that was run: what it says to the tournament, and what was measured."""

    feedback: Race | list[float]
    instance: str | None
    runs: tuple[Run, ...]

    @property
    def winner(self) -> int | None:
        """Who finished first or has the best value; None if nobody did."""
        arms = tuple(run.arm for run in self.runs)
        row = self.feedback.row(arms)[: len(arms)] if isinstance(self.feedback, Race) else self.feedback
        return None if max(row) == min(row) else arms[row.index(max(row))]


def order(scenario: Scenario, query: Query) -> Order:
    """Return what to run for a query."""
    turns = randomness.shuffle(query.seed, Purpose.TURN, 0, np.arange(len(query.arms)))
    instance = instance_of(scenario.instances, scenario.seed, query.id)
    return Order(
        arms=query.arms,
        lines=tuple(line_of(scenario, arm, instance, seed_of(query, arm)) for arm in query.arms),
        turns=tuple(turns.tolist()),
        instance=instance,
        terms=scenario.terms,
    )


def instance_of(instances: Sequence[str], seed: int, number: int) -> str | None:
    """Return the instance of a pull: all in a seeded order, then all again in another one."""
    if not instances:
        return None
    time_round, place = divmod(number, len(instances))
    shuffled = randomness.shuffle(randomness.fold_seed(seed), Purpose.INSTANCE, time_round, np.arange(len(instances)))
    return instances[int(shuffled[place])]


def seed_of(query: Query, arm: int) -> int:
    """Return the seed of one run."""
    return 1 + int(randomness.pick_below(MOST_SEED, randomness.draw_bits(query.seed, Purpose.RUN, arm)))


def line_of(scenario: Scenario, arm: int, instance: str | None, seed: int) -> tuple[str, ...]:
    """Return the command line of an arm."""
    given: dict[str, Any] = {"seed": seed, "cutoff": f"{scenario.cutoff:.10g}"}
    given |= {} if instance is None else {"instance": instance}
    return command.fill(scenario.command, scenario.candidates[arm] | given)


def run(order: Order, lanes: Lanes) -> Heat:
    """Run a heat."""
    runs = measure(order, lanes)
    feedback = race_of(runs) if order.terms.rule.objective is None else rewards_of(runs, order.terms.rule)
    return Heat(feedback, order.instance, runs)


def measure(order: Order, lanes: Lanes) -> tuple[Run, ...]:
    """Run the command lines of an order, whatever comes of it."""
    with lanes.borrow() as lane:
        ends = _side_by_side(order, lane) if order.terms.mode == "parallel" else _in_turn(order, lane)
    return _runs(order, ends)


def _side_by_side(order: Order, lane: Lane) -> list[End]:
    """Run all at once; the first to finish stops the others, unless it is the best value that counts."""
    jobs = [_job(order, place, lane, order.terms.cutoff) for place in range(len(order.arms))]
    return lane.run(jobs, lambda end: order.terms.rule.objective is None and _verdict(order, end) == "finished")


def _in_turn(order: Order, lane: Lane) -> list[End]:
    """Run one after another, each for at most as long as the best so far."""
    ends: dict[int, End] = {}
    limit = order.terms.cutoff
    for place in order.turns:
        (end,) = lane.run([_job(order, place, lane, limit)])
        if end.stopped == "limit" and limit < order.terms.cutoff:
            end.stopped = "best"  # time so far was the limit
        ends[place] = end
        if order.terms.rule.objective is None and _verdict(order, end) == "finished":
            limit = min(limit, _seconds(order, end))
    return [ends[place] for place in range(len(order.arms))]


def _job(order: Order, place: int, lane: Lane, limit: float) -> Job:
    return Job(
        argv=order.lines[place],
        cwd=str(order.terms.folder),
        limit=limit,
        wall_limit=order.terms.wall_limit,
        clock=order.terms.clock,
        keep=order.terms.keep,
        sought=order.terms.rule.sought,
        memory=order.terms.memory,
        cores=_cores(order, place, lane) if order.terms.pin else None,
    )


def _cores(order: Order, place: int, lane: Lane) -> tuple[int, ...] | None:
    """Return the core of a run: every lane has its own, one for each of the runs it has side by side."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    mine = lane.number * len(order.arms) + place if order.terms.mode == "parallel" else lane.number
    return (cores[mine % len(cores)],)


def _seconds(order: Order, end: End) -> float:
    return end.cpu if order.terms.clock == "cpu" else end.wall


def _verdict(order: Order, end: End) -> Verdict:
    return order.terms.rule.verdict(end, _seconds(order, end), order.terms.cutoff)


def _runs(order: Order, ends: Sequence[End]) -> tuple[Run, ...]:
    """Return the ends as they are written down."""
    finishers = [end for end in ends if _verdict(order, end) == "finished"]
    first = min((end.ended for end in finishers), default=None)
    runs = []
    for arm, end in zip(order.arms, ends, strict=True):
        verdict = _verdict(order, end)
        value = order.terms.rule.value(end.output) if verdict != "crashed" else None
        runs.append(
            Run(
                arm=arm,
                verdict=verdict,
                seconds=round(_seconds(order, end), 6),
                wall=round(end.wall, 6),
                cpu=round(end.cpu, 6),
                code=end.code,
                memory=end.memory,
                kill_latency=round(end.ended - first, 6) if end.stopped == "race" and first is not None else None,
                value=value,
                last=last_lines(end.output) if verdict == "crashed" else None,
                unknown=UNKNOWN in end.output,
            )
        )
    return tuple(runs)
