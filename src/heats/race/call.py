"""The program that a run of a Python function is: it imports the function, calls it, and says what it returned.

It is started by path, ``call.py FOLDERS FUNCTION time|value SEED [INSTANCE]``, and imports nothing of ours: to load
that would take longer than many a function.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

IMPORTING = "HEATS_IMPORTS_A_FUNCTION"  # a variable that is set while the user's program is imported
VALUE = "heats value = "  # what the line begins with that has the value
FAILED = 1


def main(folders: str, name: str, goal: str, seed: str, instance: str | None = None) -> None:
    """Call a function and end the process; an error ends it with a traceback and an exit code."""
    sys.path[:] = json.loads(folders)  # that of whoever races: nothing before it, nothing beside
    os.environ[IMPORTING] = name
    function = find_function(name)
    del os.environ[IMPORTING]
    arguments = [] if instance is None else [json.loads(instance)]
    try:
        returned = function(*arguments, **({"seed": int(seed)} if takes_seed(function) else {}))
    except SystemExit as error:
        raise RuntimeError(f"it exited with {error.code!r} instead of returning") from error
    if goal == "value":
        print(f"\n{VALUE}{float(returned)!r}")  # whatever it printed last
    sys.stdout.flush()
    os._exit(0)  # its threads have nothing more to say


def find_function(name: str) -> Callable[..., Any]:
    """Return the function ``module:name`` or ``file.py:name``."""
    module, _, path = name.rpartition(":")
    if module.endswith(".py"):
        import runpy

        found: Any = runpy.run_path(module, run_name="__heats_main__")
        first, *rest = path.split(".")
        found = found[first]
    else:
        import importlib

        found, rest = importlib.import_module(module), path.split(".")
    for each in rest:
        found = getattr(found, each)
    return found  # type: ignore[no-any-return]  # whoever started this has looked at it


def takes_seed(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter called seed."""
    code = getattr(function, "__code__", None)
    return code is not None and "seed" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


if __name__ == "__main__":
    main(*sys.argv[1:])
