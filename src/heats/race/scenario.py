"""A race as a TOML file: read, checked, and completed with what the machine and the flags say."""

from __future__ import annotations

import math
import os
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from heats.engine.checks import whole
from heats.engine.plan import Plan, plan
from heats.errors import BrokenFile, InvalidArgument
from heats.race import command, field
from heats.race.outcome import Goal, Rule
from heats.race.space import Candidate

Mode: TypeAlias = Literal["parallel", "capped"]
Clock: TypeAlias = Literal["wall", "cpu"]

HEAT_SIZE = 4
LARGEST_HEAT = 1024  # runs side by side; more than any machine has cores
PATIENCE = 10  # by the CPU clock a run may take so many cutoffs of wall time: one that sleeps has to end, too

_SECONDS = {"ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600}
_BYTES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SPOKEN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}  # msgspec's words for TOML's kinds of values


class RaceTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The [race] table, as written."""

    command: list[str | list[str]]
    budget: int
    cutoff: str | int | float
    instances: str | list[str] | None = None
    heat_size: int | None = None
    mode: Mode | None = None
    slots: int | None = None
    clock: Clock = "wall"
    seed: int = 0
    strategy: str | None = None
    record: str | None = None
    blind: bool = False
    finished: tuple[int, ...] = (0, 10, 20)
    undecided: tuple[int, ...] = (0,)
    pattern: str | None = None
    objective: str | None = None
    goal: Goal = "minimize"
    missing: float | None = None
    memory: str | int | None = None
    pin: bool = False
    output: str | int = "64 KB"


class ScenarioFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file, as written."""

    race: RaceTable
    candidates: str | list[dict[str, str | int | float | bool]] | None = None
    space: dict[str, Any] | None = None


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A race with everything decided: nothing in it is relative, optional or unchecked."""

    path: Path
    folder: Path  # where commands run
    command: tuple[str | tuple[str, ...], ...]
    candidates: tuple[Candidate, ...]
    instances: tuple[str, ...]
    plan: Plan
    seed: int
    mode: Mode
    clock: Clock
    slots: int
    cutoff: float  # seconds of the clock
    rule: Rule
    memory: int | None  # bytes
    pin: bool
    keep: int  # bytes of output
    warnings: tuple[str, ...]

    @property
    def lanes(self) -> int:
        """How many heats run side by side: each run has a slot of its own."""
        return max(1, self.slots // self.plan.heat_size) if self.mode == "parallel" else self.slots

    @property
    def wall_limit(self) -> float:
        """Seconds of wall time after which a run is stopped in any case."""
        return self.cutoff * (PATIENCE if self.clock == "cpu" else 1)

    @property
    def names(self) -> list[str]:
        """What to call the candidates."""
        return [command.describe(candidate) for candidate in self.candidates]


def read(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Read a scenario; ``overrides`` replace keys of its [race] table where they are not None."""
    file = Path(path).absolute()
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"the scenario {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BrokenFile(f"{path} is no text in UTF-8; a scenario in TOML was expected.") from None
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    try:
        return _completed(_parsed(text, given), file)
    except tomllib.TOMLDecodeError as error:
        raise BrokenFile(f"{path} is no TOML: {_as_line(str(error))}.") from None
    except msgspec.ValidationError as error:
        raise BrokenFile(_explained(str(path), text, str(error))) from None
    except BrokenFile:
        raise
    except InvalidArgument as error:
        raise type(error)(f"{path}: {error}") from None


def _parsed(text: str, given: Mapping[str, Any]) -> ScenarioFile:
    data = tomllib.loads(text)
    if isinstance(data.get("race"), dict):
        data["race"] |= given
    return msgspec.convert(data, ScenarioFile)


