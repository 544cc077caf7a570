"""A [space] table → a space.

``mode = { categorical = ["fast", "slow"] }``, ``alpha = { float = [1, 1.4], default = 1.3, when = "mode == fast" }``;
``forbidden = ["mode == slow && alpha > 1.2"]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces.conditions import Test
from heats.race.scenario.spaces.expression import parse_expression
from heats.race.scenario.spaces.parameter import KINDS, Parameter, Value
from heats.race.scenario.spaces.space import Space

EXTRAS = ("default", "when")  # what may stand beside the kind of a parameter


def parse_space(table: Mapping[str, Any], forbidden: object = ()) -> Space:
    """Read a [space] table, without what it says about how many candidates to take."""
    parameters: dict[str, Parameter] = {}
    for name, entry in table.items():
        with _blame_key(name):
            parameters[name] = _parse_parameter(name, entry)
    conditions: list[tuple[str, Test]] = []
    for name, entry in table.items():
        if "when" in entry:
            with _blame_key(name):
                conditions.append((name, _parse_condition(entry["when"], parameters)))
    with _blame_key("forbidden"):
        clauses = [parse_expression(each, parameters) for each in _check_texts(forbidden)]
    return Space(tuple(parameters.values()), tuple(conditions), tuple(clauses))


@contextmanager
def _blame_key(key: str) -> Iterator[None]:
    """Begin what is wrong with the key it is about."""
    try:
        yield
    except InvalidArgument as error:
        raise InvalidArgument(f"space.{key}: {error}") from None


def _parse_parameter(name: str, entry: Any) -> Parameter:
    said = [key for key in entry if key not in EXTRAS] if isinstance(entry, dict) else []
    if len(said) != 1 or said[0] not in KINDS:
        raise InvalidArgument(
            f"{show_value(entry)} must say what it is in the way of {name} = "
            f"{{ float = [0.1, 0.9] }}; known are {', '.join(KINDS)}, and beside them default and when."
        )
    kind, values, default = said[0], entry[said[0]], entry.get("default")
    if default is not None and not isinstance(default, Value):
        raise InvalidArgument(f"the default {show_value(default)} must be one of its values.")
    if kind in ("categorical", "ordinal"):
        if not isinstance(values, list) or not all(isinstance(value, Value) for value in values):
            raise InvalidArgument("it needs a list of values to choose from, such as [1, 2, 4].")
        return Parameter(name, kind, choices=tuple(values), default=default)
    if not isinstance(values, list) or len(values) != 2 or not all(type(value) in (int, float) for value in values):
        raise InvalidArgument("it needs a range of two numbers, such as [0.1, 0.9].")
    low, high = values
    return Parameter(name, kind, low, high, default=default)


def _parse_condition(condition: object, parameters: Mapping[str, Parameter]) -> Test:
    if not isinstance(condition, str):
        raise InvalidArgument(
            f'when = {show_value(condition)} must be a condition as text, such as "mode == fast && alpha > 1".'
        )
    return parse_expression(condition, parameters)


def _check_texts(forbidden: object) -> Sequence[str]:
    if not isinstance(forbidden, (list, tuple)) or not all(isinstance(each, str) for each in forbidden):
        raise InvalidArgument(
            f'{show_value(forbidden)} must be a list of conditions as texts, such as ["mode == slow && alpha > 1.2"].'
        )
    return forbidden
