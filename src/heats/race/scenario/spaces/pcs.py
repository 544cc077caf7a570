"""The .pcs formats, a line each → a space.

Classic: ``name {a, b} [a]``, ``name [0.1, 10] [1]l``, ``child | parent in {a}``, ``{a=1, b=2}`` (forbidden). New:
``name categorical {a, b} [a]``, ``name ordinal {a, b} [a]``, ``name integer [1, 10] [1] log``,
``name real [0.1, 10] [1]``, ``child | parent == a && other > 1``, ``{a > 1 && b == 2}``. Both may stand in one file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces.conditions import Test, all_of, is_one_of
from heats.race.scenario.spaces.expression import parse_expression
from heats.race.scenario.spaces.lines import blame_line, list_lines
from heats.race.scenario.spaces.parameter import Parameter, Value, parse_number
from heats.race.scenario.spaces.space import Space

_CHOSEN = re.compile(r"(\S+?)(?:\s+(categorical|ordinal))?\s*\{([^}]*)\}\s*\[([^\]]*)\]$")
_CLASSIC = re.compile(r"(\S+?)\s*\[([^,\]]+),([^,\]]+)\]\s*\[([^\]]+)\]\s*([il]*)$")
_TYPED = re.compile(r"(\S+)\s+(integer|real)\s*\[([^,\]]+),([^,\]]+)\]\s*\[([^\]]+)\]\s*(log)?$")
_CONDITION = re.compile(r"([^\s|{[]+)\s*\|(.*)$")
_MEMBERSHIP = re.compile(r"\s*(\S+)\s+in\s*\{([^{}]*)\}\s*$")
_FORBIDDEN = re.compile(r"\{(.*)\}$")
_PAIRS = re.compile(r"[^=<>!&|,]+=[^=<>!&|,]+(,[^=<>!&|,]+=[^=<>!&|,]+)*$")

_HEADINGS = ("forbidden:", "conditionals:", "conditions:")


def parse_pcs(path: Path, text: str) -> Space:
    """Read the text of a .pcs file: all parameters, then what is said of them, wherever it stands."""
    parameters: dict[str, Parameter] = {}
    said: list[tuple[int, str]] = []
    for number, line in list_lines(text):
        if line.lower() in _HEADINGS:
            continue
        if _FORBIDDEN.match(line) or _CONDITION.match(line):
            said.append((number, line))
            continue
        with blame_line(path, number):
            each = _parse_parameter(line)
            if each.name in parameters:
                raise InvalidArgument(f"parameter {each.name} is there twice.")
            parameters[each.name] = each
    conditions: list[tuple[str, Test]] = []
    forbidden: list[Test] = []
    for number, line in said:
        with blame_line(path, number):
            if clause := _FORBIDDEN.match(line):
                forbidden.append(_parse_clause(clause[1], parameters))
            elif condition := _CONDITION.match(line):
                conditions.append(_parse_condition(condition[1], condition[2], parameters))
    return Space(tuple(parameters.values()), tuple(conditions), tuple(forbidden))


def _parse_parameter(line: str) -> Parameter:
    if found := _CHOSEN.match(line):
        name, kind, values, default = found.groups()
        return Parameter(name, kind or "categorical", choices=tuple(_split_values(values)), default=default.strip())
    if found := _TYPED.match(line):
        name, kind, low, high, default, log = found.groups()
        return _make_number(name, "int" if kind == "integer" else "float", low, high, default, is_log=log is not None)
    if found := _CLASSIC.match(line):
        name, low, high, default, flags = found.groups()
        return _make_number(name, "int" if "i" in flags else "float", low, high, default, is_log="l" in flags)
    raise InvalidArgument(
        f"{show_value(line)} is none of: name {{a, b}} [a] · name [0.1, 10] [1] with i, l or il behind · name, then "
        "categorical, ordinal, integer or real, values and default · child | parent in {a, b} · {name=value, ...}."
    )


def _make_number(name: str, kind: str, low: str, high: str, default: str, *, is_log: bool) -> Parameter:
    known = parse_number(default.strip())
    if known is None:
        raise InvalidArgument(f"the default {default.strip()} of {name} is not a number.")
    if kind == "int" and float(known).is_integer():
        known = int(known)
    return Parameter(name, f"{'log-' if is_log else ''}{kind}", float(low), float(high), default=known)


def _parse_condition(child: str, text: str, parameters: Mapping[str, Parameter]) -> tuple[str, Test]:
    if child not in parameters:
        raise InvalidArgument(f"a condition on unknown {child}, which is not a parameter.")
    if found := _MEMBERSHIP.match(text):  # its values may be written in any way
        return child, _parse_membership(found[1], _split_values(found[2]), parameters)
    return child, parse_expression(text, parameters)


def _parse_clause(text: str, parameters: Mapping[str, Parameter]) -> Test:
    if not _PAIRS.match(text):
        return parse_expression(text, parameters)
    pairs = [pair.partition("=")[::2] for pair in _split_values(text)]
    return all_of([_parse_membership(name.strip(), [value.strip()], parameters) for name, value in pairs])


def _parse_membership(name: str, values: list[str], parameters: Mapping[str, Parameter]) -> Test:
    if name not in parameters:
        raise InvalidArgument(f"{name} is not a parameter.")
    parameter = parameters[name]
    known: list[Value] = [parameter.find_choice(value) if parameter.is_chosen else float(value) for value in values]
    return is_one_of(parameter, known)


def _split_values(values: str) -> list[str]:
    return [value.strip() for value in values.split(",")]