def _completed(said: ScenarioFile, file: Path) -> Scenario:
    race, folder = said.race, file.parent
    entrants = field.candidates(said.candidates, said.space, folder, race.seed)
    command.check(race.command, entrants)
    tracks = field.instances(race.instances, folder)
    if command.uses(race.command, "instance") != bool(tracks):
        raise InvalidArgument(
            "the command has {instance}, but there are no instances; say which, as instances = \"instances/*.cnf\"."
            if not tracks
            else "there are instances, but the command has no {instance}; put it where the file goes."
        )  # fmt: skip
    cutoff = _amount("cutoff", race.cutoff, _SECONDS, "s")
    keep = int(_amount("output", race.output, _BYTES, "B"))
    memory = None if race.memory is None else int(_amount("memory", race.memory, _BYTES, "B"))
    size = min(HEAT_SIZE, len(entrants)) if race.heat_size is None else race.heat_size
    chosen = {"strategy": race.strategy, "record": race.record}
    layout = plan(
        len(entrants), size, race.budget, blind=race.blind, **{k: v for k, v in chosen.items() if v is not None}  # type: ignore[arg-type]  # checked there
    )  # fmt: skip
    whole("heat_size", size, 2, LARGEST_HEAT)
    whole("seed", race.seed, 0)
    cores = _cores()
    slots = cores if race.slots is None else whole("slots", race.slots, 1)
    mode = race.mode or ("parallel" if slots >= size else "capped")
    if race.clock == "cpu" and not Path("/proc/self/stat").exists():
        raise InvalidArgument('clock = "cpu" needs the /proc of Linux; use clock = "wall" here.')
    _find_program(race.command, folder)
    return Scenario(
        path=file,
        folder=folder,
        command=tuple(part if isinstance(part, str) else tuple(part) for part in race.command),
        candidates=entrants,
        instances=tracks,
        plan=layout,
        seed=race.seed,
        mode=mode,
        clock=race.clock if mode == "capped" else "wall",
        slots=slots,
        cutoff=cutoff,
        rule=Rule(
            finished=race.finished,
            undecided=race.undecided,
            pattern=race.pattern,
            objective=race.objective,
            goal=race.goal,
            missing=race.missing,
        ),
        memory=memory,
        pin=race.pin,
        keep=keep,
        warnings=tuple(_warnings(race, layout, mode, slots, cores, len(tracks))),
    )


def _warnings(race: RaceTable, layout: Plan, mode: Mode, slots: int, cores: int, tracks: int) -> list[str]:
    found = []
    if slots > cores:
        found.append(
            f"slots={slots} is more than the {cores} cores of this machine: runs will share them and be slower."
        )
    if mode == "parallel" and layout.heat_size > slots:
        found.append(
            f"{layout.heat_size} runs side by side share {slots} slots, so who finishes first depends on luck; "
            'mode="capped" runs them one after another instead.'
        )
    if tracks and layout.cost > tracks:
        rounds = math.ceil(layout.cost / tracks)
        found.append(
            f"budget={race.budget} is more than the {tracks} instances: each is used up to {rounds} times, "
            "in a new order every time round."
        )
    return found


def _find_program(parts: Sequence[str | Sequence[str]], folder: Path) -> None:
    """Refuse a program that is not there; one with a placeholder in its name is looked for when it runs."""
    program = str(parts[0])
    if "{" in program:
        return
    there = shutil.which(program) if os.sep not in program else shutil.which(folder / program)
    if there is None:
        where = "on the PATH" if os.sep not in program else f"in {folder}, or it is not executable"
        raise InvalidArgument(f"the command {program!r} is not found {where}; install it, or mend race.command.")


def _amount(name: str, value: str | float, units: Mapping[str, float], default: str) -> float:
    """Return "10s", "500 ms", "2 GB" or a bare number as a number of the smallest unit named by 1."""
    found = re.fullmatch(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)\s*", str(value))
    unit = found[2] or default if found else ""
    if "B" in units and len(unit) > 1:
        unit = unit[0].upper()  # KB, KiB, MB, ...
    try:
        amount = float(found[1]) * units[unit] if found else math.nan
    except (KeyError, ValueError):
        amount = math.nan
    if not 0 < amount < math.inf:
        example = '"10s", "500ms", "2m" or "1h"' if default == "s" else '"512 MB" or "2 GB"'
        raise InvalidArgument(f"{name}={value!r} must be more than 0, such as {example}.")
    return amount


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _as_line(error: str) -> str:
    """Turn "… (at line 3, column 7)" into "line 3: …"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", error)
    return f"line {found[2]}, column {found[3]}: {found[1]}" if found else error


def _explained(path: str, text: str, error: str) -> str:
    """Say in which line a value stands that cannot be what it is."""
    what, _, where = error.partition(" - at ")
    keys = [key for key in re.split(r"[.\[\]`$]+", where) if key and key != "..." and not key.isdigit()]
    unknown = re.search(r"unknown field `(.+)`", what)
    if unknown:
        keys.append(unknown[1])
        what = f"{unknown[1]!r} is not known here"
    what = what.replace("Object missing required field", "missing")
    what = re.sub(
        r"`([\w| ]+)`",
        lambda kinds: " or ".join(_SPOKEN.get(kind, f"'{kind}'") for kind in kinds[1].split(" | ")),
        what,
    )
    line = _line_of(text, keys)
    at = f", line {line}" if line else ""
    return f"{path}{at}: {'.'.join(keys)}{': ' if keys else ''}{what[:1].lower()}{what[1:]}."


def _line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of the last key, within its table."""
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if keys[:-1] and re.match(rf"\s*\[+\s*{re.escape(keys[0])}\b", line):
            start = number
        if keys and (start or not keys[:-1]) and re.match(rf"\s*\[*\s*[\"']?{re.escape(keys[-1])}\b", line):
            return number
    return None
