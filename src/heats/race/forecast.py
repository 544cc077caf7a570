"""How long a race will take: the runs of a check are kept beside the scenario, and heats are drawn from their times.

It is a forecast: instances differ, and whoever stays in the race is faster than most.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.files import read_regular_file
from heats.base.randomness import Purpose
from heats.base.times import say_seconds
from heats.errors import InvalidArgument
from heats.journal.draft import write_whole
from heats.race.outcome import Run
from heats.race.scenario import Scenario

DRAWN_HEATS = 400
MOST_FILE_BYTES = 64 << 20


class KeptRuns(msgspec.Struct, frozen=True):
    """A run of every candidate, and of what race: a hash of all that their times depend on."""

    race: str
    runs: tuple[Run, ...]


def keep_runs(scenario: Scenario, runs: Sequence[Run]) -> None:
    """Keep the runs of a check beside the scenario, if they can be written there and nothing else has that place."""
    file = _find_file(scenario)
    if _read_file(file) is not None or not file.exists():
        with suppress(OSError):
            write_whole(file, msgspec.json.encode(KeptRuns(_identify(scenario), tuple(runs))))


def load_runs(scenario: Scenario) -> tuple[Run, ...] | None:
    """Return the runs of the last check of this very race, if there was one."""
    kept = _read_file(_find_file(scenario))
    if kept is None or kept.race != _identify(scenario):
        return None
    return kept.runs if [run.arm for run in kept.runs] == list(range(len(scenario.candidates))) else None


def _read_file(file: Path) -> KeptRuns | None:
    """Return what a file keeps; None if it is not there, or not ours."""
    try:
        return msgspec.json.decode(read_regular_file(file, MOST_FILE_BYTES), type=KeptRuns)
    except (InvalidArgument, msgspec.DecodeError):
        return None


def _find_file(scenario: Scenario) -> Path:
    return scenario.path.with_suffix(".check.json")


def _identify(scenario: Scenario) -> str:
    known = [scenario.command, scenario.candidates, scenario.cutoff, scenario.clock, scenario.memory, scenario.rule]
    return hashlib.sha256(repr(known).encode()).hexdigest()


def say_how_long(scenario: Scenario) -> str:
    """Return a sentence about the time a race takes, by the runs of a check or, without one, at most."""
    runs = load_runs(scenario)
    if runs is None:
        longest = say_seconds(bound_seconds(scenario))
        return (
            f"Its runs take at most about {longest}, if none finishes before the cutoff, and starting them comes on "
            "top; --check finds out more."
        )
    return f"It takes about {say_seconds(forecast_seconds(scenario, runs))}, by the runs of --check."


def bound_seconds(scenario: Scenario) -> float:
    """Return how long a race takes in which every run goes on to the cutoff."""
    runs_each = 1 if scenario.mode == "parallel" else scenario.spec.heat_size
    return scenario.cutoff * (_count_heats_in_turn(scenario) * runs_each + 2 * _count_validations_in_turn(scenario))


def forecast_seconds(scenario: Scenario, runs: Sequence[Run]) -> float:
    """Return how long a race takes whose runs are like those of a check, each candidate's like its own."""
    seed, arms = randomness.fold_seed(scenario.seed), np.arange(len(runs))
    heats = (
        [runs[arm] for arm in randomness.shuffle(seed, Purpose.FORECAST, number, arms)[: scenario.spec.heat_size]]
        for number in range(DRAWN_HEATS)
    )
    each = sum(_time_heat(scenario, heat) for heat in heats) / DRAWN_HEATS
    return each * _count_heats_in_turn(scenario) + _time_validation(scenario, runs)


def _count_heats_in_turn(scenario: Scenario) -> int:
    """Return how many heats run one after the other: a batch, or a round, waits for all heats of the one before."""
    return sum(math.ceil(heats / scenario.heats_at_once) for heats in scenario.stages)


def _time_heat(scenario: Scenario, heat: Sequence[Run]) -> float:
    """Return how long a heat takes of runs in this order."""
    if scenario.rule.objective is not None:
        return (max if scenario.mode == "parallel" else sum)(run.wall for run in heat)
    if scenario.mode == "parallel":
        finished = [run.wall for run in heat if run.verdict == "finished"]
        return min(finished) if finished else max(run.wall for run in heat)
    total, best = 0.0, math.inf
    for run in heat:
        total += run.wall * min(1.0, best / max(run.seconds, 1e-9))
        best = min(best, run.seconds) if run.verdict == "finished" else best
    return total


def _time_validation(scenario: Scenario, runs: Sequence[Run]) -> float:
    """Return how long winner and opponent take on held-out instances, if the winner is the fastest of the check."""
    if scenario.held_out is None:
        return 0.0
    against = scenario.held_out.against
    winner = min(runs, key=lambda run: (run.verdict != "finished", run.wall))
    opponent = winner if against is None else runs[against]
    return (winner.wall + opponent.wall) * _count_validations_in_turn(scenario)


def _count_validations_in_turn(scenario: Scenario) -> int:
    return 0 if scenario.held_out is None else math.ceil(len(scenario.held_out.instances) / scenario.slots)
