"""ASlib scenarios: a folder with description.txt and algorithm_runs.arff."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from heats.base.arrays import Array, Mask
from heats.base.files import is_missing
from heats.base.text import end_sentence
from heats.environments.files.opening import MOST_FILE_BYTES, check_table_size, read_lines
from heats.environments.files.worlds import make_runtime_world, make_score_world
from heats.environments.protocol import Environment
from heats.errors import BrokenFile

Description = dict[str, list[str]]
Runs = dict[tuple[str, str], dict[str, tuple[float, bool]]]  # by instance and repetition, then by algorithm: value, ok


def read_aslib(folder: Path, feedback: Any = None, max_bytes: int = MOST_FILE_BYTES) -> Environment:
    """Read a scenario; rows are (instance, repetition); a run solved its instance if it is ok and within the cutoff."""
    about = read_description(folder / "description.txt", max_bytes)
    path = folder / "algorithm_runs.arff"
    if is_missing(path):
        raise BrokenFile(f"{folder} has no algorithm_runs.arff; an ASlib scenario has one beside its description.txt.")
    measure = about.get("performance_measures", ["runtime"])[0].lower()
    runs = collect_runs(path, measure, max_bytes)
    names = sorted({name for row in runs.values() for name in row})
    check_table_size(path, len(runs), len(names))
    table = np.array([[row.get(name, (np.nan, False))[0] for name in names] for row in runs.values()])
    if np.isnan(table).all():
        raise BrokenFile(f"{path} has no {measure} at all.")
    ok = np.array([[row.get(name, (np.nan, False))[1] for name in names] for row in runs.values()])
    if about.get("performance_type", ["runtime"])[0] != "runtime":
        return _make_quality_world(about, table, ok, names, feedback)
    cutoff = _find_cutoff(about, folder, table)
    return make_runtime_world(table, ok & (table <= cutoff), cutoff, names, feedback)


def _make_quality_world(about: Description, table: Array, ok: Mask, names: list[str], feedback: Any) -> Environment:
    """Return a world of solution qualities; what failed counts as the worst seen."""
    losses = about.get("maximize", ["false"])[0].lower() != "true"
    worst = np.nanmax(table) if losses else np.nanmin(table)
    return make_score_world(np.where(ok & ~np.isnan(table), table, worst), names, feedback, losses=losses)


def _find_cutoff(about: Description, folder: Path, table: Array) -> float:
    limit = about.get("algorithm_cutoff_time", ["?"])[0]
    try:
        return float(np.nanmax(table)) if limit == "?" else float(limit)
    except ValueError:
        raise BrokenFile(f"{folder / 'description.txt'}: the cutoff {limit!r} is not a number.") from None


def read_description(path: Path, max_bytes: int = MOST_FILE_BYTES) -> Description:
    """Read the part of YAML that ASlib uses: ``key: value`` and lists of ``- value``."""
    if is_missing(path):
        raise BrokenFile(f"{path.parent} has no description.txt, so it is not an ASlib scenario.")
    about: Description = {}
    key = ""
    for line in read_lines(path, max_bytes):
        text = line.split("#")[0].rstrip()
        if item := re.match(r"\s*-\s+(.*)", text):
            about.setdefault(key, []).append(item[1].strip("'\" "))
        elif pair := re.match(r"(\w+):\s*(.*)", text):
            key = pair[1]
            about[key] = [item.strip("'\" ") for item in pair[2].strip("[] ").split(",") if item.strip()]
    return {key: values for key, values in about.items() if values}


def collect_runs(path: Path, measure: str, max_bytes: int = MOST_FILE_BYTES) -> Runs:
    """Return all runs of an ARFF file: the number measured, and whether it went well."""
    runs: Runs = {}
    for line, row in read_arff(path, max_bytes):
        where = f"{path}, line {line}"
        try:
            instance, algorithm, value = row["instance_id"], row["algorithm"], row[measure]
            status = row["runstatus"].lower()
        except KeyError as error:
            raise BrokenFile(f"{where}: there is no column {error}, which an ASlib scenario has.") from None
        try:
            number = float("nan") if value == "?" else float(value)
        except ValueError:
            raise BrokenFile(f"{where}: expected a number for {measure}, found {value!r}.") from None
        by_algorithm = runs.setdefault((instance, row.get("repetition", "1")), {})
        if algorithm in by_algorithm:
            raise BrokenFile(f"{where}: a second run of {algorithm} on {instance}.")
        by_algorithm[algorithm] = (number, status == "ok")
    if not runs:
        raise BrokenFile(f"{path} has no runs after @DATA.")
    return runs


def read_arff(path: Path, max_bytes: int = MOST_FILE_BYTES) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and values by column of an ARFF file."""
    columns: list[str] = []
    data = False
    for number, line in enumerate(read_lines(path, max_bytes), 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if data:
            yield number, _split_row(f"{path}, line {number}", columns, text)
        elif name := re.match(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", text, re.IGNORECASE):
            columns.append(name[1].strip("'\"").lower())
        else:
            data = text.lower().startswith("@data")
    if not data:
        raise BrokenFile(f"{path} has no @DATA line, so it is not an ARFF file.")


def _split_row(where: str, columns: list[str], text: str) -> dict[str, str]:
    """Return values by column; they may be quoted and hold commas."""
    quote = "'" if re.search(r"(^|,)\s*'", text) else '"'
    try:
        values = [value.strip() for value in next(csv.reader([text], quotechar=quote, skipinitialspace=True))]
    except csv.Error as error:
        raise BrokenFile(f"{where}: {end_sentence(error)}") from None
    if len(values) != len(columns):
        raise BrokenFile(f"{where}: expected {len(columns)} values ({', '.join(columns)}), found {len(values)}.")
    return dict(zip(columns, values, strict=True))
