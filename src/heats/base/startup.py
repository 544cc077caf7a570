"""Whether this process is the command ``heats``; if so, nothing more is imported from the current folder.

``python -m`` puts that folder first on the path. This is the first file of heats that runs, so it imports only what
every Python has loaded by then.
"""

import os
import sys


def is_command_line() -> bool:
    """Whether this process is ``heats`` or ``python -m heats``, which is about to import everything else."""
    program = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""  # noqa: PTH119  # light
    return _is_run_as_module() if program == "-m" else program in ("heats", "heats.exe")


def _is_run_as_module() -> bool:
    said = sys.orig_argv
    return "-mheats" in said or ("-m" in said and said[said.index("-m") + 1 :][:1] == ["heats"])


def _leave_current_folder() -> None:
    """Take from the path what ``python -m`` put there; folders that the user named stay."""
    try:
        here = os.getcwd()  # noqa: PTH109  # light
    except OSError:  # it was removed
        here = ""
    if not sys.flags.safe_path and sys.path[:1] == [here]:
        del sys.path[0]


if getattr(sys, "argv", [])[:1] == ["-m"] and _is_run_as_module():
    _leave_current_folder()
