"""The values that candidates are drawn from: parameters with ranges or choices, conditions, and what is forbidden.

A candidate is a pure function of the seed and its number. A parameter whose conditions do not hold is left out of it;
what a file forbids, and what was drawn before, is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Any, TypeAlias

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import InvalidArgument, show_value

Value: TypeAlias = str | int | float | bool
Candidate: TypeAlias = dict[str, Value]
Test: TypeAlias = Callable[[Mapping[str, Value]], bool]

KINDS = ("float", "log-float", "int", "log-int", "categorical")
DIGITS = 6  # significant digits of sampled floats: these numbers end up on command lines
LARGEST_WHOLE = 2**53  # up to here every whole number is a float
MOST_DRAWN_VALUES = 2_000_000  # a second or two; after that a space counts as used up
LEAST_DRAWS_PER_CANDIDATE = 20
DRAWS_AT_ONCE = 256


class Parameter(msgspec.Struct, frozen=True):
    """What a parameter may be: numbers from ``low`` to ``high``, or one of ``choices``."""

    name: str
    kind: str
    low: float = 0
    high: float = 0
    choices: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if self.kind == "categorical":
            if not self.choices:
                raise InvalidArgument(f"parameter {self.name} has no values to choose from.")
            return
        if not self._has_finite_range():
            raise InvalidArgument(f"parameter {self.name} needs a range [low, high], not {self._range}.")
        if self.kind.startswith("log") and self.low <= 0:
            raise InvalidArgument(f"parameter {self.name} is on a log scale, so its range must begin above 0.")
        if self.kind.endswith("int") and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise InvalidArgument(f"parameter {self.name} is whole, so its range must be: {self._range}.")
        if self.kind.endswith("int") and max(abs(self.low), abs(self.high)) > LARGEST_WHOLE:
            raise InvalidArgument(
                f"parameter {self.name} is whole, so its range must lie within ±{LARGEST_WHOLE}: {self._range}."
            )

    def _has_finite_range(self) -> bool:
        try:
            return self.low <= self.high and math.isfinite(float(self.high) - float(self.low))
        except OverflowError:  # a whole number beyond all floats
            return False

    @property
    def _range(self) -> str:
        return show_value([self.low, self.high])

    @property
    def size(self) -> float:
        """How many different values it may have: exact or too many, and infinite for numbers that are not whole."""
        if self.kind == "categorical":
            return len({candidate_key({self.name: choice}) for choice in self.choices})
        if self.low == self.high:
            return 1
        return self.high - self.low + 1 if self.kind.endswith("int") else math.inf

    def at(self, unit: float) -> Value:
        """Return the value at ``unit``, from 0 to 1, of the range."""
        if self.kind == "categorical":
            return self.choices[int(unit * len(self.choices))]
        if self.kind == "int":
            return int(self.low + math.floor(unit * (self.high - self.low + 1)))
        if self.kind == "log-int":  # each whole number has the share of the log scale that rounds to it
            drawn = _interpolate_logs(self.low - 0.5, self.high + 0.5, unit)
            return int(min(max(round(drawn), self.low), self.high))
        if self.kind == "log-float":
            drawn = _interpolate_logs(self.low, self.high, unit)
        else:
            drawn = self.low + unit * (self.high - self.low)
        return min(max(float(f"{drawn:.{DIGITS}g}"), float(self.low)), float(self.high))


class Space(msgspec.Struct, frozen=True):
    """Parameters, the conditions under which each counts, and what must not come together."""

    parameters: tuple[Parameter, ...]
    conditions: tuple[tuple[str, Test], ...] = ()  # (parameter, what must hold)
    forbidden: tuple[Test, ...] = ()

    @property
    def size(self) -> float:
        """At most how many different candidates there are."""
        conditional = {name for name, _ in self.conditions}  # may also be left out
        return math.prod(each.size + (each.name in conditional) for each in self.parameters)

    def sample(self, how_many: int, seed: int) -> list[Candidate]:
        """Return that many different candidates."""
        if how_many > self.size:
            raise _refuse_sample(how_many, int(self.size), "there are")
        draws = max(LEAST_DRAWS_PER_CANDIDATE * how_many, MOST_DRAWN_VALUES // max(10, len(self.parameters)))
        found: dict[object, Candidate] = {}
        for candidate in islice(self._draw_candidates(randomness.fold_seed(seed)), draws):
            if candidate is not None:
                found.setdefault(candidate_key(candidate), candidate)
            if len(found) == how_many:
                return list(found.values())
        raise _refuse_sample(how_many, len(found), f"{draws} draws found")

    def _draw_candidates(self, root: np.uint64) -> Iterator[Candidate | None]:
        """Yield candidates for ever, None for each that is forbidden."""
        places = np.arange(len(self.parameters))
        for first in count(0, DRAWS_AT_ONCE):
            numbers = np.arange(first, first + DRAWS_AT_ONCE)[:, None]
            for units in randomness.to_unit(randomness.draw_bits(root, Purpose.SAMPLE, numbers, places)).tolist():
                drawn = {each.name: each.at(unit) for each, unit in zip(self.parameters, units, strict=True)}
                candidate = self._leave_out_idle(drawn)
                yield None if any(test(candidate) for test in self.forbidden) else candidate

    def _leave_out_idle(self, candidate: Candidate) -> Candidate:
        """Leave out parameters whose conditions do not hold, and those that depend on them."""
        while idle := {name for name, test in self.conditions if name in candidate and not test(candidate)}:
            candidate = {name: value for name, value in candidate.items() if name not in idle}
        return candidate


def _refuse_sample(sample: int, found: int, how: str) -> InvalidArgument:
    return InvalidArgument(
        f"{{sample}} is more than the space holds: {how} only {found} different candidates; sample fewer, or widen "
        "the space.",
        sample=sample,
    )


def candidate_key(candidate: Candidate) -> frozenset[tuple[str, object]]:
    """Return what makes a candidate the same as another: 1 and 1.0 are, true is not."""
    return frozenset(
        (name, str(value) if value is True or value is False else value) for name, value in candidate.items()
    )


def _interpolate_logs(low: float, high: float, unit: float) -> float:
    return math.exp(math.log(low) + unit * (math.log(high) - math.log(low)))


def parse_space(table: Mapping[str, Any]) -> Space:
    """Read a [space] table: ``alpha = { float = [1.01, 1.4] }``, ``mode = { categorical = ["a", "b"] }``."""
    return Space(tuple(_parse_parameter(name, entry) for name, entry in table.items()))


def _parse_parameter(name: str, entry: Any) -> Parameter:
    if not isinstance(entry, dict) or len(entry) != 1 or next(iter(entry)) not in KINDS:
        raise InvalidArgument(
            f"space: {name} = {show_value(entry)} must say what it is in the way of {name} = "
            f"{{ float = [0.1, 0.9] }}; known are {', '.join(KINDS)}."
        )
    ((kind, values),) = entry.items()
    if kind == "categorical":
        if not isinstance(values, list) or not all(isinstance(value, Value) for value in values):
            raise InvalidArgument(f"space: {name} needs a list of values to choose from, such as [1, 2, 4].")
        return Parameter(name, kind, choices=tuple(values))
    if not isinstance(values, list) or len(values) != 2 or not all(type(value) in (int, float) for value in values):
        raise InvalidArgument(f"space: {name} needs a range of two numbers, such as [0.1, 0.9].")
    return Parameter(name, kind, *values)


# Tests on a candidate, for conditions and for what is forbidden; a parameter that is left out passes none.


def make_choice_test(name: str, values: list[Value]) -> Test:
    """Return the test whether a parameter has one of the values."""
    return lambda candidate: name in candidate and candidate[name] in values


def make_comparison_test(name: str, sign: str, value: Any) -> Test:
    """Return the test how a parameter compares with a value: NEQ, LT or GT."""
    compare: dict[str, Callable[[Any], bool]] = {
        "NEQ": lambda x: bool(x != value),
        "LT": lambda x: bool(x < value),
        "GT": lambda x: bool(x > value),
    }
    return lambda candidate: name in candidate and compare[sign](candidate[name])


def join_tests(tests: list[Test], how: Callable[[Iterator[bool]], bool]) -> Test:
    """Return the test that all or any of the tests are passed."""
    return lambda candidate: how(test(candidate) for test in tests)
