"""A scenario as it is written: a TOML file with typed keys, whose mistakes are told with file and line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from heats.errors import BrokenFile, InvalidArgument
from heats.race.outcome import Goal

Mode: TypeAlias = Literal["parallel", "capped"]
Clock: TypeAlias = Literal["wall", "cpu"]

SECONDS = {"ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600}
BYTES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_SPOKEN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}  # msgspec's words for TOML's kinds of values


_WORDS = {"mode": Mode, "clock": Clock, "goal": Goal}  # keys whose values are some words


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
    edge: float | None = None
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


def read(path: Path, overrides: Mapping[str, Any]) -> ScenarioFile:
    """Read a scenario; ``overrides`` replace keys of its [race] table."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
        if isinstance(data.get("race"), dict):
            data["race"] |= overrides
        return msgspec.convert(data, ScenarioFile)
    except OSError as error:
        raise InvalidArgument(f"the scenario {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BrokenFile(f"{path} is no text in UTF-8; a scenario in TOML was expected.") from None
    except tomllib.TOMLDecodeError as error:
        raise BrokenFile(f"{path} is no TOML: {_as_line(str(error))}.") from None
    except msgspec.ValidationError as error:
        raise BrokenFile(_explained(path, text, str(error))) from None


def seconds(name: str, value: str | float) -> float:
    """Return "10s", "500 ms" or a bare number as seconds."""
    return _amount(name, value, SECONDS, "s", 'a time above 0, such as "10s", "500ms", "2m" or "1h"')


def size(name: str, value: str | float) -> int:
    """Return "512 MB", "2GiB" or a bare number as bytes."""
    return int(_amount(name, value, BYTES, "B", 'a size above 0, such as "512 MB" or "2 GB"'))


def _amount(name: str, value: str | float, units: Mapping[str, float], default: str, expected: str) -> float:
    found = re.fullmatch(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)\s*", str(value))
    unit = found[2] or default if found else ""
    unit = unit if units is SECONDS else unit[:1].upper()  # KB, KiB, MB, ...
    try:
        amount = float(found[1]) * units[unit] if found else math.nan
    except (KeyError, ValueError):
        amount = math.nan
    if not 0 < amount < math.inf:
        raise InvalidArgument(f"{name}={value!r} must be {expected}.")
    return amount


def _as_line(error: str) -> str:
    """Turn "… (at line 3, column 7)" into "line 3: …"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", error)
    return f"line {found[2]}, column {found[3]}: {found[1]}" if found else error


def _explained(path: Path, text: str, error: str) -> str:
    """Say in which line a value stands that cannot be what it is."""
    what, _, where = error.partition(" - at ")
    keys = [key for key in re.split(r"[.\[\]`$]+", where) if key and key != "..." and not key.isdigit()]
    unknown = re.search(r"unknown field `(.+)`", what)
    if unknown:
        keys.append(unknown[1])
        what = f"{unknown[1]!r} is not known here"
    if what.startswith("Invalid enum value") and keys[-1:] and keys[-1] in _WORDS:
        what += f", expected {' or '.join(map(repr, get_args(_WORDS[keys[-1]])))}"
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
