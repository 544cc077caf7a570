"""Readers for the field's own files: ASlib scenarios, PrefLib orders, and tables as .npz or .csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heats.environments.protocol import Environment
from heats.environments.recorded import Rankings, RuntimeTable, ScoreTable
from heats.errors import BrokenFile, InvalidArgument

Values = Literal["score", "loss", "runtime"]

PREFLIB = (".soc", ".soi", ".toc", ".toi")


def read(path: str | Path, values: Values | None = None, feedback: Any = None) -> Environment:
    """Read an ASlib folder, a PrefLib file, or a table (.npz, .csv) as a world of recorded rows.

    ``values`` says what the numbers of a .csv are: scores (default), losses or runtimes; other files say it
    themselves. ``feedback`` is handed to the world ("winner", "ranking", "seconds").
    """
    file = Path(path)
    if file.is_dir():
        return read_aslib(file, feedback or "winner")
    if not file.exists():
        raise InvalidArgument(f"{file} does not exist; give an ASlib folder, a PrefLib file, or a .npz or .csv table.")
    ending = file.suffix.lower()
    if ending in PREFLIB:
        return read_preflib(file, feedback or "ranking")
    if ending == ".npz":
        return read_npz(file, feedback)
    if ending == ".csv":
        return read_csv(file, values or "score", feedback)
    raise InvalidArgument(
        f"{file} ends in {ending or 'nothing'}; known are {', '.join(PREFLIB)}, .npz, .csv and ASlib folders."
    )


# ASlib: a folder with description.txt and algorithm_runs.arff.


def read_aslib(folder: Path, feedback: Any = "winner") -> Environment:
    """Read a scenario; rows are (instance, repetition); a run solved its instance if it is ok and within the cutoff."""
    about = _description(folder / "description.txt")
    runs = folder / "algorithm_runs.arff"
    if not runs.exists():
        raise BrokenFile(f"{folder} has no algorithm_runs.arff; an ASlib scenario has one beside its description.txt.")
    measure = about.get("performance_measures", ["runtime"])[0]
    cells: dict[tuple[str, str], dict[str, tuple[float, bool]]] = {}
    for line, row in _arff(runs):
        try:
            value, status = row[measure], row["runstatus"].lower()
            number = float("nan") if value == "?" else float(value)
            cells.setdefault((row["instance_id"], row.get("repetition", "1")), {})[row["algorithm"]] = (
                number,
                status == "ok",
            )
        except KeyError as error:
            raise BrokenFile(f"{runs}, line {line}: there is no column {error}, which an ASlib scenario has.") from None
        except ValueError:
            raise BrokenFile(f"{runs}, line {line}: expected a number for {measure}, found {row[measure]!r}.") from None
    if not cells:
        raise BrokenFile(f"{runs} has no runs after @DATA.")
    names = sorted({name for row in cells.values() for name in row})
    table = np.array([[row.get(name, (np.nan, False))[0] for name in names] for row in cells.values()])
    ok = np.array([[row.get(name, (np.nan, False))[1] for name in names] for row in cells.values()])
    if about.get("performance_type", ["runtime"])[0] != "runtime":
        sign = 1 if about.get("maximize", ["false"])[0].lower() == "true" else -1
        worst = np.nanmin(sign * table)
        return ScoreTable(np.where(ok & ~np.isnan(table), sign * table, worst), names)
    limit = about.get("algorithm_cutoff_time", ["?"])[0]
    cutoff = float(np.nanmax(table)) if limit == "?" else float(limit)
    solved = ok & (table <= cutoff)
    return RuntimeTable(np.where(solved, table, cutoff), solved, cutoff, names, feedback)


def _description(path: Path) -> dict[str, list[str]]:
    """Read the part of YAML that ASlib uses: ``key: value`` and lists of ``- value``."""
    if not path.exists():
        raise BrokenFile(f"{path.parent} has no description.txt, so it is no ASlib scenario.")
    about: dict[str, list[str]] = {}
    key = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.split("#")[0].rstrip()
        if item := re.match(r"\s*-\s+(.*)", text):
            about.setdefault(key, []).append(item[1].strip("'\" "))
        elif pair := re.match(r"(\w+):\s*(.*)", text):
            key = pair[1]
            inline = pair[2].strip("[]'\" ")
            about[key] = [inline] if inline else []
    return {key: values for key, values in about.items() if values}


def _arff(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and values by column of an ARFF file; values may be quoted and hold commas."""
    columns: list[str] = []
    data = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not data:
            if name := re.match(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", text, re.IGNORECASE):
                columns.append(name[1].strip("'\"").lower())
            data = text.lower().startswith("@data")
            continue
        quote = "'" if "'" in text else '"'
        values = [value.strip() for value in next(csv.reader([text], quotechar=quote, skipinitialspace=True))]
        if len(values) != len(columns):
            raise BrokenFile(
                f"{path}, line {number}: expected {len(columns)} values ({', '.join(columns)}), found {len(values)}."
            )
        yield number, dict(zip(columns, values, strict=True))
    if not data:
        raise BrokenFile(f"{path} has no @DATA line, so it is no ARFF file.")


# PrefLib: orders, strict or with ties {…}, complete or not.


def read_preflib(path: Path, feedback: Any = "ranking") -> Rankings:
    """Read .soc, .soi, .toc or .toi: ``# ALTERNATIVE NAME i: …`` lines, then ``count: 1,{2,3},4``."""
    names: dict[int, str] = {}
    votes: list[tuple[int, int, list[list[int]]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if name := re.match(r"#\s*ALTERNATIVE NAME (\d+):\s*(.*)", text):
            names[int(name[1])] = name[2]
        elif text and not text.startswith("#"):
            votes.append((number, *_vote(path, number, text)))
    if not names:
        raise BrokenFile(
            f"{path} has no '# ALTERNATIVE NAME' line; only PrefLib's present format is read, not the old one."
        )
    if not votes:
        raise BrokenFile(f"{path} has no orders.")
    numbers = sorted(names)
    column = {number: index for index, number in enumerate(numbers)}
    rows: list[list[float]] = []
    for number, count, groups in votes:
        row = [-1.0] * len(numbers)
        place = 0
        for group in groups:
            for alternative in group:
                if alternative not in column or row[column[alternative]] >= 0:
                    raise BrokenFile(f"{path}, line {number}: alternative {alternative} is unknown or stands twice.")
                row[column[alternative]] = place + (len(group) - 1) / 2
            place += len(group)
        left = place + (len(numbers) - place - 1) / 2
        rows += [[left if value < 0 else value for value in row]] * count
    return Rankings(rows, [names[number] for number in numbers], feedback, places=True)


def _vote(path: Path, number: int, text: str) -> tuple[int, list[list[int]]]:
    count, colon, order = text.partition(":")
    groups = re.findall(r"\{([^{}]*)\}|(\d+)", order)
    plain = re.sub(r"\{[^{}]*\}|\d+|[,\s]", "", order)
    try:
        if not colon or plain or not groups:
            raise ValueError
        return int(count), [[int(x) for x in (tied or single).split(",") if x.strip()] for tied, single in groups]
    except ValueError:
        raise BrokenFile(f"{path}, line {number}: expected 'count: 1,2,{{3,4}}', found {text[:60]!r}.") from None


# Tables.


def read_npz(path: Path, feedback: Any = None) -> Environment:
    """Read arrays called runtime (with solved, cutoff), score, loss or rankings; names from a text array."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except (OSError, ValueError) as error:
        raise BrokenFile(f"{path} is no .npz file that can be read without pickles: {error}.") from None
    if "runtime" in arrays:
        table = arrays["runtime"].astype(np.float64)
        cutoff = float(arrays["cutoff"]) if "cutoff" in arrays else None
        return RuntimeTable(table, arrays.get("solved"), cutoff, _names(arrays, table.shape[-1]), feedback or "winner")
    if "rankings" in arrays:
        return Rankings(arrays["rankings"], _names(arrays, arrays["rankings"].shape[-1]), feedback or "ranking")
    for key, sign in (("score", 1), ("scores", 1), ("loss", -1)):
        if key in arrays:
            values = sign * arrays[key].astype(np.float64)
            if values.ndim == 3:  # data set, arm, repetition
                values = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
            return ScoreTable(values, _names(arrays, values.shape[-1]))
    raise BrokenFile(
        f"{path} has {', '.join(arrays) or 'nothing'}; expected an array called runtime, score, loss or rankings."
    )


def _names(arrays: dict[str, Any], n_arms: int) -> list[str] | None:
    for key in ("algorithms", "models", "items", "keys", "configs", "names"):
        if key in arrays and arrays[key].shape == (n_arms,):
            return [str(name) for name in arrays[key]]
    return None


def read_csv(path: Path, values: Values = "score", feedback: Any = None) -> Environment:
    """Read a header of arms' names and a row of numbers per line; an empty runtime is a run that did not finish."""
    if values not in ("score", "loss", "runtime"):
        raise InvalidArgument(f"values={values!r} is unknown; choose score, loss or runtime.")
    with path.open(newline="", encoding="utf-8") as file:
        lines = [row for row in csv.reader(file) if row]
    if len(lines) < 2:
        raise BrokenFile(f"{path} needs a line with the arms' names and at least one line of numbers.")
    names, *rows = lines
    table = np.empty((len(rows), len(names)))
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise BrokenFile(f"{path}, line {number}: expected {len(names)} values, found {len(row)}.")
        for column, text in enumerate(row):
            try:
                table[number - 2, column] = np.nan if values == "runtime" and not text.strip() else float(text)
            except ValueError:
                raise BrokenFile(
                    f"{path}, line {number}: expected a number for {names[column]!r}, found {text!r}."
                ) from None
    if values == "runtime":
        solved = ~np.isnan(table)
        cutoff = float(np.nanmax(table)) if solved.any() else 0.0
        return RuntimeTable(np.where(solved, table, cutoff), solved, cutoff, names, feedback or "winner")
    return ScoreTable(table if values == "score" else -table, names)
