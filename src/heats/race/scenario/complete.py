"""A race with everything decided: the file, completed by its candidates and instances, the machine and the options."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from heats.base.checks import whole
from heats.errors import BrokenFile, InvalidArgument
from heats.planning.build import plan
from heats.planning.plan import FeedbackHint, Plan
from heats.race.outcome import Rule
from heats.race.scenario import command, entries
from heats.race.scenario import file as file_format
from heats.race.scenario.file import Clock, Mode, RaceTable, ScenarioFile
from heats.race.scenario.space import Candidate

HEAT_SIZE = 4
MANY = 10_000_000  # heats; more than anyone runs, so a slip
ASLEEP = 10  # by the CPU clock a run may take so many cutoffs of wall time: one that sleeps has to end, too


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for all heats of a race."""

    folder: Path  # where commands run: paths on command lines are relative to the file, too
    mode: Mode
    clock: Clock
    cutoff: float  # seconds of the clock
    rule: Rule
    memory: int | None  # bytes
    pin: bool
    keep: int  # bytes of output

    @property
    def wall_limit(self) -> float:
        """Seconds of wall time after which a run is stopped in any case."""
        return self.cutoff * (ASLEEP if self.clock == "cpu" else 1)


class Scenario(Terms, frozen=True, kw_only=True):
    """A race: nothing in it is relative, optional or unchecked."""

    path: Path
    command: tuple[str | tuple[str, ...], ...]
    candidates: tuple[Candidate, ...]
    names: tuple[str, ...]  # of the candidates
    instances: tuple[str, ...]
    plan: Plan
    seed: int
    slots: int

    @property
    def terms(self) -> Terms:
        """The part that every heat needs."""
        return Terms(**{name: getattr(self, name) for name in Terms.__struct_fields__})

    @property
    def lanes(self) -> int:
        """How many heats run side by side: each run has a slot of its own."""
        return max(1, self.slots // self.plan.heat_size) if self.mode == "parallel" else self.slots


def read(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Read a scenario; ``overrides`` replace keys of its [race] table where they are not None."""
    file = Path(path).absolute()
    said = file_format.read(file, {key: value for key, value in (overrides or {}).items() if value is not None})
    try:
        return _completed(said, file)
    except BrokenFile:
        raise
    except InvalidArgument as error:
        raise type(error)(f"{file}: {error}") from None


def _completed(said: ScenarioFile, file: Path) -> Scenario:
    race, folder = said.race, file.parent
    given = [each for each in (race.candidates, said.candidates, said.space) if each is not None]
    candidates = entries.candidates(given, folder, whole("seed", race.seed, 0))
    command.check(race.command, candidates)
    slots = cores() if race.slots is None else whole("slots", race.slots, 1)
    layout = _plan(race, len(candidates))
    mode = race.mode or ("parallel" if slots >= layout.heat_size else "capped")
    return Scenario(
        path=file,
        folder=folder,
        command=(_program(race.command[0], folder), *map(_frozen, race.command[1:])),
        candidates=candidates,
        names=tuple(map(command.describe, candidates)),
        instances=_instances(race, folder),
        plan=layout,
        seed=race.seed,
        mode=mode,
        clock=_clock(race) if mode == "capped" else "wall",
        slots=slots,
        cutoff=file_format.seconds("cutoff", race.cutoff),
        rule=Rule(**{name: getattr(race, name) for name in Rule.__struct_fields__}),
        memory=None if race.memory is None else file_format.size("memory", race.memory),
        pin=race.pin,
        keep=file_format.size("output", race.output),
    )


def _frozen(part: str | list[str]) -> str | tuple[str, ...]:
    return part if isinstance(part, str) else tuple(part)


def _plan(race: RaceTable, n_arms: int) -> Plan:
    whole("budget", race.budget, 1, MANY, why="each heat runs programs")
    size = min(HEAT_SIZE, n_arms) if race.heat_size is None else race.heat_size
    said = {"strategy": race.strategy, "record": race.record, "edge": race.edge}
    chosen: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    told: FeedbackHint = "winner" if race.objective is None else "reward"
    return plan(n_arms, size, race.budget, feedback=told, blind=race.blind, **chosen)


def _instances(race: RaceTable, folder: Path) -> tuple[str, ...]:
    found = entries.instances(race.instances, folder)
    if found and not command.uses(race.command, "instance"):
        raise InvalidArgument("there are instances, but the command has no {instance}; put it where the file goes.")
    if not found and command.uses(race.command, "instance"):
        raise InvalidArgument(
            'the command has {instance}, but there are no instances; say which, as instances = "instances/*.cnf".'
        )
    return found


def _clock(race: RaceTable) -> Clock:
    if race.clock == "cpu" and not Path("/proc/self/stat").exists():
        raise InvalidArgument('clock = "cpu" needs the /proc of Linux; use clock = "wall" here.')
    return race.clock


def _program(part: str | list[str], folder: Path) -> str:
    """Return the program to start, by its path if only this Python has it or it is heats; refuse one that is not there.

    One with a placeholder in its name is looked for when it runs.
    """
    program = str(part)
    if "{" in program:
        return program
    if os.sep in program:
        found = shutil.which(folder / program) and program
    else:
        own = shutil.which(program, path=Path(sys.executable).parent)
        found = program if shutil.which(program) and not (own and program == "heats") else own
    if found is None:
        where = f"in {folder}, or it is not executable" if os.sep in program else "on the PATH"
        raise InvalidArgument(f"the command {program!r} is not found {where}; install it, or mend race.command.")
    return found


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def warnings(scenario: Scenario) -> Iterator[str]:
    """Yield what may surprise: cores that are shared, instances that come again."""
    size, slots, tracks = scenario.plan.heat_size, scenario.slots, len(scenario.instances)
    if slots > cores():
        yield f"slots={slots} is more than the {cores()} cores of this machine: runs share them and are slower."
    if scenario.mode == "parallel" and size > slots:
        yield (
            f"{size} runs side by side share {slots} slots, so who finishes first depends on luck; "
            'mode="capped" runs them one after another instead.'
        )
    if tracks and scenario.plan.cost > tracks:
        files = "1 instance" if tracks == 1 else f"{tracks} instances"
        yield (
            f"budget={scenario.plan.budget} is more than the {files}: each is used up to "
            f"{math.ceil(scenario.plan.cost / tracks)} times, in a new order every time round."
        )
