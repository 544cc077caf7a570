"""What is handed to the theory → checked values: arms, heats, lists of heats, and functions a user wrote."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise
from typing import Any, SupportsFloat, TypeAlias

import numpy as np

from heats.base.checks import is_bool, refuse, whole
from heats.base.text import describe_error
from heats.errors import HeatsError, InvalidArgument, show_value
from heats.planning.plan import MOST_ARMS
from heats.planning.rules import Rule

Heat: TypeAlias = tuple[int, ...]  # arms in increasing order


def check_arm(name: str, arm: object, n_arms: int) -> int:
    """Return an arm of 0..n_arms-1, or refuse what is none."""
    return whole(name, arm, 0, n_arms - 1, "an arm")


def check_heat(name: str, heat: object, n_arms: int = MOST_ARMS) -> Heat:
    """Return a heat as plain ints, or refuse what is none."""
    if type(heat) is tuple and set(map(type, heat)) == {int}:  # nearly always
        if list(heat) == sorted(set(heat)) and heat[0] >= 0 and heat[-1] < n_arms:
            return heat
        raise _refuse_heat(name, heat, n_arms)
    arms = [_to_arm(each, n_arms) for each in heat] if isinstance(heat, tuple) else []
    known = [arm for arm in arms if arm is not None]
    if not known or len(known) < len(arms) or any(one >= other for one, other in pairwise(known)):
        raise _refuse_heat(name, heat, n_arms)
    return tuple(known)


def _refuse_heat(name: str, heat: object, n_arms: int) -> InvalidArgument:
    most = f"from 0 to {n_arms - 1}" if n_arms < MOST_ARMS else "from 0"
    return refuse(name, heat, f"must be a tuple of different arms {most}, in increasing order")


def _to_arm(value: Any, n_arms: int) -> int | None:
    """Return the arm that a value is, if it is one."""
    if is_bool(value) or not isinstance(value, (int, np.integer)):
        return None
    return int(value) if 0 <= value < n_arms else None


def check_heats(name: str, heats: object, n_arms: int) -> Iterator[Heat]:
    """Yield the heats of any collection of them, or refuse what is none."""
    for each in list_items(name, heats, "tuples of arms"):
        yield check_heat(f"a heat of {name}:", each, n_arms)


def check_path(path: object, n_arms: int) -> list[Heat]:
    """Return the heats of the best arm, round by round, () where it rested."""
    if not isinstance(path, Sequence) or isinstance(path, (str, bytes)):
        raise refuse("path", path, "must be a list of heats, one per round; heats_of_best gives it")
    return [
        () if isinstance(each, tuple) and not each else check_heat(f"path[{place}]", each, n_arms)
        for place, each in enumerate(path)
    ]


def check_widths(heats: object) -> list[int]:
    """Return numbers of heats, one per round, as plain ints."""
    listed = heats.tolist() if isinstance(heats, np.ndarray) and heats.ndim == 1 else heats
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)) or not listed:
        raise refuse("heats", heats, "must be a list of numbers of heats, one per round")
    return [whole(f"heats[{place}]", each, 1) for place, each in enumerate(listed)]


def list_items(name: str, items: object, what: str) -> list[Any]:
    """Return the items of anything that can be gone through, or refuse what cannot."""
    if isinstance(items, Iterable) and not isinstance(items, (str, bytes, Mapping, np.ndarray)):
        return list(items)
    raise refuse(name, items, f"must be a list of {what}")


def list_arms(heat: object) -> list[int] | None:
    """Return the arms of a key in a table of limits, in its order; None if it is not a set of arms."""
    if isinstance(heat, (str, bytes)) or not isinstance(heat, (Sequence, Set)):
        return None
    arms = [_to_arm(each, MOST_ARMS) for each in heat]
    known = [arm for arm in arms if arm is not None]
    return known if len(set(known)) == len(arms) else None


def check_keep(keep: object) -> Rule:
    """Return f as a function that is checked on use: a heat keeps at least one arm and drops at least one."""
    rule = check_function("keep", keep, "a function f(size) that says how many arms of a heat stay")

    def count_survivors(size: int) -> int:
        return whole(f"keep({size})", ask("keep", rule, size), 1, size - 1, "a heat keeps one arm and drops one")

    return count_survivors


def check_function(name: str, function: object, what: str) -> Callable[..., Any]:
    """Return a function, or refuse what is none."""
    if not callable(function):
        raise refuse(name, function, f"must be {what}")
    return function


def ask(name: str, function: Callable[..., Any], *about: object) -> Any:
    """Return what a user's function answers; if it fails, say so in one sentence."""
    try:
        answer = function(*about)
        if isinstance(answer, Iterator):  # it may fail, or never end, when it is gone through
            answer = tuple(islice(answer, _count_most(about)))
    except HeatsError:
        raise
    except Exception as error:
        asked = ", ".join(map(show_value, about))
        raise InvalidArgument(f"{{{name}}} failed for {asked}: {describe_error(error)}.", **{name: function}) from error
    return answer


def _count_most(about: tuple[object, ...]) -> int:
    """Return how many values are too many for an answer: one more than the arms asked about."""
    return 1 + max((len(each) for each in about if isinstance(each, Collection)), default=0)


def to_number(value: Any) -> float:
    """Return a number of any kind as a float; nan if it is none, or beyond all floats."""
    if type(value) is float:
        return value
    if not isinstance(value, SupportsFloat) or np.ndim(value) > 0:  # type: ignore[arg-type]  # anything may be asked
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
