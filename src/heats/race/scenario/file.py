"""The TOML file of a race, as it is written: typed keys, and mistakes named with file and line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from heats.base.toml import find_key, read_scenario_text, read_toml
from heats.race.outcome import Comparable, Goal

Mode: TypeAlias = Literal["parallel", "capped"]
Clock: TypeAlias = Literal["wall", "cpu"]

CHOICES = {
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
    return read_toml(path, ScenarioFile, "race", overrides, CHOICES)


def find_line(path: Path, error: str) -> int | None:
    """Return the line of the key that an error speaks of first, as ``race.cutoff`` or ``validate.against``."""
    found = re.match(r"(race|space|validate)\.([\w-]+)", error)
    if found is None:
        return None
    return find_key(read_scenario_text(path), [found[1], found[2]])
