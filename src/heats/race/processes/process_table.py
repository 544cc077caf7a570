"""What the /proc of Linux says about processes; of one that has ended, or where there is no /proc, nothing."""

from __future__ import annotations

import os
from contextlib import suppress


def list_children(pid: int) -> list[int]:
    """Return the children of a process, those of all its threads."""
    found: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # pathlib is slow to import
            with open(f"/proc/{pid}/task/{task}/children") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def list_processes() -> list[int]:
    """Return all processes that can be seen."""
    with suppress(FileNotFoundError):
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    return []


def measure_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, the children it has waited for and those it still has."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    ticks = sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(measure_cpu_seconds, list_children(pid)))


def list_variables(pid: int) -> frozenset[bytes]:
    """Return the names of the environment variables that a process was started with, as far as we may know."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            return frozenset(entry.partition(b"=")[0] for entry in file.read().split(b"\0"))
    except OSError:
        return frozenset()
