"""Checks shared by everything that takes an argument from outside."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from heats.errors import InvalidArgument, show_value


def is_bool(value: object) -> bool:
    """Whether ``value`` is a truth value, which Python would count as 0 or 1."""
    numpy = sys.modules.get("numpy")  # who has not imported it cannot hand over one of its own
    return isinstance(value, (bool, getattr(numpy, "bool_", bool)))


def whole(name: str, value: Any, least: int, most: int | None = None, why: str = "") -> int:
    """Return ``value`` as an int within ``least..most``, or refuse it."""
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    reason = f": {why}" if why else ""
    try:
        number = None if is_bool(value) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise refuse(name, value, f"must be a whole number {bounds}{reason}")
    if number < least or (most is not None and number > most):
        raise refuse(name, number, f"must be {bounds}{reason}")
    return number


def between(
    name: str, value: Any, low: float, high: float, *, open_low: bool = False, open_high: bool = False, why: str = ""
) -> float:
    """Return ``value`` as a float from ``low`` to ``high``, which an open end leaves out, or refuse it."""
    try:
        number = float(value) if isinstance(value, Real) and not is_bool(value) else float("nan")
    except OverflowError:  # an int beyond all floats
        number = float("nan")
    inside = (low < number if open_low else low <= number) and (number < high if open_high else number <= high)
    if not inside:
        ends = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        raise refuse(name, value, f"must be a number in {ends}{f': {why}' if why else ''}")
    return number


def probability(name: str, value: Any) -> float:
    """Return a probability of failure that is worth talking about: neither 0 nor 1, and not beyond floating point."""
    return between(name, value, 1e-300, 1, open_high=True, why="the chance to be wrong, neither never nor always")


def one_of(name: str, value: Any, choices: Sequence[str], more: str = "") -> str:
    """Return ``value`` if it is one of the words, or refuse it; ``more`` says what else would do."""
    if not isinstance(value, str) or value not in choices:
        raise refuse(name, value, f"is unknown; choose one of {', '.join(choices)}{more}")
    return value


def true_or_false(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False, or refuse it."""
    if not isinstance(value, bool):
        raise refuse(name, value, "must be True or False")
    return value


def as_list(name: str, value: Any) -> list[Any]:
    """Return the values of a list, a tuple, an array or the like, or refuse what is not one."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise refuse(name, value, "must be a list")
    return list(value)


def refuse(name: str, value: object, why: str) -> InvalidArgument:
    """Return the error that a value is not what it must be."""
    if name.isidentifier():
        return InvalidArgument(f"{{{name}}} {why}.", **{name: value})
    return InvalidArgument(f"{name}={show_value(value)} {why}.")
