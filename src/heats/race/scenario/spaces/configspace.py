"""A .json file as ConfigSpace writes it → a space: kinds of parameters, conditions, forbidden clauses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heats.base.text import end_sentence
from heats.errors import BrokenFile, InvalidArgument, show_value
from heats.race.scenario.spaces.conditions import Test, all_of, any_of, compares, is_one_of
from heats.race.scenario.spaces.parameter import Parameter, Value
from heats.race.scenario.spaces.space import Space

_SIGNS = {"NEQ": "!=", "LT": "<", "GT": ">"}


def parse_configspace(path: Path, text: str) -> Space:
    """Read the text of a .json file."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BrokenFile(f"{path} is not valid JSON: {end_sentence(error)}") from None
    except RecursionError:
        raise BrokenFile(f"{path} is nested too deeply for a file of ConfigSpace.") from None
    try:
        return _parse_space(data)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenFile(
            f"{path} is not what ConfigSpace writes: {type(error).__name__} {end_sentence(error)}"
        ) from None
    except InvalidArgument as error:
        raise BrokenFile(f"{path}: {end_sentence(error)}") from None


def _parse_space(data: Mapping[str, Any]) -> Space:
    parameters = {each["name"]: _parse_parameter(each) for each in data["hyperparameters"]}
    if len(parameters) < len(data["hyperparameters"]):
        raise InvalidArgument("a parameter is there twice.")
    return Space(
        tuple(parameters.values()),
        tuple(_parse_condition(each, parameters) for each in data.get("conditions", ())),
        tuple(_parse_test(each, each.get("name"), parameters) for each in data.get("forbiddens", ())),
    )


def _parse_parameter(each: Mapping[str, Any]) -> Parameter:
    name, log = each["name"], "log-" if each.get("log") else ""
    if not isinstance(name, str):
        raise InvalidArgument(f"{show_value(name)} is not the name of a parameter; expected text.")
    default = each.get("default_value", each.get("default"))
    match each["type"]:
        case "uniform_float" | "uniform_int":
            kind = log + each["type"].removeprefix("uniform_")
            return Parameter(name, kind, *_check_range(name, each["lower"], each["upper"]), default=default)
        case "categorical" if len(set(each.get("weights") or (1,))) == 1:
            return Parameter(name, "categorical", choices=_check_values(name, each["choices"]), default=default)
        case "categorical":
            raise InvalidArgument(f"{name} has weights; here all choices are equally likely, so take them out.")
        case "ordinal":
            return Parameter(name, "ordinal", choices=_check_values(name, each["sequence"]), default=default)
        case "constant" | "unparametrized":
            values = _check_values(name, [each["value"]])
            return Parameter(name, "categorical", choices=values, default=values[0])
        case other:
            raise InvalidArgument(
                f"{name} is of type {other}; known are uniform_float, uniform_int, categorical, ordinal and constant."
            )


def _check_range(name: str, low: Any, high: Any) -> tuple[float, float]:
    if not all(type(end) in (int, float) for end in (low, high)):
        raise InvalidArgument(f"{name} goes from {show_value(low)} to {show_value(high)}; expected two numbers.")
    return low, high


def _check_values(name: str, values: Any) -> tuple[Value, ...]:
    if not isinstance(values, list) or not all(isinstance(value, Value) for value in values):
        raise InvalidArgument(f"{name} has {show_value(values)}; expected a list of texts, numbers, true or false.")
    return tuple(values)


def _parse_condition(each: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> tuple[str, Test]:
    """Return a condition on a child: a single one, or an AND or OR of several."""
    if "parent" in each:
        return each["child"], _parse_test(each, each["parent"], parameters)
    parts = each["conditions"]
    return each.get("child", parts[0]["child"]), _parse_test(each, None, parameters)


def _parse_test(each: Mapping[str, Any], name: Any, parameters: Mapping[str, Parameter]) -> Test:
    if each["type"] not in ("AND", "OR") and name not in parameters:
        raise InvalidArgument(f"a condition or forbidden clause is on {show_value(name)}, which is not a parameter.")
    match each["type"]:
        case "AND" | "OR":
            parts = each.get("conditions") or each["clauses"]
            tests = [_parse_test(part, part.get("parent", part.get("name")), parameters) for part in parts]
            return all_of(tests) if each["type"] == "AND" else any_of(tests)
        case "EQ" | "EQUALS":
            return is_one_of(parameters[name], _check_values(name, [each["value"]]))
        case "IN":
            return is_one_of(parameters[name], _check_values(name, each["values"]))
        case "NEQ" | "LT" | "GT":
            (value,) = _check_values(name, [each["value"]])
            return compares(parameters[name], _SIGNS[each["type"]], value)
        case other:
            raise InvalidArgument(f"a condition or forbidden clause of type {show_value(other)} is not known here.")
