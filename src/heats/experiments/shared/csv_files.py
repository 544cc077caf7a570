"""CSV files of results: written as a whole, read row by row."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from heats.errors import BrokenFile

Parsed = TypeVar("Parsed")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write all rows to a new file that then takes the old one's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    with fresh.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    fresh.replace(path)


def read_rows(path: Path, parse: Callable[[dict[str, str]], Parsed], command: str) -> list[Parsed]:
    """Return what ``parse`` makes of every row; a row that is not one of that command is named by its line."""
    found: list[Parsed] = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        try:
            for row in reader:
                found.append(parse(row))  # noqa: PERF401  # the line is needed where one fails
        except (KeyError, ValueError, TypeError, csv.Error):
            where = f"{path}, line {reader.line_num}"
            raise BrokenFile(f"{where}: not a result of heats {command}; move the file away.") from None
    return found
