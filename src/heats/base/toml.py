"""TOML files that people write → typed tables; mistakes are named with file and line."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from heats.base.checks import one_of
from heats.base.files import read_text_file
from heats.base.text import make_printable, split_lines
from heats.errors import BrokenFile, show_value

MOST_SCENARIO_BYTES = 16 << 20

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}  # what msgspec calls TOML's kinds of values → what people do


T = TypeVar("T")


def read_toml(path: Path, kind: type[T], table: str, overrides: Mapping[str, Any], choices: Mapping[str, Any]) -> T:
    """Return a scenario of that kind; ``overrides`` replace keys of its main ``table``.

    ``choices`` are keys whose values are one of a few words, with the Literal that lists them.
    """
    text = read_scenario_text(path)
    for key in overrides.keys() & choices.keys():
        one_of(key, overrides[key], get_args(choices[key]))
    try:
        data = tomllib.loads(text)
        if isinstance(data.get(table), dict):
            data[table] |= overrides
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise BrokenFile(_explain_kind(path, text, str(error), choices, kind, table, data)) from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        raise BrokenFile(f"{path} is not valid TOML: {_put_line_first(make_printable(str(error)))}.") from None
    except RecursionError:
        raise BrokenFile(f"{path} is not a scenario: its lists or tables are nested too deeply.") from None


def read_scenario_text(path: Path) -> str:
    """Return the text of a scenario."""
    return read_text_file(path, MOST_SCENARIO_BYTES, "the scenario {path} cannot be read: {reason}.")


def _put_line_first(error: str) -> str:
    """Turn "… (at line 3, column 7)" into "line 3, column 7: …"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", error, re.DOTALL)
    return f"line {found[2]}, column {found[3]}: {found[1]}" if found else error


def _explain_kind(
    path: Path, text: str, error: str, choices: Mapping[str, Any], kind: type, table: str, data: Mapping[str, Any]
) -> str:
    """Say in which line a value stands that is of the wrong kind, and what was expected there."""
    what, _, where = error.partition(" - at ")
    keys = [key for key in re.split(r"[.\[\]`$]+", where) if key and key != "..." and not key.isdigit()]
    unknown = re.search(r"unknown field `(.+)`", what)
    if unknown:
        what = f"{unknown[1]!r} is not known here; {_say_known(unknown[1], list(_list_keys(kind, keys)))}"
        keys.append(unknown[1])
    if what.startswith("Invalid enum value") and keys[-1:] and keys[-1] in choices:
        words = " or ".join(map(repr, get_args(choices[keys[-1]])))
        what = f"{what.removeprefix('Invalid enum value ')} is unknown, expected {words}"
    if what == f"Object missing required field `{table}`" and not keys:
        what = f"it has no [{table}] table, with which a scenario begins"
    what = say_kinds(what.replace("Object missing required field", "missing"))
    if ", got " in what:
        what += _show_plain(data, keys)
    line = find_key(text, keys)
    at = f", line {line}" if line else ""
    return make_printable(f"{path}{at}: {'.'.join(keys)}{': ' if keys else ''}{what[:1].lower()}{what[1:]}.")


def _show_plain(data: Any, keys: Sequence[str]) -> str:
    """Return the value that keys lead to, to follow what kind it is of; nothing where that is a list or a table."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return f" {show_value(data)}" if isinstance(data, (str, int, float)) else ""


def _say_known(said: str, known: Sequence[str]) -> str:
    """Say which key was meant, or if none is like it, which there are."""
    near = difflib.get_close_matches(said, known, 1)
    return f"{near[0]!r} is" if near else f"known are {', '.join(known)}"


def _list_keys(kind: Any, path: Sequence[str]) -> Iterator[str]:
    """Yield the keys of the table that a path of keys leads to, of all kinds of tables that may stand there."""
    for part in get_args(kind):
        yield from _list_keys(part, path)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            if not path:
                yield field.encode_name
            elif field.encode_name == path[0]:
                yield from _list_keys(field.type, path[1:])


def say_kinds(text: str) -> str:
    """Return what msgspec says about kinds of values, in the words of people."""
    return re.sub(
        r"`([\w| ]+)`",
        lambda found: " or ".join(
            _KINDS.get(kind, f"'{kind}'") for kind in found[1].removesuffix(" | null").split(" | ")
        ),
        text,
    )


def find_key(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of the last key, within its table."""
    start = 0
    for number, line in enumerate(split_lines(text), 1):
        if keys[:-1] and re.match(rf"\s*\[+\s*{re.escape(keys[0])}\b", line):
            start = number
        if keys and (start or not keys[:-1]) and re.match(rf"\s*\[*\s*[\"']?{re.escape(keys[-1])}\b", line):
            return number
    return None
