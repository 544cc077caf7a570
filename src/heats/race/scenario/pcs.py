"""The classic .pcs format, a line each → a space.

``name {a, b} [a]``, ``name [0.1, 10] [1]l``, ``child | parent in {a}``, ``{a=1, b=2}`` (forbidden).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from heats.base.text import end_sentence, split_lines
from heats.errors import BrokenFile, InvalidArgument
from heats.race.scenario.space import Parameter, Space, Test, join_tests, make_choice_test

_CATEGORICAL = re.compile(r"(\S+?)\s*\{([^}]*)\}\s*\[([^\]]*)\]$")
_NUMERIC = re.compile(r"(\S+?)\s*\[([^,\]]+),([^,\]]+)\]\s*\[([^\]]+)\]\s*([il]*)$")
_CONDITION = re.compile(r"(\S+)\s*\|\s*(\S+)\s+in\s*\{([^}]*)\}$")
_FORBIDDEN = re.compile(r"\{([^}]*=[^}]*)\}$")


def parse_pcs(path: Path, text: str) -> Space:
    """Read the text of a .pcs file."""
    parameters: dict[str, Parameter] = {}
    conditions: list[tuple[str, Test]] = []
    forbidden: list[Test] = []
    for number, raw in enumerate(split_lines(text), 1):
        line = raw.partition("#")[0].strip()
        try:
            if not line or line in ("Forbidden:", "Conditionals:"):
                continue
            if found := _CONDITION.match(line):
                child, parent, values = found.groups()
                conditions.append((child, _parse_test(parameters, parent, _split_values(values))))
            elif found := _FORBIDDEN.match(line):
                pairs = [pair.partition("=")[::2] for pair in _split_values(found[1])]
                forbidden.append(join_tests([_parse_test(parameters, n.strip(), [v.strip()]) for n, v in pairs], all))
            else:
                each = _parse_parameter(line)
                if each.name in parameters:
                    raise InvalidArgument(f"parameter {each.name} is there twice.")
                parameters[each.name] = each
        except (ValueError, InvalidArgument) as error:
            raise BrokenFile(f"{path}, line {number}: {end_sentence(error)}") from None
    return Space(tuple(parameters.values()), tuple(conditions), tuple(forbidden))


def _parse_parameter(line: str) -> Parameter:
    if found := _CATEGORICAL.match(line):
        name, values, default = found.groups()
        choices = _split_values(values)
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
        f"{line[:200]!r} is none of: name {{a, b}} [a] · name [0.1, 10] [1] with i, l or il behind · "
        "child | parent in {a, b} · {name=value, ...}."
    )


def _parse_test(parameters: Mapping[str, Parameter], name: str, values: list[str]) -> Test:
    if name not in parameters:
        raise InvalidArgument(f"{name} is not a parameter of the lines above.")
    if parameters[name].kind == "categorical":
        return make_choice_test(name, list(values))
    return make_choice_test(name, [float(value) for value in values])


def _split_values(values: str) -> list[str]:
    return [value.strip() for value in values.split(",")]
