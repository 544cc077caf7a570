"""Timing that takes the best of several tries, because these are the ones nobody disturbed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the output."""

    what: str
    measured: str
    asked: str


def seconds(work: Callable[[], object], tries: int = 5) -> float:
    """Return the shortest time ``work`` took."""
    return min(_once(work) for _ in range(tries))


def _once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def command_seconds(*commands: list[str], tries: int = 9) -> list[float]:
    """Return the median wall time of each command, run in turn, with compiled modules cached as after an install."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(command: list[str]) -> Callable[[], object]:
            return lambda: subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

        times = [[_once(run(command)) for command in commands] for _ in range(tries + 1)][1:]
    return [sorted(column)[tries // 2] for column in zip(*times, strict=True)]


def python(code: str) -> list[str]:
    """Return the command that runs ``code``."""
    return [sys.executable, "-c", code]
