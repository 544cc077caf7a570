"""A parameter file of irace → a space: ``name "switch" type (values) | condition``, then ``[forbidden]`` expressions.

Types are ``c`` (categorical), ``o`` (ordinal), ``i``, ``r``, and ``i,log`` and ``r,log``; conditions are those of R.
Quotes are single or double, and a # between them begins no comment. The switch is not used: the command of a race says
where a parameter goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces.conditions import Test
from heats.race.scenario.spaces.expression import STRICT, parse_expression
from heats.race.scenario.spaces.lines import blame_line, list_lines
from heats.race.scenario.spaces.parameter import Parameter, parse_number
from heats.race.scenario.spaces.space import Space

_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
_BEGINNING = re.compile(rf"[\w.]+\s+{_QUOTED}\s+[cior]\b")
_PARAMETER = re.compile(
    rf"""([\w.]+)\s+{_QUOTED}\s+(c|o|i|r|i,log|r,log)\s*\(((?:{_QUOTED}|[^"'|])*?)\)\s*(?:\|(.*))?$"""
)
_SECTION = re.compile(r"\[\s*(\w+)\s*\]$")
_DIGITS = re.compile(r"digits\s*=\s*(\d{1,2})$")
_VALUE = re.compile(r"""\s*+(?:"([^"]*+)"\s*+|'([^']*+)'\s*+|([^,"']*+))(?:,|$)""")
_KINDS = {"c": "categorical", "o": "ordinal", "i": "int", "r": "float", "i,log": "log-int", "r,log": "log-float"}


def is_irace(text: str) -> bool:
    """Whether the first line that says something is one of irace's."""
    return any(_BEGINNING.match(line) is not None for _, line in list_lines(text, quoted=True)[:1])


def parse_irace(path: Path, text: str) -> Space:
    """Read the text of a parameter file."""
    sections: dict[str, list[tuple[int, str]]] = {"": [], "forbidden": [], "global": []}
    section = ""
    for number, line in list_lines(text, quoted=True):
        with blame_line(path, number):
            if found := _SECTION.match(line):
                section = _check_section(found[1])
            else:
                sections[section].append((number, line))
    decimals = _find_decimals(path, sections["global"])
    parameters: dict[str, Parameter] = {}
    conditions: list[tuple[int, str, str]] = []
    for number, line in sections[""]:
        with blame_line(path, number):
            each, condition = _parse_line(line, decimals)
            if each.name in parameters:
                raise InvalidArgument(f"parameter {each.name} is there twice.")
            parameters[each.name] = each
            conditions += [] if condition is None else [(number, each.name, condition)]
    return Space(
        tuple(parameters.values()),
        tuple((name, _parse_test(path, number, text, parameters)) for number, name, text in conditions),
        tuple(_parse_test(path, number, text, parameters) for number, text in sections["forbidden"]),
    )


def _check_section(name: str) -> str:
    if name not in ("forbidden", "global"):
        raise InvalidArgument(f"[{name}] is not known; [forbidden] and [global] are.")
    return name


def _find_decimals(path: Path, lines: list[tuple[int, str]]) -> int | None:
    decimals = None
    for number, line in lines:
        with blame_line(path, number):
            found = _DIGITS.match(line)
            if found is None:
                raise InvalidArgument(f"{show_value(line)} is not known under [global]; digits = 4 is.")
            decimals = int(found[1])
    return decimals


def _parse_line(line: str, decimals: int | None) -> tuple[Parameter, str | None]:
    found = _PARAMETER.match(line)
    if found is None:
        raise InvalidArgument(
            f'{show_value(line)} is not a parameter; expected name "switch" type (values) | condition, with one of the '
            f"types {', '.join(_KINDS)}."
        )
    name, kind, text, condition = found.groups()
    values = _split_values(name, text)
    if kind in "co":
        return Parameter(name, _KINDS[kind], choices=tuple(values)), condition
    return Parameter(name, _KINDS[kind], *_read_range(name, values), decimals=decimals), condition


def _split_values(name: str, text: str) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(text.rstrip()):
        value = _VALUE.match(text, place)
        if value is None:
            raise InvalidArgument(f"the values ({text}) of {name} are not a list such as (a, b).")
        found.append((value[1] or value[2] or "") if value[3] is None else value[3].strip())
        place = value.end()
    return found


def _read_range(name: str, values: list[str]) -> tuple[float, float]:
    ends = [(value, parse_number(value.strip())) for value in values]
    for value, number in ends:
        if number is None:
            raise InvalidArgument(
                f"the range of {name} ends at {show_value(value)}, which is not a number; ranges that depend on other "
                "parameters are not known here: give numbers, and say under [forbidden] what must not be."
            )
    if len(ends) != 2:
        raise InvalidArgument(f"{name} needs a range of two numbers, such as (0.1, 0.9).")
    return tuple(number for _, number in ends if number is not None)  # type: ignore[return-value]


def _parse_test(path: Path, number: int, text: str, parameters: Mapping[str, Parameter]) -> Test:
    with blame_line(path, number):
        return parse_expression(text, parameters, STRICT)
