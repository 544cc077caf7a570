"""The values candidates are sampled from: a [space] table, ConfigSpace's JSON, or the classic .pcs format.

A candidate is a pure function of the seed and its number. A parameter whose conditions do not hold is left out of it;
what a file forbids, and what was drawn before, is drawn again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import BrokenFile, InvalidArgument

Value: TypeAlias = str | int | float | bool
Candidate: TypeAlias = dict[str, Value]
Test: TypeAlias = Callable[[Mapping[str, Value]], bool]

KINDS = ("float", "log-float", "int", "log-int", "categorical")
DIGITS = 6  # significant digits of sampled floats: these numbers end up on command lines
TRIES = 1000  # draws per candidate before a space counts as used up


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
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise InvalidArgument(f"parameter {self.name} needs a range [low, high], not [{self.low}, {self.high}].")
        if self.kind.startswith("log") and self.low <= 0:
            raise InvalidArgument(f"parameter {self.name} is on a log scale, so its range must begin above 0.")
        if self.kind.endswith("int") and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise InvalidArgument(f"parameter {self.name} is whole, so its range must be: [{self.low}, {self.high}].")

    def at(self, unit: float) -> Value:
        """Return the value at ``unit``, from 0 to 1, of the range."""
        if self.kind == "categorical":
            return self.choices[int(unit * len(self.choices))]
        if self.kind == "int":
            return int(self.low + math.floor(unit * (self.high - self.low + 1)))
        if self.kind == "log-int":  # each whole number has the share of the log scale that rounds to it
            drawn = _between_logs(self.low - 0.5, self.high + 0.5, unit)
            return int(min(max(round(drawn), self.low), self.high))
        drawn = _between_logs(self.low, self.high, unit) if self.kind == "log-float" else self._linear(unit)
        return min(max(float(f"{drawn:.{DIGITS}g}"), float(self.low)), float(self.high))

    def _linear(self, unit: float) -> float:
        return self.low + unit * (self.high - self.low)


class Space(msgspec.Struct, frozen=True):
    """Parameters, the conditions under which each counts, and what must not come together."""

    parameters: tuple[Parameter, ...]
    conditions: tuple[tuple[str, Test], ...] = ()  # (parameter, what must hold)
    forbidden: tuple[Test, ...] = ()

    def sample(self, count: int, seed: int) -> list[Candidate]:
        """Return ``count`` different candidates."""
        root = randomness.fold_seed(seed)
        found: dict[frozenset[tuple[str, object]], Candidate] = {}
        for candidate in islice(self._draws(root), TRIES * count):
            found.setdefault(identity(candidate), candidate)
            if len(found) == count:
                return list(found.values())
        raise InvalidArgument(
            f"sample={count} is more than the space holds: only {len(found)} different candidates came up in "
            f"{TRIES * count} draws; sample fewer, or widen the space."
        )

    def _draws(self, root: np.uint64) -> Iterator[Candidate]:
        places = np.arange(len(self.parameters))
        number = 0
        while True:
            units = randomness.to_unit(randomness.draw_bits(root, Purpose.SAMPLE, number, places))
            drawn = {each.name: each.at(unit) for each, unit in zip(self.parameters, units.tolist(), strict=True)}
            candidate = self._active(drawn)
            yield from () if any(test(candidate) for test in self.forbidden) else (candidate,)
            number += 1

    def _active(self, candidate: Candidate) -> Candidate:
        """Leave out parameters whose conditions do not hold, and those that depend on them."""
        while idle := {name for name, test in self.conditions if name in candidate and not test(candidate)}:
            candidate = {name: value for name, value in candidate.items() if name not in idle}
        return candidate


def identity(candidate: Candidate) -> frozenset[tuple[str, object]]:
    """Return what makes a candidate the same as another: 1 and 1.0 are, true is not."""
    return frozenset(
        (name, str(value) if value is True or value is False else value) for name, value in candidate.items()
    )


def _between_logs(low: float, high: float, unit: float) -> float:
    return math.exp(math.log(low) + unit * (math.log(high) - math.log(low)))


def from_table(table: Mapping[str, Any]) -> Space:
    """Read a [space] table: ``alpha = { float = [1.01, 1.4] }``, ``mode = { categorical = ["a", "b"] }``."""
    return Space(tuple(_from_entry(name, entry) for name, entry in table.items()))


def _from_entry(name: str, entry: Any) -> Parameter:
    if not isinstance(entry, dict) or len(entry) != 1 or next(iter(entry)) not in KINDS:
        raise InvalidArgument(
            f"space: {name} = {json.dumps(entry, default=str)} must say what it is in the way of {name} = "
            f"{{ float = [0.1, 0.9] }}; known are {', '.join(KINDS)}."
        )
    ((kind, values),) = entry.items()
    if kind == "categorical":
        if not isinstance(values, list) or not all(isinstance(value, Value) for value in values):
            raise InvalidArgument(f"space: {name} needs a list of values to choose from, such as [1, 2, 4].")
        return Parameter(name, kind, choices=tuple(values))
    if not isinstance(values, list) or len(values) != 2 or not all(type(value) in (int, float) for value in values):
        raise InvalidArgument(f"space: {name} needs a range of two numbers, such as [0.1, 0.9], not {values!r}.")
    return Parameter(name, kind, *values)


def from_file(path: Path) -> Space:
    """Read a .json file as ConfigSpace writes it, or a .pcs file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"the space file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BrokenFile(f"{path} is no text in UTF-8; a .pcs or ConfigSpace .json file was expected.") from None
    space = _from_json(path, text) if path.suffix == ".json" else _from_pcs(path, text)
    names = [each.name for each in space.parameters]
    unknown = [name for name, _ in space.conditions if name not in names]
    if unknown or not names:
        raise BrokenFile(f"{path} " + (f"has a condition on unknown {unknown[0]}." if names else "has no parameters."))
    return space


