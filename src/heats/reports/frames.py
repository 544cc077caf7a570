"""Standings and pulls as tables with names and parameters: the same columns for frames and for CSV files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from heats.base.frames import Column, guess_kind
from heats.base.naming import find_title, spread_parameters, write_value
from heats.base.text import make_encodable
from heats.engine.evidence.pulls import list_pulls
from heats.engine.standings import Standings, list_standings
from heats.errors import InvalidArgument
from heats.journal.reader import Log, read_answers
from heats.reports.places import check_place, save_file

FORMULA = re.compile(r"[=+\-@\t\r]")  # the beginning of a cell that spreadsheets compute
OPENINGS = (b"place,arm,name,", b"round,heat,pull,")  # of the tables below, as they are written
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")  # computed or not, it stays what it is


def list_results(standings: Standings, names: Sequence[str], values: Sequence[Any]) -> list[Column]:
    """Return the standings with names, and a column per parameter of candidates whose ``values`` are dicts."""
    columns = list_standings(standings.rows, names)
    taken = {column.title for column in columns}
    order = [row.arm for row in standings.rows]
    for title, by_arm in _list_parameters(names, values):
        while title in taken:  # a parameter may be called strength, too
            title = f"{title} (parameter)"
        taken.add(title)
        chosen = [by_arm[arm] for arm in order]
        columns.append(Column(title, guess_kind(chosen), chosen))
    return columns


def list_kept_pulls(log: Log) -> list[Column]:
    """Return all pulls of a journal, with who answered them and after how long."""
    machine = log.machine
    return list_pulls([*machine.evidence(), *machine.silence()], log.names, read_answers(log.path, machine))


def write_csv(columns: Sequence[Column], *, spreadsheet: bool = False) -> bytes:
    """Return a table as CSV in UTF-8, empty where a value is not known.

    Values are written as they are; with ``spreadsheet`` no text is a formula to a spreadsheet.
    """
    write = _disarm if spreadsheet else make_encodable
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([write(column.title) for column in columns])
    writer.writerows(zip(*(_write_cells(column, write) for column in columns), strict=True))
    return text.getvalue().encode()


def check_table(argument: str, path: str) -> None:
    """Refuse a place where no table can be written, before anything is spent: no folder, or another file's place."""
    begin = check_place(argument, path)
    if begin and not begin.startswith(OPENINGS):
        raise InvalidArgument(
            f"{{{argument}}} is there and is not a table that heats wrote; give another file.", **{argument: path}
        )


def save_table(argument: str, path: str, columns: Sequence[Column], *, spreadsheet: bool = False) -> None:
    """Write a table to a file, whole or not at all; or into a pipe or a device."""
    check_table(argument, path)
    save_file(argument, path, write_csv(columns, spreadsheet=spreadsheet))


def _list_parameters(names: Sequence[str], values: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """Return parameters in the order in which names have them, whatever the order in which they were kept."""
    try:
        spread = spread_parameters([each if isinstance(each, Mapping) else {} for each in values])
    except Exception:  # somebody else's objects: what cannot be taken apart has no columns
        return []
    places = {title: find_title(title, names[0]) for title in spread}
    return sorted(spread.items(), key=lambda pair: (places[pair[0]] < 0, places[pair[0]], pair[0]))


def _write_cells(column: Column, write: Callable[[str], str]) -> list[object]:
    values = column.plain
    if column.kind in (int, float):
        return values
    if column.kind is str:  # a name stands in many rows
        written = {value: _write_cell(value, write) for value in set(values)}
        return [written[value] for value in values]
    return [_write_cell(value, write) for value in values]


def _write_cell(value: object, write: Callable[[str], str]) -> object:
    if value is None or isinstance(value, (int, float)):
        return value
    return write(value if isinstance(value, str) else write_value(value))


def _disarm(text: str) -> str:
    """Return text with an apostrophe before what a spreadsheet would take for a formula."""
    text = make_encodable(text)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
