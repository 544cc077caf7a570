"""What one parameter may be: numbers of a range, on a scale, or choices; and the values drawn for it."""

from __future__ import annotations

import math
import re
from typing import TypeAlias

import msgspec

from heats.errors import InvalidArgument, show_value

Value: TypeAlias = str | int | float | bool
Candidate: TypeAlias = dict[str, Value]

KINDS = ("float", "log-float", "int", "log-int", "categorical", "ordinal")
DIGITS = 6  # significant digits of sampled floats: these numbers end up on command lines
LARGEST_WHOLE = 2**53  # up to here every whole number is a float
MOST_CHOICES_SHOWN = 10

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


class Parameter(msgspec.Struct, frozen=True):
    """What a parameter may be: numbers from ``low`` to ``high``, or one of ``choices``; ordinal ones are in order."""

    name: str
    kind: str
    low: float = 0
    high: float = 0
    choices: tuple[Value, ...] = ()
    default: Value | None = None
    decimals: int | None = None  # of sampled floats, where fewer than their digits are wanted

    def __post_init__(self) -> None:
        self._check_choices() if self.is_chosen else self._check_range()
        if self.default is not None:
            self._check_default(self.default)

    @property
    def is_chosen(self) -> bool:
        """Whether it is one of some choices, not a number of a range."""
        return self.kind in ("categorical", "ordinal")

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number of a range."""
        return self.kind.endswith("int")

    @property
    def size(self) -> float:
        """How many different values it may have: exact or too many, and infinite for numbers that are not whole."""
        if self.is_chosen:
            return len(set(map(value_key, self.choices)))
        if self.low == self.high:
            return 1
        return self.high - self.low + 1 if self.is_whole else math.inf

    def at(self, unit: float) -> Value:
        """Return the value at ``unit``, from 0 to 1, of the range."""
        if self.is_chosen:
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
        short = float(f"{drawn:.{DIGITS}g}")
        if self.decimals is not None:
            short = round(short, self.decimals)
        return min(max(short, float(self.low)), float(self.high))

    def locate(self, value: Value) -> float | None:
        """Return where in the range a value stands, so that ``at`` gives it back; None if it is no value of this."""
        if self.is_chosen:
            keys = [*map(value_key, self.choices)]
            return (keys.index(value_key(value)) + 0.5) / len(keys) if value_key(value) in keys else None
        if isinstance(value, (str, bool)) or not self.low <= value <= self.high:
            return None
        low, high = (self.low - 0.5, self.high + 0.5) if self.is_whole else (self.low, self.high)
        if low == high:
            return 0.5
        if self.kind.startswith("log"):
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    def find_choice(self, text: str) -> Value:
        """Return the choice that is written so, 2.0 being 2; refuse what is none."""
        for choice in self.choices:
            if format_value(choice) == text:
                return choice
        number = parse_number(text)
        for choice in self.choices:
            if number is not None and parse_number(format_value(choice)) == number:
                return choice
        shown = ", ".join(format_value(choice) for choice in self.choices[:MOST_CHOICES_SHOWN])
        more = ", …" if len(self.choices) > MOST_CHOICES_SHOWN else ""
        raise InvalidArgument(f"{self.name} has no value {show_value(text)}; it may be {shown}{more}.")

    def order(self, value: Value) -> float | None:
        """Return what sorts its values: their place if it is ordinal, else the number each is; None if it is none."""
        if self.kind == "ordinal":
            return self.choices.index(value) if value in self.choices else None
        return value if type(value) in (int, float) else parse_number(format_value(value))  # type: ignore[return-value]

    @property
    def has_order(self) -> bool:
        """Whether one of its values can be more than another."""
        return (
            self.kind == "ordinal" or not self.is_chosen or all(self.order(each) is not None for each in self.choices)
        )

    def _check_choices(self) -> None:
        if not self.choices:
            raise InvalidArgument(f"parameter {self.name} has no values to choose from.")

    def _check_range(self) -> None:
        if not self._has_finite_range():
            raise InvalidArgument(f"parameter {self.name} needs a range [low, high], not {self._range}.")
        if self.kind.startswith("log") and self.low <= 0:
            raise InvalidArgument(f"parameter {self.name} is on a log scale, so its range must begin above 0.")
        if self.is_whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise InvalidArgument(f"parameter {self.name} is whole, so its range must be: {self._range}.")
        if self.is_whole and max(abs(self.low), abs(self.high)) > LARGEST_WHOLE:
            raise InvalidArgument(
                f"parameter {self.name} is whole, so its range must lie within ±{LARGEST_WHOLE}: {self._range}."
            )

    def _has_finite_range(self) -> bool:
        try:
            return self.low <= self.high and math.isfinite(float(self.high) - float(self.low))
        except OverflowError:  # a whole number beyond all floats
            return False

    def _check_default(self, default: Value) -> None:
        what = f"the default {show_value(default)} of {self.name}"
        if self.is_chosen:
            if value_key(default) not in map(value_key, self.choices):
                raise InvalidArgument(f"{what} is not among its values.")
        elif isinstance(default, (str, bool)):
            raise InvalidArgument(f"{what} must be a number.")
        elif not self.low <= default <= self.high:
            raise InvalidArgument(f"{what} is outside its range {self._range}.")
        elif self.is_whole and not isinstance(default, int):
            raise InvalidArgument(f"{what} must be whole, as its range is.")

    @property
    def _range(self) -> str:
        return show_value([self.low, self.high])


def candidate_key(candidate: Candidate) -> frozenset[tuple[str, object]]:
    """Return what makes a candidate the same as another: 1 and 1.0 are, true is not."""
    return frozenset((name, value_key(value)) for name, value in candidate.items())


def value_key(value: Value) -> object:
    """Return what makes a value the same as another."""
    return str(value) if value is True or value is False else value


def format_value(value: Value) -> str:
    """Return a value as it stands on a command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_number(text: str) -> float | None:
    """Return the number that a text is, None if it is none; a whole number stays whole."""
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    return int(text) if text.lstrip("+-").isdecimal() else number


def _interpolate_logs(low: float, high: float, unit: float) -> float:
    return math.exp(math.log(low) + unit * (math.log(high) - math.log(low)))