# Tests on a candidate; a parameter that is left out passes none.


def _among(name: str, values: list[Value]) -> Test:
    return lambda candidate: name in candidate and candidate[name] in values


def _compared(name: str, sign: str, value: Any) -> Test:
    compare: dict[str, Callable[[Any], bool]] = {
        "NEQ": lambda x: bool(x != value),
        "LT": lambda x: bool(x < value),
        "GT": lambda x: bool(x > value),
    }
    return lambda candidate: name in candidate and compare[sign](candidate[name])


def _joined(tests: list[Test], how: Callable[[Iterator[bool]], bool]) -> Test:
    return lambda candidate: how(test(candidate) for test in tests)


# The classic .pcs format, a line each:  name {a, b} [a]   name [0.1, 10] [1]l   child | parent in {a}   {a=1, b=2}

_CATEGORICAL = re.compile(r"(\S+?)\s*\{([^}]*)\}\s*\[([^\]]*)\]$")
_NUMERIC = re.compile(r"(\S+?)\s*\[([^,\]]+),([^,\]]+)\]\s*\[([^\]]+)\]\s*([il]*)$")
_CONDITION = re.compile(r"(\S+)\s*\|\s*(\S+)\s+in\s*\{([^}]*)\}$")
_FORBIDDEN = re.compile(r"\{([^}]*=[^}]*)\}$")


def _from_pcs(path: Path, text: str) -> Space:
    parameters: dict[str, Parameter] = {}
    conditions: list[tuple[str, Test]] = []
    forbidden: list[Test] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        try:
            if not line or line in ("Forbidden:", "Conditionals:"):
                continue
            if found := _CONDITION.match(line):
                child, parent, values = found.groups()
                conditions.append((child, _pcs_test(parameters, parent, _split(values))))
            elif found := _FORBIDDEN.match(line):
                pairs = [pair.partition("=")[::2] for pair in _split(found[1])]
                forbidden.append(_joined([_pcs_test(parameters, n.strip(), [v.strip()]) for n, v in pairs], all))
            else:
                each = _pcs_parameter(line)
                if each.name in parameters:
                    raise InvalidArgument(f"parameter {each.name} is there twice.")
                parameters[each.name] = each
        except (ValueError, InvalidArgument) as error:
            raise BrokenFile(f"{path}, line {number}: {error}") from None
    return Space(tuple(parameters.values()), tuple(conditions), tuple(forbidden))


def _pcs_parameter(line: str) -> Parameter:
    if found := _CATEGORICAL.match(line):
        name, values, default = found.groups()
        choices = _split(values)
        if default.strip() not in choices:
            raise InvalidArgument(f"the default {default.strip()} of {name} is not among its values.")
        return Parameter(name, "categorical", choices=tuple(choices))
    if found := _NUMERIC.match(line):
        name, low, high, default, flags = found.groups()
        kind = ("log-" if "l" in flags else "") + ("int" if "i" in flags else "float")
        each = Parameter(name, kind, float(low), float(high))
        if not each.low <= float(default) <= each.high:
            raise InvalidArgument(f"the default {default.strip()} of {name} is outside its range.")
        return each
    raise InvalidArgument(
        f"{line!r} is none of: name {{a, b}} [a] · name [0.1, 10] [1] with i, l or il behind · "
        "child | parent in {a, b} · {name=value, ...}."
    )


