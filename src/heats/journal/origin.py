"""Which command began a run, with all it needs to go on with it."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from heats.base.text import end_sentence
from heats.errors import InvalidArgument


class DemoOrigin(msgspec.Struct, frozen=True, tag_field="name", tag="demo", kw_only=True):
    """``heats demo``, by its options."""

    n_arms: int
    heat_size: int
    budget: int
    strategy: str | None  # None: none was said
    seed: int
    pause: float
    blind: bool = False
    sure: float | None = None


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """How many candidates were drawn: enough, with this confidence, for one among the best ``share`` of their space."""

    share: float
    confidence: float
    candidates: int


class RaceOrigin(msgspec.Struct, frozen=True, tag_field="name", tag="race", kw_only=True):
    """``heats race``: its scenario, what was said on top of it, and what must not have changed since."""

    scenario: str
    overrides: dict[str, Any]
    rules: dict[str, Any]
    command_lines: tuple[str, ...] = ()  # of the candidates, for reports
    drawn: Drawn | None = None
    validates: bool = False  # whether the scenario asks for its winner to be validated


class FunctionsOrigin(RaceOrigin, frozen=True, tag_field="name", tag="functions", kw_only=True):
    """``heats.race_functions``: what must not have changed; the program that called it goes on with it."""

    scenario: str = ""
    overrides: dict[str, Any] = {}


class VoteOrigin(msgspec.Struct, frozen=True, tag_field="name", tag="vote", kw_only=True):
    """``heats vote``: its scenario, and hashes of the tokens in secret links, never the tokens."""

    scenario: str
    organiser: str
    voters: dict[str, str] | None = None  # name → hash; None: everybody may vote


class OtherOrigin(msgspec.Struct, frozen=True):
    """A command that this version does not know, a user's program, or ``why`` it says too little."""

    name: str | None
    options: dict[str, Any]
    why: str = ""


Origin: TypeAlias = DemoOrigin | RaceOrigin | FunctionsOrigin | VoteOrigin | OtherOrigin

_KNOWN = ("demo", "race", "functions", "vote")


def parse_origin(command: dict[str, Any] | None) -> Origin | None:
    """Return what a journal says of the command that began it."""
    if command is None:
        return None
    name = command.get("name")
    if name not in _KNOWN:
        return OtherOrigin(name if isinstance(name, str) else None, command)
    try:
        return msgspec.convert(command, DemoOrigin | RaceOrigin | FunctionsOrigin | VoteOrigin)
    except msgspec.ValidationError as error:
        return OtherOrigin(name, command, str(error))


def write_origin(origin: Origin | dict[str, Any] | None) -> dict[str, Any] | None:
    """Return it as plain data, or refuse what JSON cannot hold."""
    plain = origin.options if isinstance(origin, OtherOrigin) else origin
    try:
        told: dict[str, Any] | None = msgspec.json.decode(msgspec.json.encode(plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"{{command}} cannot be written as JSON: {end_sentence(error)}", command=origin) from None
    if told is not None and not isinstance(told, dict):
        raise InvalidArgument("{command} must be a dict, or nothing.", command=origin)
    return told
