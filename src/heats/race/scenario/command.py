"""Placeholders, and the command lines they become. No shell is involved: an argument stays one argument.

``{name}`` stands for a parameter, ``{instance}``, ``{seed}`` or ``{cutoff}``; ``{{`` and ``}}`` for braces. An argument
list within the command, ``["--restarts", "{restarts}"]``, is left out for candidates without that parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces import Candidate, Value, format_value

Command: TypeAlias = Sequence[str | Sequence[str]]

RACE_PLACEHOLDERS = ("instance", "seed", "cutoff")  # filled in by the race, not by the candidates
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_command(command: Command, candidates: Sequence[Candidate]) -> None:
    """Refuse a command that does not fit its candidates, or candidates that do not fit their command."""
    if not command or not isinstance(command[0], str) or not command[0].strip():
        raise InvalidArgument('race.command must begin with a program, as ["minisat", "{instance}"].')
    needed, known = set(_list_placeholders(command, optional=False)), set(_list_placeholders(command, optional=True))
    for number, candidate in enumerate(candidates):
        who = f"candidate #{number} ({name_candidate(candidate)})"
        for name in sorted(needed - set(candidate) - set(RACE_PLACEHOLDERS)):
            raise InvalidArgument(
                f"the command has {{{name}}}, but {who} has no {name}; give it one, or put the argument into a list "
                f'of its own, as ["--{name}", "{{{name}}}"], to leave it out.'
            )
        for name in candidate:
            if name in RACE_PLACEHOLDERS:
                raise InvalidArgument(f"{who} has a parameter called {name}, which the race itself gives; rename it.")
            if name not in known:
                raise InvalidArgument(
                    f"{who} has {name}, but the command has no {{{name}}}; put it in, or take the parameter out."
                )
    _check_command_lines(command, candidates)


def _check_command_lines(command: Command, candidates: Sequence[Candidate]) -> None:
    """Refuse command lines that cannot be run, and those that are equal."""
    numbers: dict[tuple[str, ...], int] = {}
    for number, candidate in enumerate(candidates):
        line = fill_command(command, candidate, leave=RACE_PLACEHOLDERS)
        if any("\0" in argument for argument in line):
            raise InvalidArgument(
                f"the command line of candidate #{number} ({show_value(name_candidate(candidate))}) has a zero byte; "
                "take it out."
            )
        first = numbers.setdefault(line, number)
        if first != number:
            raise InvalidArgument(
                f"candidates #{first} and #{number} have the same command line ({name_candidate(candidate)}): no race "
                "can tell them apart; take one out."
            )


def has_placeholder(command: Command, name: str) -> bool:
    """Whether a placeholder is in the command."""
    return name in _list_placeholders(command, optional=True)


def fill_command(command: Command, values: Mapping[str, Value], *, leave: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command line for these values; placeholders in ``leave`` stay as they are."""
    known = {name: format_value(value) for name, value in values.items()} | {name: f"{{{name}}}" for name in leave}
    line: list[str] = []
    for part in command:
        if isinstance(part, str):
            line.append(_fill_argument(part, known))
        elif all(name in known for name in _list_placeholders(part, optional=True)):
            line += (_fill_argument(argument, known) for argument in part)
    return tuple(line)


def name_candidate(candidate: Candidate) -> str:
    """Return a candidate in a few words."""
    return " ".join(f"{name}={format_value(value)}" for name, value in candidate.items()) or "no parameters"


def _fill_argument(argument: str, known: Mapping[str, str]) -> str:
    return _TOKEN.sub(lambda token: token[0][0] if token[1] is None else known[token[1]], argument)


def _list_placeholders(command: Command, *, optional: bool) -> Iterator[str]:
    """Yield the placeholders' names; those of inner lists only if ``optional``."""
    for part in command:
        if isinstance(part, str):
            yield from _find_placeholders(part)
        elif optional:
            for argument in part:
                yield from _find_placeholders(argument)


def _find_placeholders(argument: str) -> Iterator[str]:
    for token in _TOKEN.finditer(argument):
        if token[0] in ("{", "}") or token[1] == "":
            raise InvalidArgument(
                f"the brace in the argument {show_value(argument)} of the command is not a placeholder; write {{{{ or "
                "}} for a brace, {name} for a parameter."
            )
        if token[1] is not None:
            yield token[1]
