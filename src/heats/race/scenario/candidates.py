"""Who races: the candidates of a scenario, from tables, a .csv file or a space to draw from."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from heats.base.checks import whole
from heats.base.files import read_text_file
from heats.base.text import end_sentence
from heats.errors import BrokenFile, InvalidArgument, show_value
from heats.race.scenario.command import name_candidate
from heats.race.scenario.space import Candidate, Value, candidate_key, parse_space
from heats.race.scenario.space_file import load_space

MOST_CANDIDATES = 10_000  # more than anyone races, so a slip
MOST_TABLE_BYTES = 64 << 20

Source: TypeAlias = str | Sequence[Candidate] | Mapping[str, Any]  # a .csv file, the candidates themselves, or a space


def load_candidates(sources: Sequence[Source], folder: Path, seed: int) -> tuple[Candidate, ...]:
    """Return the candidates, which must come from one source."""
    if len(sources) != 1:
        raise InvalidArgument(
            'give the candidates in one way: [[candidates]] tables, candidates = "file.csv", or a [space] to draw from.'
        )
    (source,) = sources
    if isinstance(source, str):
        found = _load_csv(folder / source)
    elif isinstance(source, Mapping):
        found = _sample_space(dict(source), folder, seed)
    else:
        found = [dict(candidate) for candidate in source]
    _check_number(found)
    _check_differences(found)
    return tuple(found)


def _check_number(candidates: Sequence[Candidate]) -> None:
    if len(candidates) < 2:
        raise InvalidArgument(f"there is {len(candidates)} candidate, which leaves nothing to choose; give at least 2.")
    if len(candidates) > MOST_CANDIDATES:
        raise InvalidArgument(f"there are {len(candidates)} candidates; a race takes up to {MOST_CANDIDATES}.")


def _check_differences(candidates: Sequence[Candidate]) -> None:
    numbers: dict[object, int] = {}
    for number, candidate in enumerate(candidates, 1):
        first = numbers.setdefault(candidate_key(candidate), number)
        if first != number:
            raise InvalidArgument(
                f"candidates {first} and {number} are equal ({name_candidate(candidate)}): no race can tell them "
                "apart; take one out."
            )


def _sample_space(table: dict[str, Any], folder: Path, seed: int) -> list[Candidate]:
    how_many = whole("space.sample", table.pop("sample", None), 2, MOST_CANDIDATES, why="how many candidates to draw")
    seed = whole("space.seed", table.pop("seed", seed), 0)
    file = table.pop("file", None)
    if file is None:
        return parse_space(table).sample(how_many, seed)
    if not isinstance(file, str):
        raise InvalidArgument(f"space.file={show_value(file)} must be the name of a .pcs or .json file.")
    if table:
        raise InvalidArgument(f"space has both a file and {', '.join(table)}; describe the space in one of them.")
    return load_space(folder / file).sample(how_many, seed)


def _load_csv(path: Path) -> list[Candidate]:
    """Read a table with a title line; an empty cell leaves the parameter out."""
    unreadable = "the candidates file {path} cannot be read: {reason}."
    text = read_text_file(path, MOST_TABLE_BYTES, unreadable, encoding="utf-8-sig")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise BrokenFile(f"{path} is not valid CSV: {end_sentence(error)}") from None
    titles = [title.strip() for title in rows[0]] if rows else []
    if not titles or not all(titles) or len(set(titles)) < len(titles):
        raise BrokenFile(f"{path}, line 1: expected a different name for every column, found {show_value(titles)}.")
    found = []
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(titles):
            raise BrokenFile(f"{path}, line {number}: expected {len(titles)} values, found {len(row)}.")
        found.append(
            {title: _parse_cell(cell.strip()) for title, cell in zip(titles, row, strict=True) if cell.strip()}
        )
    return found


def _parse_cell(cell: str) -> Value:
    """Return a number where that is written back the same, else the text as it is."""
    for kind in (int, float):
        try:
            if str(kind(cell)) == cell and math.isfinite(kind(cell)):
                return kind(cell)
        except (ValueError, OverflowError):
            pass
    return cell
