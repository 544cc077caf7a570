"""Who races: the candidates of a scenario, from tables or a .csv file, and from a space to draw from."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from heats.base.files import read_text_file
from heats.base.text import count_things, end_sentence
from heats.errors import BrokenFile, InvalidArgument, show_value
from heats.race.scenario.command import name_candidate
from heats.race.scenario.drawing import MOST_CANDIDATES, Lineup, draw_candidates
from heats.race.scenario.spaces import Candidate, Value, candidate_key

MOST_TABLE_BYTES = 64 << 20

Listed: TypeAlias = str | Sequence[Candidate]  # a .csv file, or the candidates themselves


def load_candidates(listed: Sequence[Listed], space: Mapping[str, Any] | None, folder: Path, seed: int) -> Lineup:
    """Return the candidates: those listed, then those of the space."""
    if len(listed) > 1 or not (listed or space is not None):
        raise InvalidArgument(
            'give the candidates in one way: [[candidates]] tables, or candidates = "file.csv"; with them, or instead '
            "of them, a [space] to draw from."
        )
    found = [candidate for source in listed for candidate in _load_listed(source, folder)]
    _check_differences(found)
    lineup = Lineup(tuple(found)) if space is None else draw_candidates(space, folder, seed, found)
    _check_number(lineup.candidates)
    return lineup


def _load_listed(source: Listed, folder: Path) -> list[Candidate]:
    return _load_csv(folder / source) if isinstance(source, str) else [dict(candidate) for candidate in source]


def _check_number(candidates: Sequence[Candidate]) -> None:
    if len(candidates) < 2:
        raise InvalidArgument(
            f"{count_things(len(candidates), 'candidate')} in all: that leaves nothing to choose; give at least 2."
        )
    if len(candidates) > MOST_CANDIDATES:
        raise InvalidArgument(f"there are {len(candidates)} candidates; a race takes up to {MOST_CANDIDATES}.")


def _check_differences(candidates: Sequence[Candidate]) -> None:
    numbers: dict[object, int] = {}
    for number, candidate in enumerate(candidates):
        first = numbers.setdefault(candidate_key(candidate), number)
        if first != number:
            raise InvalidArgument(
                f"candidates #{first} and #{number} are equal ({name_candidate(candidate)}): no race can tell them "
                "apart; take one out."
            )


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
            raise BrokenFile(f"{path}, line {number}: expected {count_things(len(titles), 'value')}, found {len(row)}.")
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
