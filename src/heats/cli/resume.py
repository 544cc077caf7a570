"""Go on with a run that the command line began, by its journal alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Protocol

from heats.cli import demo
from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Log


class Result(Protocol):
    """What the command that began a run has to say at its end; it prints as text."""

    def to_json(self) -> str:
        """Return it as JSON."""


def _demo(path: str, options: dict[str, Any], executor: Executor | None) -> None:
    _call(demo.play, path, options, executor)


def _race(path: str, options: dict[str, Any], executor: Executor | None) -> Result:
    from heats.race.run import resume

    result: Result = _call(resume, path, {key: options[key] for key in options if key != "command_lines"}, executor)
    return result


def _call(function: Callable[..., Any], path: str, options: dict[str, Any], executor: Executor | None) -> Any:
    arguments = options | {"journal": path, "executor": executor}
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise BrokenFile(f"line 1 of {path} says to go on with its command, but not how: {error}.") from None
    return function(**arguments)


# The name of the command that began a run → a function of the journal's path, the command's options and an executor.
COMMANDS: dict[str, Callable[[str, dict[str, Any], Executor | None], Result | None]] = {"demo": _demo, "race": _race}


def resume(log: Log, executor: Executor | None = None) -> Result | None:
    """Go on with the run of a journal, as the command that began it would; a finished run is left as it is."""
    if log.finished is not None:
        return None
    path, command = str(log.path), dict(log.header.command or {})
    name = command.pop("name", None)
    if name is None:
        raise InvalidArgument(
            f"{path} was written by a program that calls heats, not by the command line; "
            "run that program again, with the same journal, and it goes on."
        )
    if name not in COMMANDS:
        raise InvalidArgument(f"{path} was begun by 'heats {name}', which this version does not have; update heats.")
    result = COMMANDS[name](path, command, executor)
    log.advance()
    return result
