"""What a candidate is known by in a journal, so that a run goes on with the same ones or not at all."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any

import msgspec
import numpy as np

from heats.base.text import LONE_SURROGATE, make_encodable
from heats.errors import InvalidArgument

MOST_JSON_BYTES = 10_000  # of a candidate; of a larger one only a hash is kept


class Candidate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A candidate's name, and its fingerprint: its canonical JSON (or a hash of it), or a function's name.

    Where there is no fingerprint, the name is all there is to know it by.
    """

    name: str
    json: msgspec.Raw = msgspec.Raw()
    sha256: str = ""
    function: str = ""

    def __str__(self) -> str:
        said = bytes(self.json).decode() or self.function
        return said or f"{self.name!r}{' (longer than shown)' if self.sha256 else ''}"

    @property
    def fingerprint(self) -> tuple[str, str]:
        """What must be equal for a run to go on, whether the JSON itself is kept or only its hash."""
        digest = hashlib.sha256(bytes(self.json)).hexdigest() if bytes(self.json) else self.sha256
        return (digest, self.function) if digest or self.function else ("", self.name)

    @property
    def value(self) -> Any:
        """The candidate as plain data; None where only its name or a hash is known."""
        return msgspec.json.decode(self.json) if bytes(self.json) else None


class Challenger(Candidate, frozen=True, omit_defaults=True):
    """A candidate that was drawn while its run went on: at random, or near the arm that is its ``parent``."""

    parent: int | None = None


def make_plain(candidate: Any) -> Any:
    """Return a candidate as plain data, the same that a journal would give back; None if it has no JSON."""
    text = _canonical(candidate)
    return msgspec.json.decode(text) if text else None


def keep_challenger(candidate: Any, name: str, parent: int | None) -> Challenger:
    """Return what a candidate is known by that nobody but the journal has: all of its JSON, however long."""
    return Challenger(make_encodable(name), json=msgspec.Raw(_canonical(candidate)), parent=parent)


def take_fingerprints(candidates: Sequence[Any], names: Sequence[str], *, named: bool) -> tuple[Candidate, ...]:
    """Return what candidates are known by; one without a fingerprint must have been ``named`` by the user."""
    return tuple(
        _identify(arm, each, name, named=named) for arm, (each, name) in enumerate(zip(candidates, names, strict=True))
    )


def _identify(arm: int, candidate: Any, name: str, *, named: bool) -> Candidate:
    name = make_encodable(name)
    if text := _canonical(candidate):
        if len(text) <= MOST_JSON_BYTES:
            return Candidate(name, json=msgspec.Raw(text))
        return Candidate(name, sha256=hashlib.sha256(text).hexdigest())
    if function := qualify(candidate):
        return Candidate(name, function=function)
    if named:
        return Candidate(name)
    raise InvalidArgument(
        f"candidate #{arm}, a {type(candidate).__name__}, has no fingerprint that would be the same in another run: "
        "it is neither JSON nor a function with a name of its own. Give names=, one per candidate, to keep a journal."
    )


def _canonical(candidate: Any) -> bytes:
    """Return sorted JSON of whatever has one, dataclasses and the like included; else nothing."""
    try:
        plain = msgspec.to_builtins(candidate, order="deterministic", str_keys=True, enc_hook=_number)
        text = json.dumps(plain, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return b""
    return LONE_SURROGATE.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text).encode()


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} has no JSON")


def qualify(candidate: Any) -> str:
    """Return module and name of a function or a class, if its module holds it by that name; nothing of all else.

    Of a program's own, workers have copies that their ``__main__`` does not hold.
    """
    if not isinstance(candidate, (FunctionType, BuiltinFunctionType, type)):
        return ""
    if not isinstance(getattr(candidate, "__self__", None), (ModuleType, NoneType)):
        return ""  # a method of some object, which the name does not tell
    module, name = candidate.__module__, candidate.__qualname__
    try:
        found = attrgetter(name)(sys.modules[module])
    except Exception:  # lambdas, and what is made within a function, are not held; a lazy module may raise anything
        found = None
    is_copy = found is None and module == "__main__" and "<" not in name
    is_known = is_copy or found is candidate or candidate is NoneType  # which Python keeps out of builtins
    return f"{module}.{name}" if is_known else ""
