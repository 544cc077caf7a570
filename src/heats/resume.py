"""Go on with a run that the command line began, by its journal alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Protocol

from heats import demo
from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Log


class Result(Protocol):
    """What the command that began a run has to say at its end; it prints as text."""

    def to_json(self) -> str:
        """Return it as JSON."""


def _demo(path: str, options: dict[str, Any], executor: Executor | None) -> None:
    demo.play(**options, journal=path, executor=executor)


def _race(path: str, options: dict[str, Any], executor: Executor | None) -> Result:
    from heats.race.run import resume

    return resume(path, options["scenario"], options["overrides"], options["rules"], executor)


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
    try:
        result = COMMANDS[name](path, command, executor)
    except (KeyError, TypeError) as error:
        raise BrokenFile(f"line 1 of {path} says to go on with 'heats {name}', but not how: {error}.") from error
    log.advance()
    return result
