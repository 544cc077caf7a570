"""A race with everything decided: the file, completed by its candidates and instances, the machine and the options."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from heats.base.checks import one_of, whole
from heats.base.naming import tabulate_parameters, tell_apart
from heats.base.text import make_printable
from heats.engine.adaptive import Adaptive
from heats.engine.specs import AdaptiveSpec, Spec, TournamentSpec
from heats.engine.tournament import Tournament
from heats.errors import BrokenFile, InvalidArgument, show_value
from heats.journal.origin import Drawn
from heats.planning.build import plan
from heats.planning.plan import FeedbackHint
from heats.race.outcome import Rule
from heats.race.scenario.amounts import parse_bytes, parse_seconds
from heats.race.scenario.candidates import load_candidates
from heats.race.scenario.command import check_command, has_placeholder, name_candidate
from heats.race.scenario.drawing import Source
from heats.race.scenario.file import Clock, Mode, RaceTable, ScenarioFile, find_line, load_file
from heats.race.scenario.held_out import HeldOut, hold_out
from heats.race.scenario.instances import find_instances
from heats.race.scenario.spaces import Candidate
from heats.running.lookout import check_sure
from heats.running.strategies import STRATEGIES, Said, choose_heat_size, choose_strategy, is_adaptive, make_adaptive

MOST_BUDGET_HEATS = 10_000_000  # more than anyone runs, so a slip
MOST_SLOTS = 10_000
MOST_OUTPUT_BYTES = 256 << 20
WALL_CUTOFFS_PER_CPU_CUTOFF = 10  # a run that only sleeps uses no CPU time, and has to end, too


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for all heats of a race."""

    folder: Path  # where commands run: paths on command lines are relative to the file, too
    mode: Mode
    clock: Clock
    cutoff: float  # seconds of the clock
    rule: Rule
    memory: int | None  # bytes
    pin: bool
    isolate: bool  # runs see no processes but their own, where the system allows that
    keep: int  # bytes of output

    @property
    def wall_limit(self) -> float:
        """Seconds of wall time after which a run is stopped in any case."""
        return self.cutoff * (WALL_CUTOFFS_PER_CPU_CUTOFF if self.clock == "cpu" else 1)


