"""Races as processes of their own, to be interrupted, killed and stopped."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from heats.race.processes import Guardian
from heats.race.processes.process_table import list_children
from tests.race.programs import alive, job
from tests.race.scenarios import write
from tests.waiting import wait_until

BASE = {"budget": 1, "cutoff": "20s", "heat_size": 2, "mode": "parallel", "slots": 2}


def write_race(folder: Path, scripts: list[str], **changes: Any) -> Path:
    """Write a race of shell scripts."""
    race = BASE | {"command": ["sh", "-c", "{script}"]} | changes
    return write(folder, race, [{"script": script} for script in scripts])


def start(file: Path, *options: str) -> subprocess.Popen[str]:
    """Start a race."""
    command = [sys.executable, "-m", "heats", "race", str(file), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def list_descendants(pid: int) -> list[int]:
    """Return the children of a process, theirs, and so on, from the top."""
    found = list_children(pid)
    for child in found:
        found += [each for each in list_children(child) if each not in found]
    return found


def find_guardians(race: subprocess.Popen[str]) -> tuple[int, int]:
    """Return the watcher and the guardian of a race that has one."""
    wait_until(lambda: bool(list_descendants(race.pid)[1:]))
    (watcher,) = list_children(race.pid)
    (guardian,) = list_children(watcher)
    return watcher, guardian


def wait_for(mark: str, processes: int) -> None:
    """Wait until so many processes have the mark on their command line."""
    wait_until(lambda: len(alive(mark)) >= processes)


@cache
def are_namespaces_allowed() -> bool:
    """Whether runs have a PID namespace here."""
    guardian = Guardian(0)
    try:
        (end,) = guardian.run([job("readlink", "/proc/self/ns/pid")])
    finally:
        guardian.close()
    return end.output.strip() != str(Path("/proc/self/ns/pid").readlink())
