"""Scenarios written to a folder, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from heats.race.scenario import Scenario, load_scenario

SLEEPERS = {"command": ["sleep", "{nap}"], "budget": 6, "cutoff": "20s", "heat_size": 2}
NAPS = [{"nap": 0.05}, {"nap": 0.5}, {"nap": 0.7}]


def write(folder: Path, race: dict[str, Any], candidates: Any = None, **tables: Any) -> Path:
    """Write a scenario; a key that is None is left out."""
    file = folder / "race.toml"
    content = {"candidates": candidates, "race": race, **tables}
    kept = {key: value for key, value in content.items() if value is not None}
    file.write_text(_toml(kept))
    return file


def _toml(content: dict[str, Any]) -> str:
    """Return TOML; JSON's values are TOML's, but for tables, which are written inline."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in content.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {_value(each)}' for key, each in value.items() if each is not None) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return msgspec.json.encode(value).decode()


def sleepers(folder: Path, **changes: Any) -> Scenario:
    """Return a race of three sleepers."""
    return load_scenario(write(folder, SLEEPERS | changes, NAPS))
