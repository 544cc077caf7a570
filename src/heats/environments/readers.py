"""Readers for the field's own files: ASlib scenarios, PrefLib orders, and tables as .npz or .csv."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np

from heats.environments.protocol import Environment, Winners
from heats.environments.recorded import Rankings, RuntimeTable, ScoreTable
from heats.errors import BrokenFile, InvalidArgument

Values = Literal["score", "loss", "runtime"]

MOST_VOTERS = 1_000_000
PREFLIB = (".soc", ".soi", ".toc", ".toi")


def read(path: str | Path, values: Values | None = None, feedback: Any = None) -> Environment:
    """Read an ASlib folder, a PrefLib file, or a table (.npz, .csv) as a world of recorded rows.

    ``values`` says what the numbers of a .csv are: scores (default), losses or runtimes; other files say it
    themselves. ``feedback`` is handed to the world ("winner", "ranking", "seconds").
    """
    file = Path(path)
    if file.is_dir():
        return read_aslib(file, feedback)
    if not file.exists():
        raise InvalidArgument(f"{file} does not exist; give an ASlib folder, a PrefLib file, or a .npz or .csv table.")
    ending = file.suffix.lower()
    if values is not None and ending != ".csv":
        raise InvalidArgument(f"values={values!r} is for .csv tables; {file.name} says itself what it holds.")
    if ending in PREFLIB:
        return read_preflib(file, feedback or "ranking")
    if ending == ".npz":
        return read_npz(file, feedback)
    if ending == ".csv":
        return read_csv(file, values or "score", feedback)
    raise InvalidArgument(
        f"{file} ends in {ending or 'nothing'}; known are {', '.join(PREFLIB)}, .npz, .csv and ASlib folders."
    )


def _text(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return path.read_text(encoding="latin-1").splitlines()  # older files of the field are


def _scores(table: Any, names: list[str] | None, feedback: Any) -> Environment:
    """Return a table of scores, or with feedback="winner" the winners of its rows."""
    if feedback not in (None, "reward", "winner"):
        raise InvalidArgument(f"feedback={feedback!r} does not go with scores; choose reward or winner.")
    world = ScoreTable(table, names)
    return Winners(world) if feedback == "winner" else world


# ASlib: a folder with description.txt and algorithm_runs.arff.


def read_aslib(folder: Path, feedback: Any = None) -> Environment:
    """Read a scenario; rows are (instance, repetition); a run solved its instance if it is ok and within the cutoff."""
    about = _description(folder / "description.txt")
    runs = folder / "algorithm_runs.arff"
    if not runs.exists():
        raise BrokenFile(f"{folder} has no algorithm_runs.arff; an ASlib scenario has one beside its description.txt.")
    measure = about.get("performance_measures", ["runtime"])[0].lower()
    cells: dict[tuple[str, str], dict[str, tuple[float, bool]]] = {}
    for line, row in _arff(runs):
        try:
            value, status = row[measure], row["runstatus"].lower()
            number = float("nan") if value == "?" else float(value)
            runs_of = cells.setdefault((row["instance_id"], row.get("repetition", "1")), {})
            if row["algorithm"] in runs_of:
                raise BrokenFile(f"{runs}, line {line}: a second run of {row['algorithm']} on {row['instance_id']}.")
            runs_of[row["algorithm"]] = (number, status == "ok")
        except BrokenFile:
            raise
        except KeyError as error:
            raise BrokenFile(f"{runs}, line {line}: there is no column {error}, which an ASlib scenario has.") from None
        except ValueError:
            raise BrokenFile(f"{runs}, line {line}: expected a number for {measure}, found {row[measure]!r}.") from None
    if not cells:
        raise BrokenFile(f"{runs} has no runs after @DATA.")
    names = sorted({name for row in cells.values() for name in row})
    table = np.array([[row.get(name, (np.nan, False))[0] for name in names] for row in cells.values()])
    if np.isnan(table).all():
        raise BrokenFile(f"{runs} has no {measure} at all.")
    ok = np.array([[row.get(name, (np.nan, False))[1] for name in names] for row in cells.values()])
    if about.get("performance_type", ["runtime"])[0] != "runtime":
        sign = 1 if about.get("maximize", ["false"])[0].lower() == "true" else -1
        worst = np.nanmin(sign * table)
        return _scores(np.where(ok & ~np.isnan(table), sign * table, worst), names, feedback)
    limit = about.get("algorithm_cutoff_time", ["?"])[0]
    try:
        cutoff = float(np.nanmax(table)) if limit == "?" else float(limit)
    except ValueError:
        raise BrokenFile(f"{folder / 'description.txt'}: the cutoff {limit!r} is no number.") from None
    solved = ok & (table <= cutoff)
    return RuntimeTable(np.where(solved, table, cutoff), solved, cutoff, names, feedback or "winner")


def _description(path: Path) -> dict[str, list[str]]:
    """Read the part of YAML that ASlib uses: ``key: value`` and lists of ``- value``."""
    if not path.exists():
        raise BrokenFile(f"{path.parent} has no description.txt, so it is no ASlib scenario.")
    about: dict[str, list[str]] = {}
    key = ""
    for line in _text(path):
        text = line.split("#")[0].rstrip()
        if item := re.match(r"\s*-\s+(.*)", text):
            about.setdefault(key, []).append(item[1].strip("'\" "))
        elif pair := re.match(r"(\w+):\s*(.*)", text):
            key = pair[1]
            about[key] = [item.strip("'\" ") for item in pair[2].strip("[] ").split(",") if item.strip()]
    return {key: values for key, values in about.items() if values}


def _arff(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and values by column of an ARFF file; values may be quoted and hold commas."""
    columns: list[str] = []
    data = False
    for number, line in enumerate(_text(path), 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not data:
            if name := re.match(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", text, re.IGNORECASE):
                columns.append(name[1].strip("'\"").lower())
            data = text.lower().startswith("@data")
            continue
        quote = "'" if re.search(r"(^|,)\s*'", text) else '"'
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
    for number, line in enumerate(_text(path), 1):
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
    if sum(count for _, count, _ in votes) > MOST_VOTERS:
        raise BrokenFile(f"{path} has more than {MOST_VOTERS} voters; split it.")
    numbers = sorted(names)
    column = {number: index for index, number in enumerate(numbers)}
    rows: list[list[float]] = []
    for number, count, groups in votes:
        if path.suffix.lower()[1] == "s" and any(len(group) > 1 for group in groups):
            raise BrokenFile(f"{path}, line {number}: a tie in a file of strict orders; .toc and .toi may have some.")
        if path.suffix.lower()[3] == "c" and sum(map(len, groups)) != len(numbers):
            raise BrokenFile(
                f"{path}, line {number}: not all {len(numbers)} alternatives in a file of complete orders."
            )
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
    place = r"\s*(?:\d+|\{\s*\d+(?:\s*,\s*\d+)*\s*\})\s*"
    groups = re.findall(r"\{([^{}]*)\}|(\d+)", order)
    try:
        if not colon or not re.fullmatch(f"{place}(?:,{place})*", order) or int(count) < 1:
            raise ValueError
        return int(count), [[int(x) for x in (tied or single).split(",") if x.strip()] for tied, single in groups]
    except ValueError:
        raise BrokenFile(f"{path}, line {number}: expected 'count: 1,2,{{3,4}}', found {text[:60]!r}.") from None


# Tables.


def read_npz(path: Path, feedback: Any = None) -> Environment:
    """Read arrays called runtime (with solved, cutoff), score, loss or rankings; names from a text array."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        return _from_arrays(path, arrays, feedback)
    except InvalidArgument:
        raise
    except (OSError, ValueError, EOFError, TypeError, IndexError, AttributeError, BadZipFile) as error:
        raise BrokenFile(f"{path} is no .npz table that can be read without pickles: {error}.") from None


def _from_arrays(path: Path, arrays: dict[str, Any], feedback: Any) -> Environment:
    if "runtime" in arrays:
        times = arrays["runtime"].astype(np.float64)
        solved = arrays["solved"].astype(bool) if "solved" in arrays else ~np.isnan(times)
        cutoff = float(arrays["cutoff"]) if "cutoff" in arrays else float(times[solved].max(initial=0))
        return RuntimeTable(
            np.where(solved, times, cutoff), solved, cutoff, _names(arrays, times.shape[-1]), feedback or "winner"
        )
    if "rankings" in arrays:
        return Rankings(
            arrays["rankings"].astype(int), _names(arrays, arrays["rankings"].shape[-1]), feedback or "ranking"
        )
    for key, sign in (("score", 1), ("scores", 1), ("loss", -1)):
        if key in arrays:
            values = sign * arrays[key].astype(np.float64)
            if values.ndim == 3:  # data set, arm, repetition
                values = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
            return _scores(values, _names(arrays, values.shape[-1]), feedback)
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
    reader = csv.reader(_text(path))
    names, rows = None, []
    for row in reader:
        if row and names is None:
            names = _header(path, row)
        elif row and names is not None:
            rows.append(_numbers(f"{path}, line {reader.line_num}", names, row, runtimes=values == "runtime"))
    if names is None or not rows:
        raise BrokenFile(f"{path} needs a line with the arms' names and at least one line of numbers.")
    table = np.array(rows)
    if values != "runtime":
        return _scores(table if values == "score" else -table, names, feedback)
    solved = ~np.isnan(table)
    if not solved.any():
        raise BrokenFile(f"{path} has no runtime at all.")
    cutoff = float(np.nanmax(table))
    return RuntimeTable(np.where(solved, table, cutoff), solved, cutoff, names, feedback or "winner")


def _header(path: Path, row: list[str]) -> list[str]:
    if len(set(row)) < len(row):
        raise BrokenFile(f"{path}, line 1: two arms have the same name; name every column differently.")
    if all(re.fullmatch(r"\s*-?[\d.]+(e-?\d+)?\s*", text) for text in row):
        raise BrokenFile(f"{path}, line 1: only numbers; the first line must have the arms' names.")
    if len(row) == 1 and ";" in row[0]:
        raise BrokenFile(f"{path}, line 1: separated by ';'? Columns must be separated by commas.")
    return row


def _numbers(where: str, names: list[str], row: list[str], *, runtimes: bool) -> list[float]:
    if len(row) != len(names):
        raise BrokenFile(f"{where}: expected {len(names)} values, found {len(row)}.")
    numbers = []
    for name, text in zip(names, row, strict=True):
        if runtimes and not text.strip():
            numbers.append(float("nan"))
            continue
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not math.isfinite(number) or (runtimes and number < 0):
            kind = "a time" if runtimes else "a number"
            hint = " (a column of names? leave it out)" if name == names[0] else ""
            raise BrokenFile(f"{where}: expected {kind} for {name!r}, found {text!r}{hint}.")
        numbers.append(number)
    return numbers
