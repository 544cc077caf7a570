"""Candidates that are tables of parameters → texts people can read: ``C=90.9 gamma=0.00042``.

A number is written with the fewest digits that tell it from the others under its key, but no fewer than three.
Parameters within a parameter go by their path, ``solver.restarts=3``.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from heats.errors import show_value

LEAST_DIGITS = 3
MOST_DIGITS = 17  # tell any two floats apart
LONGEST_TEXT = 40  # letters of one value in a name; what is longer keeps its beginning and its end
HEAD, TAIL = 24, 15
DEEPEST = 5  # tables within tables, which may also contain themselves
MOST_ITEMS_READ = 100  # of a list within a value
NO_PARAMETERS = "no parameters"

Parameters: TypeAlias = Mapping[Any, Any]
Path: TypeAlias = tuple[Any, ...]  # the keys that lead to a value


class ParameterTable(NamedTuple):
    """A row of texts per candidate, under one title per parameter; None where a candidate lacks it."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A line per candidate with all its parameters; equal candidates have equal ones."""
        return tuple(self._join(row) for row in self.rows)

    def _join(self, row: Sequence[str | None]) -> str:
        said = (f"{title}={text}" for title, text in zip(self.titles, row, strict=True) if text is not None)
        return " ".join(said) or NO_PARAMETERS


def tabulate_parameters(candidates: Sequence[Parameters], *, exactly: bool = False) -> ParameterTable:
    """Return what candidates say under every key, as briefly as keeps them apart, or ``exactly`` and in full."""
    flat = [dict(_flatten(candidate)) for candidate in candidates]
    paths = dict.fromkeys(path for each in flat for path in each)  # in the order in which they come up
    writers = {path: _choose_writer([each[path] for each in flat if path in each], exactly) for path in paths}
    titles = tuple(map(_write_path, paths))
    rows = (tuple(write(each[path]) if path in each else None for path, write in writers.items()) for each in flat)
    return ParameterTable(titles, tuple(rows))


def spread_parameters(candidates: Sequence[Parameters]) -> dict[str, list[Any]]:
    """Return the values of all candidates by parameter, as they are; None where a candidate lacks it."""
    flat = [dict(_flatten(candidate)) for candidate in candidates]
    paths = list(dict.fromkeys(path for each in flat for path in each))
    titles = tell_apart([_write_path(path) for path in paths])  # a key may look like a path
    return {title: [_to_python(each.get(path)) for each in flat] for title, path in zip(titles, paths, strict=True)}


def find_title(title: str, name: str) -> int:
    """Return where a parameter stands in a name that was made of several, to sort by: journals sort by the alphabet."""
    return f" {name}".find(f" {title}=")


def is_said(title: str, text: str, name: str) -> bool:
    """Whether a name says the value of a parameter."""
    return f" {title}={text} " in f" {name} "


def tell_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, those that are equal with the number of their candidate; no two are equal then."""
    told = list(names)
    while len(set(told)) < len(told):  # again only where a name looks like one that was numbered
        counts = Counter(told)
        told = [name if counts[name] == 1 else f"{name} #{arm}" for arm, name in enumerate(told)]
    return tuple(told)


def say_object(thing: object) -> str:
    """Return a function's name, or a repr on one line; nothing where that would only say where it lies in memory."""
    try:
        name = getattr(thing, "__name__", None)
    except Exception:  # somebody else's object, which is only to be described
        name = None
    text = " ".join((name if isinstance(name, str) and name else show_value(thing)).split())
    return "" if " at 0x" in text else text


def write_value(value: Any) -> str:
    """Return any value as text, exactly and in full."""
    return _write(value, MOST_DIGITS)


def shorten(text: str, letters: int = LONGEST_TEXT) -> str:
    """Return the beginning and the end of a text that is too long."""
    return text if len(text) <= letters else f"{text[:HEAD]}…{text[-TAIL:]}"


def _flatten(parameters: Parameters, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    for key, value in parameters.items():
        here = (*path, key)
        if isinstance(value, Mapping) and value and len(here) < DEEPEST:
            yield from _flatten(value, here)
        else:
            yield here, value


def _choose_writer(values: Sequence[Any], exactly: bool) -> Callable[[Any], str]:
    """Return how to write the values under one key: with how many digits, and which texts in quotes."""
    digits = MOST_DIGITS if exactly else _count_digits(values)
    has_texts = any(isinstance(value, str) for value in values)
    others = {_write(value, digits) for value in values if has_texts and not isinstance(value, str)}

    def write(value: Any) -> str:
        text = _write(value, digits)
        if isinstance(value, str) and text in others:  # the text "1" beside the number 1
            text = repr(text)
        return text if exactly else shorten(text)

    return write


def _count_digits(values: Iterable[Any]) -> int:
    """Return the fewest digits with which different numbers stay different."""
    different = {number for value in values for number in _find_numbers(value)}
    enough = (digits for digits in range(LEAST_DIGITS, MOST_DIGITS) if _are_told_apart(different, digits))
    return next(enough, MOST_DIGITS)


def _are_told_apart(different: Iterable[int | float], digits: int) -> bool:
    seen: set[str] = set()
    for number in different:
        if (text := _write_number(number, digits)) in seen:
            return False
        seen.add(text)
    return True


def _find_numbers(value: Any, depth: int = 0) -> Iterator[int | float]:
    value = _to_python(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value == value:  # not a NaN, which differs from itself
            yield value
    elif isinstance(value, (list, tuple)) and depth < DEEPEST:
        for each in islice(value, MOST_ITEMS_READ):
            yield from _find_numbers(each, depth + 1)


def _write(value: Any, digits: int, depth: int = 0) -> str:
    """Return a value as text on one line, whatever it is."""
    value = _to_python(value)
    if depth > DEEPEST:
        return "…"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return _write_number(value, digits)
    if isinstance(value, str):
        plain = str.__str__(value)  # an enum's value, not its name
        return plain if plain.isprintable() and plain and " " not in plain else repr(plain)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_write_items(value, digits, depth))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{','.join(sorted(_write(each, digits, depth + 1) for each in value))}}}"
    if isinstance(value, numbers.Number):  # decimals and fractions
        return str(value)
    return say_object(value) or type(value).__name__


def _write_items(items: Sequence[Any], digits: int, depth: int) -> Iterator[str]:
    yield from (_write(each, digits, depth + 1) for each in items[:MOST_ITEMS_READ])
    if len(items) > MOST_ITEMS_READ:
        yield f"… {len(items) - MOST_ITEMS_READ} more"


def _write_key(key: Any) -> str:
    return shorten(" ".join(key.split()) if isinstance(key, str) else _write(key, MOST_DIGITS))


def _write_path(path: Path) -> str:
    return ".".join(map(_write_key, path))


def _to_python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _write_number(number: int | float, digits: int) -> str:
    """Return a whole number whole, any other with so many digits, or fewer if it has fewer; 100000, not 1e+05."""
    if isinstance(number, int):
        return str(int(number)) if abs(number) < 10**4000 else hex(number)  # Python refuses to write longer ones
    number = float(number) + 0.0  # without the sign of a zero
    if not math.isfinite(number):
        return str(number)
    text = f"{number:.{digits}g}"
    if float(text) == number:
        whole = repr(number).removesuffix(".0")
        text = whole if "e" in text and "e" not in whole and len(whole) <= len(text) + 2 else min(text, whole, key=len)
    elif "e+" in text and len(f"{number:.0f}") <= len(text) + 2:
        text = f"{number:.0f}"
    return text