class Scenario(Terms, frozen=True, kw_only=True):
    """A race: nothing in it is relative, optional or unchecked."""

    path: Path
    command: tuple[str | tuple[str, ...], ...]
    candidates: tuple[Candidate, ...]
    names: tuple[str, ...]  # of the candidates
    drawn: Drawn | None  # how many came from the space, where they were drawn to be among the best
    default: int | None  # which of them is the default one of the space
    source: Source | None  # where more of them can be drawn
    instances: tuple[str, ...]
    spec: TournamentSpec | AdaptiveSpec  # what is played
    stages: tuple[int, ...]  # heats to run, at most, batch by batch or round by round
    sure: float | None  # when to end before that
    seed: int
    slots: int
    held_out: HeldOut | None  # to validate the winner on, once there is one

    @property
    def terms(self) -> Terms:
        """The part that every heat needs."""
        return Terms(**{name: getattr(self, name) for name in Terms.__struct_fields__})

    @property
    def heats(self) -> int:
        """How many heats there are, at most."""
        return sum(self.stages)

    @property
    def heats_at_once(self) -> int:
        """How many heats run side by side: each run has a slot of its own."""
        return max(1, self.slots // self.spec.heat_size) if self.mode == "parallel" else self.slots


def load_scenario(path: str | Path, overrides: Mapping[str, Any] | None = None, begun: Spec | None = None) -> Scenario:
    """Read a scenario; ``overrides`` replace keys of its [race] table where they are not None.

    ``begun`` is what a race that is gone on with plays: where no strategy is said, it stays.
    """
    file = Path(path).absolute()
    said = {key: value for key, value in (overrides or {}).items() if value is not None}
    written = load_file(file, said)
    try:
        return complete_scenario(written, file, begun)
    except BrokenFile:
        raise
    except InvalidArgument as error:
        if error.argument in said:
            raise
        line = find_line(file, str(error))
        at = "" if line is None else f", line {line}"
        raise type(error)(make_printable(f"{file}{at}: {error}")) from None


def complete_scenario(
    written: ScenarioFile, file: Path, begun: Spec | None = None, instances: tuple[str, ...] | None = None
) -> Scenario:
    """Decide everything a file leaves open; ``instances`` are those of a race whose are no files."""
    race, folder = written.race, file.parent
    listed = [each for each in (race.candidates, written.candidates) if each is not None]
    lineup = load_candidates(listed, written.space, folder, whole("seed", race.seed, 0))
    candidates = lineup.candidates
    check_command(race.command, candidates)
    slots = count_cores() if race.slots is None else whole("slots", race.slots, 1, MOST_SLOTS)
    machine = _make_machine(race, len(candidates), begun)
    assert isinstance(machine.spec, TournamentSpec | AdaptiveSpec)
    names = _name_candidates(candidates)
    instances = _find_instances(race, folder) if instances is None else instances
    mode = race.mode or ("parallel" if slots >= machine.spec.heat_size else "capped")
    return Scenario(
        path=file,
        folder=folder,
        command=(_find_program(race.command[0], folder), *map(_freeze, race.command[1:])),
        candidates=candidates,
        names=names,
        drawn=lineup.drawn,
        default=lineup.default,
        source=lineup.source,
        instances=instances,
        spec=machine.spec,
        stages=machine.stage_sizes,
        sure=check_sure(race.sure, machine),
        seed=race.seed,
        mode=mode,
        clock=_check_clock(race) if mode == "capped" else "wall",
        slots=slots,
        cutoff=parse_seconds("cutoff", race.cutoff),
        rule=Rule(**{name: getattr(race, name) for name in Rule.__struct_fields__}),
        memory=None if race.memory is None else parse_bytes("memory", race.memory),
        pin=race.pin,
        isolate=race.isolate,
        keep=parse_bytes("output", race.output, MOST_OUTPUT_BYTES),
        held_out=None
        if written.validate is None
        else hold_out(written.validate, folder, instances, candidates, names, lineup.default, "validate"),
    )


def replace_candidates(scenario: Scenario, candidates: tuple[Candidate, ...], names: Sequence[str]) -> Scenario:
    """Return the same race of other candidates, the first of which are called so."""
    check_command(scenario.command, candidates)
    called = list(names)
    for arm, name in enumerate(_name_candidates(candidates)[len(names) :], len(names)):
        called.append(name if name not in called else f"{name} #{arm}")
    spec = scenario.spec
    if isinstance(spec, AdaptiveSpec):  # a plan takes nobody in
        spec = msgspec.structs.replace(spec, n_arms=len(candidates))
    return msgspec.structs.replace(scenario, candidates=candidates, names=tuple(called), spec=spec)


def _name_candidates(candidates: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Return short names; where a journal would know a candidate by its name only, as on the command line."""
    finite = all(math.isfinite(value) for each in candidates for value in each.values() if isinstance(value, float))
    return tell_apart(tabulate_parameters(candidates).names if finite else tuple(map(name_candidate, candidates)))


def _freeze(part: str | list[str]) -> str | tuple[str, ...]:
    return part if isinstance(part, str) else tuple(part)


def _make_machine(race: RaceTable, n_arms: int, begun: Spec | None) -> Tournament | Adaptive:
    """Return what is played, or refuse what does not go together."""
    whole("budget", race.budget, 1, MOST_BUDGET_HEATS, why="each heat runs programs")
    if race.strategy is not None:
        one_of("strategy", race.strategy.lower(), STRATEGIES)
    hint: FeedbackHint = "winner" if race.objective is None else "reward"
    planning = {"record": race.record, "edge": race.edge, "blind": race.blind}
    said = Said(
        n_arms=n_arms,
        heat_size=race.heat_size,
        budget=race.budget,
        feedback=hint,
        strategy=race.strategy,
        batches=race.batches,
        sure=race.sure,
        statistic=None,
        planning=planning | {"early": race.early},
    )
    strategy = choose_strategy(said, begun)
    if is_adaptive(strategy):
        return make_adaptive(said, race.budget, begun)
    size = choose_heat_size(race.heat_size, n_arms)
    chosen: dict[str, Any] = {name: value for name, value in planning.items() if value is not None}
    return Tournament(plan(n_arms, size, race.budget, strategy, feedback=hint, **chosen), early=race.early)


def _find_instances(race: RaceTable, folder: Path) -> tuple[str, ...]:
    found = find_instances(race.instances, folder)
    if found and not has_placeholder(race.command, "instance"):
        raise InvalidArgument("there are instances, but the command has no {instance}; put it where the file goes.")
    if not found and has_placeholder(race.command, "instance"):
        raise InvalidArgument(
            'the command has {instance}, but there are no instances; say which, as instances = "instances/*.cnf".'
        )
    return found


def _check_clock(race: RaceTable) -> Clock:
    if race.clock == "cpu" and not Path("/proc/self/stat").exists():
        raise InvalidArgument('clock = "cpu" needs the /proc of Linux; use clock = "wall" here.')
    return race.clock


def _find_program(part: str | list[str], folder: Path) -> str:
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
        raise InvalidArgument(
            f"the command {show_value(program)} is not found {where}; install it, or correct race.command."
        )
    return found


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def list_warnings(scenario: Scenario) -> Iterator[str]:
    """Yield what may surprise: cores that are shared, instances that come again."""
    size, slots, instances = scenario.spec.heat_size, scenario.slots, len(scenario.instances)
    cores = count_cores()
    if slots > cores:
        yield f"slots={slots} is more than the {cores} cores of this machine: runs share them and are slower."
    if scenario.mode == "parallel" and size > slots:
        yield (
            f"{size} runs side by side share {slots} slots, so who finishes first depends on luck; "
            'mode="capped" runs them one after another instead.'
        )
    if instances and scenario.heats > instances:
        files = "1 instance" if instances == 1 else f"{instances} instances"
        yield (
            f"budget={scenario.spec.budget} is more than the {files}: each is used up to "
            f"{math.ceil(scenario.heats / instances)} times, in a new order every time round."
        )
