"""Checks shared by everything that takes an argument from outside."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np

from heats.errors import InvalidArgument


def is_bool(value: object) -> bool:
    """Whether ``value`` is a truth value, which Python would count as 0 or 1."""
    return isinstance(value, (bool, np.bool_))


def whole(name: str, value: Any, least: int, most: int | None = None, why: str = "") -> int:
    """Return ``value`` as an int within ``least..most``, or refuse it."""
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    reason = f": {why}" if why else ""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or is_bool(value):
        raise InvalidArgument(f"{name}={value!r} must be a whole number {bounds}{reason}.")
    if number < least or (most is not None and number > most):
        raise InvalidArgument(f"{name}={number} must be {bounds}{reason}.")
    return number


def between(name: str, value: Any, low: float, high: float, *, open_low: bool = False) -> float:
    """Return ``value`` as a float within ``[low, high]`` (``(low, high]`` if ``open_low``), or refuse it."""
    number = float(value) if isinstance(value, Real) and not is_bool(value) else float("nan")
    if not (low < number if open_low else low <= number) or not number <= high:
        bracket = "(" if open_low else "["
        raise InvalidArgument(f"{name}={value!r} must be a number in {bracket}{low:g}, {high:g}].")
    return number
