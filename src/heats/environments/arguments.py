"""Arrays and names from outside → checked ones, or one clear sentence."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from heats.base.arrays import AnyArray, Array, Mask
from heats.base.checks import refuse
from heats.errors import InvalidArgument

LARGEST_VALUE = 1e100  # beyond it a number is a sentinel or a bug, and its powers would overflow


def to_numbers(name: str, value: Any) -> Array:
    """Return numbers as an array of their own, of any shape; text and other objects are not taken for numbers."""
    try:
        array: AnyArray = np.array(value)
        if array.dtype.kind not in "biufO":
            raise TypeError
        if array.dtype.kind == "O" and not all(isinstance(each, Real) for each in array.flat):
            raise TypeError
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    except Exception:  # whatever somebody else's object does when it is made an array
        raise refuse(name, value, "must be numbers, in rows of equal length") from None


def check_vector(name: str, value: Any) -> Array:
    """Return a list of at least two numbers."""
    try:
        array = to_numbers(name, value)
    except InvalidArgument:
        array = np.empty(0)
    if array.ndim != 1 or array.size < 2:
        raise refuse(name, value, "must be a list of at least two numbers")
    return array


def check_table(name: str, value: Any) -> Array:
    """Return a table of rows × arms: one row and two arms at least, all numbers finite."""
    array = to_numbers(name, value)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise refuse(name, value, f"has shape {array.shape}; a table needs at least one row and two arms")
    strange = ~(np.abs(array) <= LARGEST_VALUE)
    if strange.any():
        row, arm = np.argwhere(strange)[0]
        why = f"has {array[row, arm]:g} in row {row}, arm {arm}; fill it or drop the row"
        raise refuse(name, value, f"{why} (numbers must be within ±{LARGEST_VALUE:g})")
    return array


def check_mask(name: str, value: Any, shape: tuple[int, ...], of: str) -> Mask:
    """Return a table of yes and no with that shape, which is the one ``of`` another argument has."""
    array = to_numbers(name, value)
    if array.shape != shape:
        raise refuse(name, value, f"has shape {array.shape} but {of} {shape}; they must be the same")
    if not np.isin(array, (0, 1)).all():
        raise refuse(name, value, "must be True or False everywhere")
    return array.astype(np.bool_)


def check_names(names: Sequence[str] | None, n_arms: int) -> tuple[str, ...] | None:
    """Return a name for every arm, or None if none were given."""
    if names is None:
        return None
    try:
        given = () if isinstance(names, (str, bytes)) else tuple(names)
    except Exception:  # somebody else's object
        given = ()
    if not given or not all(isinstance(name, str) for name in given):
        raise refuse("names", names, "must be a list of texts, one per arm")
    if len(given) != n_arms:
        raise InvalidArgument(f"{len(given)} names were given for {n_arms} arms; give one each.")
    return tuple(map(str, given))
