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
from heats.race.outcome import UNKNOWN, Run, Verdict, make_race, make_rewards, take_last_lines
from heats.race.processes import End, Guardian, GuardianPool, Job
from heats.race.scenario import Scenario, Terms, fill_command

LARGEST_SEED = 2**31 - 1  # solvers take a signed 32-bit number, some of them not 0


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One heat to run: a command line per arm."""

    arms: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]
    turns: tuple[int, ...]  # in which order they run, if one after another
    instance: str | None
    terms: Terms


class HeatResult(msgspec.Struct, frozen=True):
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


def make_order(scenario: Scenario, query: Query) -> Order:
    """Return what to run for a query."""
    turns = randomness.shuffle(query.seed, Purpose.TURN, 0, np.arange(len(query.arms)))
    instance = choose_instance(scenario.instances, scenario.seed, query.id)
    return Order(
        arms=query.arms,
        lines=tuple(fill_command_line(scenario, arm, instance, draw_seed(query, arm)) for arm in query.arms),
        turns=tuple(turns.tolist()),
        instance=instance,
        terms=scenario.terms,
    )


def choose_instance(instances: Sequence[str], seed: int, number: int) -> str | None:
    """Return the instance of a pull: all in a seeded order, then all again in another one."""
    if not instances:
        return None
    return instances[randomness.draw_in_turn(seed, Purpose.INSTANCE, number, len(instances))]


def draw_seed(query: Query, arm: int) -> int:
    """Return the seed of one run."""
    return 1 + int(randomness.pick_below(LARGEST_SEED, randomness.draw_bits(query.seed, Purpose.RUN, arm)))


def fill_command_line(scenario: Scenario, arm: int, instance: str | None, seed: int) -> tuple[str, ...]:
    """Return the command line of an arm."""
    given: dict[str, Any] = {"seed": seed, "cutoff": f"{scenario.cutoff:.10g}"}
    given |= {} if instance is None else {"instance": instance}
    return fill_command(scenario.command, scenario.candidates[arm] | given)


def run_heat(order: Order, guardians: GuardianPool) -> HeatResult:
    """Run a heat."""
    runs = run_commands(order, guardians)
    feedback = make_race(runs) if order.terms.rule.objective is None else make_rewards(runs, order.terms.rule)
    return HeatResult(feedback, order.instance, runs)


def run_commands(order: Order, guardians: GuardianPool) -> tuple[Run, ...]:
    """Run the command lines of an order, whatever comes of it."""
    with guardians.borrow(isolate=order.terms.isolate) as guardian:
        side_by_side = order.terms.mode == "parallel"
        ends = _run_side_by_side(order, guardian) if side_by_side else _run_in_turn(order, guardian)
    return _make_runs(order, ends)


def _run_side_by_side(order: Order, guardian: Guardian) -> list[End]:
    """Run all at once; the first to finish stops the others, unless it is the best value that counts."""
    jobs = [_make_job(order, place, guardian, order.terms.cutoff) for place in range(len(order.arms))]
    return guardian.run(jobs, lambda end: order.terms.rule.objective is None and _judge(order, end) == "finished")


def _run_in_turn(order: Order, guardian: Guardian) -> list[End]:
    """Run one after another, each for at most as long as the best so far."""
    ends: dict[int, End] = {}
    limit = order.terms.cutoff
    for place in order.turns:
        (end,) = guardian.run([_make_job(order, place, guardian, limit)])
        if end.stopped == "limit" and limit < order.terms.cutoff:
            end.stopped = "best"  # time so far was the limit
        ends[place] = end
        if order.terms.rule.objective is None and _judge(order, end) == "finished":
            limit = min(limit, _get_seconds(order, end))
    return [ends[place] for place in range(len(order.arms))]


def _make_job(order: Order, place: int, guardian: Guardian, limit: float) -> Job:
    return Job(
        argv=order.lines[place],
        cwd=str(order.terms.folder),
        limit=limit,
        wall_limit=order.terms.wall_limit,
        clock=order.terms.clock,
        keep=order.terms.keep,
        patterns=order.terms.rule.patterns,
        memory=order.terms.memory,
        cores=_choose_cores(order, place, guardian) if order.terms.pin else None,
    )


def _choose_cores(order: Order, place: int, guardian: Guardian) -> tuple[int, ...] | None:
    """Return the core of a run: every guardian has its own, one for each run it has side by side."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    mine = guardian.number * len(order.arms) + place if order.terms.mode == "parallel" else guardian.number
    return (cores[mine % len(cores)],)


def _get_seconds(order: Order, end: End) -> float:
    return end.cpu if order.terms.clock == "cpu" else end.wall


def _judge(order: Order, end: End) -> Verdict:
    return order.terms.rule.judge(end, _get_seconds(order, end), order.terms.cutoff)


def _make_runs(order: Order, ends: Sequence[End]) -> tuple[Run, ...]:
    """Return the ends as they are written down."""
    finishers = [end for end in ends if _judge(order, end) == "finished"]
    first = min((end.ended for end in finishers), default=None)
    runs = []
    for arm, end in zip(order.arms, ends, strict=True):
        verdict = _judge(order, end)
        rule = order.terms.rule
        value = rule.find_value(end.output) if verdict != "crashed" else None
        is_silent = verdict == "crashed" or (rule.objective is not None and value is None)
        runs.append(
            Run(
                arm=arm,
                verdict=verdict,
                seconds=round(_get_seconds(order, end), 6),
                wall=round(end.wall, 6),
                cpu=round(end.cpu, 6),
                code=end.code,
                memory=end.memory,
                kill_latency=round(end.ended - first, 6) if end.stopped == "race" and first is not None else None,
                value=value,
                last=take_last_lines(end.output) if is_silent else None,
                unknown=UNKNOWN in end.output,
            )
        )
    return tuple(runs)