def _pcs_test(parameters: Mapping[str, Parameter], name: str, values: list[str]) -> Test:
    if name not in parameters:
        raise InvalidArgument(f"{name} is no parameter of the lines above.")
    if parameters[name].kind == "categorical":
        return _among(name, list(values))
    return _among(name, [float(value) for value in values])


def _split(values: str) -> list[str]:
    return [value.strip() for value in values.split(",")]


# ConfigSpace's JSON.


def _from_json(path: Path, text: str) -> Space:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BrokenFile(f"{path} is no JSON: {error}.") from None
    try:
        parameters = {each["name"]: _json_parameter(each) for each in data["hyperparameters"]}
        if len(parameters) < len(data["hyperparameters"]):
            raise InvalidArgument("a parameter is there twice.")
        return Space(
            tuple(parameters.values()),
            tuple((each["child"], _json_test(each, each["parent"], parameters)) if "parent" in each
                  else _json_joined(each, parameters) for each in data.get("conditions", ())),
            tuple(_json_test(each, each.get("name"), parameters) for each in data.get("forbiddens", ())),
        )  # fmt: skip
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise BrokenFile(f"{path} is not what ConfigSpace writes: {type(error).__name__} {error}.") from None
    except InvalidArgument as error:
        raise BrokenFile(f"{path}: {error}") from None


def _json_parameter(each: Mapping[str, Any]) -> Parameter:
    name, log = each["name"], "log-" if each.get("log") else ""
    match each["type"]:
        case "uniform_float":
            return Parameter(name, f"{log}float", each["lower"], each["upper"])
        case "uniform_int":
            return Parameter(name, f"{log}int", each["lower"], each["upper"])
        case "categorical" if len(set(each.get("weights") or (1,))) == 1:
            return Parameter(name, "categorical", choices=_json_values(name, each["choices"]))
        case "categorical":
            raise InvalidArgument(f"{name} has weights; here all choices are equally likely, so take them out.")
        case "ordinal":
            return Parameter(name, "categorical", choices=_json_values(name, each["sequence"]))
        case "constant" | "unparametrized":
            return Parameter(name, "categorical", choices=_json_values(name, [each["value"]]))
        case other:
            raise InvalidArgument(
                f"{name} is of type {other}; known are uniform_float, uniform_int, categorical, ordinal and constant."
            )


def _json_values(name: str, values: Any) -> tuple[Value, ...]:
    if not isinstance(values, list) or not all(isinstance(value, Value) for value in values):
        raise InvalidArgument(f"{name} has {json.dumps(values)}; expected a list of texts, numbers, true or false.")
    return tuple(values)


def _json_joined(each: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> tuple[str, Test]:
    """Return an AND or OR of conditions on one child."""
    parts = each["conditions"]
    return each.get("child", parts[0]["child"]), _json_test(each, None, parameters)


def _json_test(each: Mapping[str, Any], name: Any, parameters: Mapping[str, Parameter]) -> Test:
    if each["type"] not in ("AND", "OR") and name not in parameters:
        raise InvalidArgument(f"a condition or forbidden clause is on {name!r}, which is no parameter.")
    match each["type"]:
        case "AND" | "OR":
            parts = each.get("conditions") or each["clauses"]
            tests = [_json_test(part, part.get("parent", part.get("name")), parameters) for part in parts]
            return _joined(tests, all if each["type"] == "AND" else any)
        case "EQ" | "EQUALS":
            return _among(name, [each["value"]])
        case "IN":
            return _among(name, list(each["values"]))
        case "NEQ" | "LT" | "GT":
            numbers = parameters[name].choices or (parameters[name].low,)
            if each["type"] != "NEQ" and not all(type(x) in (int, float) for x in (*numbers, each["value"])):
                raise InvalidArgument(f"{name} {each['type']} {each['value']!r} compares what is no number.")
            return _compared(name, each["type"], each["value"])
        case other:
            raise InvalidArgument(f"a condition or forbidden clause of type {other} is not known here.")
