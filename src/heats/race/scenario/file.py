"""The TOML file of a race, as it is written: typed keys, and mistakes named with file and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from heats.base.files import read_text_file
from heats.base.text import make_printable, split_lines
from heats.errors import BrokenFile
from heats.race.outcome import Comparable, Goal

Mode: TypeAlias = Literal["parallel", "capped"]
Clock: TypeAlias = Literal["wall", "cpu"]

MOST_SCENARIO_BYTES = 16 << 20

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}  # what msgspec calls TOML's kinds of values → what people do

_CHOICES = {
    "mode": Mode,
    "clock": Clock,
    "goal": Goal,
    "statistic": Comparable,
}  # keys whose values are one of a few words


class RaceTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The [race] table, as written; ``candidates`` may stand here or above it."""

    command: list[str | list[str]]
    budget: int
    cutoff: str | int | float
    candidates: str | None = None
    instances: str | list[str] | None = None
    heat_size: int | None = None
    mode: Mode | None = None
    slots: int | None = None
    clock: Clock = "wall"
    seed: int = 0
    strategy: str | None = None
    batches: int | None = None
    sure: float | None = None
    edge: float | None = None
    record: str | None = None
    blind: bool = False
    early: bool = False
    finished: tuple[int, ...] = (0, 10, 20)
    undecided: tuple[int, ...] = (0,)
    pattern: str | None = None
    objective: str | None = None
    goal: Goal = "minimize"
    missing: float | None = None
    statistic: Comparable = "value"
    memory: str | int | None = None
    pin: bool = False
    isolate: bool = True
    output: str | int = "64 KB"


class ValidateTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The [validate] table, as written."""

    instances: str | list[str]
    against: str = "default"


class ScenarioFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file, as written."""

    race: RaceTable
    candidates: str | list[dict[str, str | int | float | bool]] | None = None
    space: dict[str, Any] | None = None
    validate: ValidateTable | None = None


def load_file(path: Path, overrides: Mapping[str, Any]) -> ScenarioFile:
    """Read the file of a scenario; ``overrides`` replace keys of its [race] table."""
    text = read_text_file(path, MOST_SCENARIO_BYTES, "the scenario {path} cannot be read: {reason}.")
    try:
        data = tomllib.loads(text)
        if isinstance(data.get("race"), dict):
            data["race"] |= overrides
        return msgspec.convert(data, ScenarioFile)
    except msgspec.ValidationError as error:
        raise BrokenFile(_explain_kind(path, text, str(error))) from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        raise BrokenFile(f"{path} is not valid TOML: {_put_line_first(make_printable(str(error)))}.") from None
    except RecursionError:
        raise BrokenFile(f"{path} is not a scenario: its lists or tables are nested too deeply.") from None


def find_line(path: Path, error: str) -> int | None:
    """Return the line of the key that an error speaks of first, as ``race.cutoff`` or ``validate.against``."""
    found = re.match(r"(race|space|validate)\.([\w-]+)", error)
    if found is None:
        return None
    text = read_text_file(path, MOST_SCENARIO_BYTES, "the scenario {path} cannot be read: {reason}.")
    return _find_line(text, [found[1], found[2]])


def _put_line_first(error: str) -> str:
    """Turn "… (at line 3, column 7)" into "line 3, column 7: …"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", error, re.DOTALL)
    return f"line {found[2]}, column {found[3]}: {found[1]}" if found else error


def _explain_kind(path: Path, text: str, error: str) -> str:
    """Say in which line a value stands that is of the wrong kind, and what was expected there."""
    what, _, where = error.partition(" - at ")
    keys = [key for key in re.split(r"[.\[\]`$]+", where) if key and key != "..." and not key.isdigit()]
    unknown = re.search(r"unknown field `(.+)`", what)
    if unknown:
        keys.append(unknown[1])
        what = f"{unknown[1]!r} is not known here"
    if what.startswith("Invalid enum value") and keys[-1:] and keys[-1] in _CHOICES:
        what += f", expected {' or '.join(map(repr, get_args(_CHOICES[keys[-1]])))}"
    what = say_kinds(what.replace("Object missing required field", "missing"))
    line = _find_line(text, keys)
    at = f", line {line}" if line else ""
    return make_printable(f"{path}{at}: {'.'.join(keys)}{': ' if keys else ''}{what[:1].lower()}{what[1:]}.")


def say_kinds(text: str) -> str:
    """Return what msgspec says about kinds of values, in the words of people."""
    return re.sub(
        r"`([\w| ]+)`",
        lambda kinds: " or ".join(_KINDS.get(kind, f"'{kind}'") for kind in kinds[1].split(" | ")),
        text,
    )


def _find_line(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of the last key, within its table."""
    start = 0
    for number, line in enumerate(split_lines(text), 1):
        if keys[:-1] and re.match(rf"\s*\[+\s*{re.escape(keys[0])}\b", line):
            start = number
        if keys and (start or not keys[:-1]) and re.match(rf"\s*\[*\s*[\"']?{re.escape(keys[-1])}\b", line):
            return number
    return None
