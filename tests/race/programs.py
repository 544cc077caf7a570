"""Programs to race, and a look at the process table."""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path
from typing import Any

from heats.race.processes import Job

_token = itertools.count(1)


def token() -> str:
    """Return a number of seconds that nobody else sleeps: it tells our processes from all others."""
    return f"{1000 + next(_token)}.{os.getpid()}"


def alive(mark: str) -> list[str]:
    """Return the command lines in the process table that hold ``mark``; zombies have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            continue
        if mark in line and int(path.parent.name) != os.getpid():
            found.append(line)
    return found


def wait_until_gone(mark: str, seconds: float = 60) -> list[str]:
    """Return who is still there after that time, or as soon as nobody is."""
    deadline = time.monotonic() + seconds
    while (found := alive(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def wait_until_ended(pids: list[int], seconds: float = 60) -> list[int]:
    """Return which of these processes are still there after that time, or as soon as none is."""
    deadline = time.monotonic() + seconds
    while (found := [pid for pid in pids if Path(f"/proc/{pid}").exists()]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def job(
    *argv: str,
    limit: float = 20,
    clock: str = "wall",
    keep: int = 10_000,
    memory: int | None = None,
    patterns: tuple[str, ...] = (),
) -> Job:
    """Return a job with nothing special about it."""
    return Job(argv=argv, cwd="/", limit=limit, wall_limit=30, clock=clock, keep=keep, memory=memory, patterns=patterns)


def shell(script: str, **options: Any) -> Job:
    """Return a job that runs a shell script: the test's, not the race's."""
    return job("sh", "-c", script, **options)


def python(code: str, **options: Any) -> Job:
    """Return a job that runs Python code."""
    return job(sys.executable, "-c", code, **options)
