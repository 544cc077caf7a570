"""Runs to keep in journals, shared by the tests."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import heats
from heats.engine.machine import Query

N, BUDGET = 9, 24
NASTY = ["two\nlines", "\"quotes\" and 'such'", "<script>alert(1)</script>", "\x1b[31mred", "\u2028", "\udcff", ""]


def noisy(heat: tuple[int, ...], query: Query) -> list[float]:
    """Rewards that depend on the candidate and, by the query's seed, on chance."""
    draw = random.Random(query.seed)
    return [value + draw.gauss(0, 3) for value in heat]


def one(heat: Any) -> Any:
    """Rewards that are all the same."""
    return [1.0] * len(heat)


def never(heat: tuple[Any, ...]) -> list[float]:
    """Nothing, where all is told."""
    raise AssertionError("nothing is left to compare")


def stopping(after: int) -> Callable[..., list[float]]:
    """Return a comparison that is interrupted after so many pulls."""
    calls = iter(range(after))

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return noisy(heat, query)

    return compare


def find(journal: Any = None, **options: Any) -> heats.Found:
    """Run the small tournament the tests speak of, planned before its first pull."""
    asked: dict[str, Any] = {"budget": BUDGET, "heat_size": 3, "seed": 5, "strategy": "planned"} | options
    return heats.find_best(range(asked.pop("n", N)), asked.pop("compare", noisy), journal=journal, **asked)


def half_done(path: Path, after: int = 7, **options: Any) -> None:
    """Run it until it is interrupted."""
    try:
        find(path, compare=stopping(after), **options)
    except KeyboardInterrupt:
        return
    raise AssertionError("it was not interrupted")


def lines(path: Path) -> list[dict[str, Any]]:
    """Read a journal by eye."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def told(path: Path) -> list[int]:
    """Return the ids told, in order."""
    return [line["id"] for line in lines(path) if line["event"] == "told"]
