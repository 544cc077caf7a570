"""CSV files of results: written as a whole, read row by row."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from heats.base.files import read_text_file
from heats.errors import BrokenFile
from heats.journal.draft import write_whole

Parsed = TypeVar("Parsed")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write all rows to a new file that then takes the old one's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = csv.writer(text := io.StringIO(), lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def read_rows(path: Path, parse: Callable[[dict[str, str]], Parsed], command: str) -> list[Parsed]:
    """Return what ``parse`` makes of every row; a row that is not one of that command is named by its line."""
    found: list[Parsed] = []
    text = read_text_file(path)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            found.append(parse(row))  # noqa: PERF401  # the line is needed where one fails
        if not text.endswith("\n"):
            raise ValueError  # a last number that was cut off is another number
    except (KeyError, ValueError, TypeError, csv.Error):
        where = f"{path}, line {reader.line_num}"
        raise BrokenFile(f"{where}: not a result of heats {command}; move the file away.") from None
    return found
