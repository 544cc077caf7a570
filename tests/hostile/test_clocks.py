"""Clocks that are set back do not turn times negative: what measures runs asks a clock that only goes on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import heats.race

FILES = sorted(Path(heats.race.__file__).parent.rglob("*.py"))
TELLS_THE_DATE = {"time", "time_ns", "clock_gettime", "gmtime", "localtime"}  # of the module time


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_times_are_of_the_monotonic_clock(path: Path) -> None:
    """The date is for names of files only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "time":
            assert node.attr not in TELLS_THE_DATE
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            assert not {alias.name for alias in node.names} & TELLS_THE_DATE
