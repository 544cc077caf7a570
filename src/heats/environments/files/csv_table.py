"""Tables as text: a line of the arms' names, then a row of numbers per line."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heats.base.text import count_things, end_sentence
from heats.environments.arguments import LARGEST_VALUE
from heats.environments.files.opening import MOST_FILE_BYTES, read_lines
from heats.environments.files.worlds import make_runtime_world, make_score_world
from heats.environments.protocol import Environment
from heats.errors import BrokenFile

Values = Literal["score", "loss", "runtime"]
VALUES = ("score", "loss", "runtime")


def read_csv(
    path: Path, feedback: Any = None, max_bytes: int = MOST_FILE_BYTES, values: Values = "score"
) -> Environment:
    """Read a table of scores, losses or runtimes; an empty runtime is a run that did not finish."""
    names, rows = parse_table(path, read_lines(path, max_bytes), runtimes=values == "runtime")
    table = np.array(rows)
    if values != "runtime":
        return make_score_world(table, names, feedback, losses=values == "loss")
    solved = ~np.isnan(table)
    if not solved.any():
        raise BrokenFile(f"{path} has no runtime at all.")
    return make_runtime_world(table, solved, float(np.nanmax(table)), names, feedback)


def parse_table(path: Path, lines: list[str], *, runtimes: bool) -> tuple[list[str], list[list[float]]]:
    """Return the names and the rows; empty lines do not count."""
    reader = csv.reader(lines)
    names: list[str] = []
    rows: list[list[float]] = []
    try:
        for row in filter(None, reader):
            where = f"{path}, line {reader.line_num}"
            if names:
                rows.append(parse_numbers(where, names, row, runtimes=runtimes))
            else:
                names = check_header(where, row)
    except csv.Error as error:
        raise BrokenFile(f"{path}, line {reader.line_num}: {end_sentence(error)}") from None
    if not rows:
        raise BrokenFile(f"{path} needs a line with the arms' names and at least one line of numbers.")
    return names, rows


def check_header(where: str, row: list[str]) -> list[str]:
    """Return the names of the arms, or say what stands in their place."""
    if len(set(row)) < len(row):
        raise BrokenFile(f"{where}: two arms have the same name; name every column differently.")
    if all(re.fullmatch(r"\s*-?[\d.]+(e-?\d+)?\s*", text) for text in row):
        raise BrokenFile(f"{where}: only numbers; the first line must have the arms' names.")
    if len(row) == 1 and ";" in row[0]:
        raise BrokenFile(f"{where}: separated by ';'? Columns must be separated by commas.")
    if len(row) == 1:
        raise BrokenFile(f"{where}: {row[0]!r} is the only column; a table needs at least two arms, one in each.")
    return row


def parse_numbers(where: str, names: list[str], row: list[str], *, runtimes: bool) -> list[float]:
    """Return the numbers of a line; NaN for a runtime that is missing."""
    if len(row) != len(names):
        raise BrokenFile(f"{where}: expected {count_things(len(names), 'value')}, found {len(row)}.")
    numbers = []
    for name, text in zip(names, row, strict=True):
        missing = runtimes and not text.strip()
        number = float("nan") if missing else _parse_number(text)
        if not missing and (not abs(number) <= LARGEST_VALUE or (runtimes and number < 0)):
            kind = "a time" if runtimes else "a number"
            kind += f" within ±{LARGEST_VALUE:g}" if math.isfinite(number) and abs(number) > LARGEST_VALUE else ""
            hint = " (a column of names? leave it out)" if name == names[0] else ""
            raise BrokenFile(f"{where}: expected {kind} for {name!r}, found {text!r}{hint}.")
        numbers.append(number)
    return numbers


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
