"""``heats saps`` compiles its kernel when it is first used: here before a race, so that no run of it is charged."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heats.errors import InvalidArgument
from heats.race.scenario import Scenario

if TYPE_CHECKING:
    from concurrent.futures import Executor


def compile_own_solver(scenario: Scenario, executor: Executor | None = None) -> None:
    """Have the kernel compiled, if the programs of a race are our own solver; refuse the race if that cannot be.

    With an executor it is compiled by every worker of a cluster, where the programs will run.
    """
    if _is_saps(scenario.command, scenario.folder):
        try:
            if executor is None:
                _load()
            else:
                from heats.executors.pools import Pool

                Pool(executor).call_everywhere(_load)
        except InvalidArgument as error:
            raise InvalidArgument(f"{scenario.path} races heats saps. {error}") from None


def _load() -> None:
    from heats.sat.library import load_library

    load_library()


def _is_saps(command: Sequence[str | Sequence[str]], folder: Path) -> bool:
    """Whether a command is ``heats saps`` of this very Python, by either of its names."""
    program, arguments = str(command[0]), list(command[1:4])
    here = Path(sys.executable).parent
    if arguments[:1] == ["saps"]:
        return _is_same(program, folder, shutil.which("heats", path=here))
    return arguments == ["-m", "heats", "saps"] and _is_same(program, folder, sys.executable)


def _is_same(program: str, folder: Path, own: str | None) -> bool:
    """Whether a program, by its name or a path from the folder of a scenario, is one of ours."""
    found = str(folder / program) if os.sep in program else shutil.which(program)
    return own is not None and found is not None and os.path.abspath(found) == os.path.abspath(own)  # noqa: PTH100  # links are not followed: a venv's Python is one
