"""Who races on what: the candidates and the instances a scenario speaks of, from tables, lists, globs and files."""

from __future__ import annotations

import csv
import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from heats.base.checks import whole
from heats.errors import BrokenFile, InvalidArgument
from heats.race.scenario import space
from heats.race.scenario.command import describe
from heats.race.scenario.space import Candidate, Value

MANY = 10_000  # candidates; more than anyone races, so a slip


Given: TypeAlias = str | Sequence[Candidate] | Mapping[str, Any]  # a .csv file, the candidates themselves, or a space


def candidates(given: Sequence[Given], folder: Path, seed: int) -> tuple[Candidate, ...]:
    """Return the candidates, which must be given in one way."""
    if len(given) != 1:
        raise InvalidArgument(
            'give the candidates in one way: [[candidates]] tables, candidates = "file.csv", or a [space] to draw from.'
        )
    (way,) = given
    if isinstance(way, str):
        found = _read_csv(folder / way)
    elif isinstance(way, Mapping):
        found = _sampled(dict(way), folder, seed)
    else:
        found = [dict(candidate) for candidate in way]
    if len(found) < 2:
        raise InvalidArgument(f"there is {len(found)} candidate, which leaves nothing to choose; give at least 2.")
    numbers: dict[object, int] = {}
    for number, candidate in enumerate(found, 1):
        first = numbers.setdefault(space.identity(candidate), number)
        if first != number:
            raise InvalidArgument(
                f"candidates {first} and {number} are equal ({describe(candidate)}): no race can tell them apart; "
                "take one out."
            )
    return tuple(found)


def _sampled(table: dict[str, Any], folder: Path, seed: int) -> list[Candidate]:
    count = whole("space.sample", table.pop("sample", None), 2, MANY, why="how many candidates to draw")
    seed = whole("space.seed", table.pop("seed", seed), 0)
    file = table.pop("file", None)
    if file is None:
        return space.from_table(table).sample(count, seed)
    if table:
        raise InvalidArgument(f"space has a file and {', '.join(table)} besides; describe the space in one of them.")
    return space.from_file(folder / str(file)).sample(count, seed)


def _read_csv(path: Path) -> list[Candidate]:
    """Read a table with a title line; an empty cell leaves the parameter out."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except OSError as error:
        raise InvalidArgument(f"the candidates file {path} cannot be read: {error.strerror}.") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise BrokenFile(f"{path} is no CSV in UTF-8: {error}.") from None
    titles = [title.strip() for title in rows[0]] if rows else []
    if not titles or not all(titles) or len(set(titles)) < len(titles):
        raise BrokenFile(f"{path}, line 1: expected a different name for every column, found {titles}.")
    found = []
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(titles):
            raise BrokenFile(f"{path}, line {number}: expected {len(titles)} values, found {len(row)}.")
        found.append({title: _value(cell.strip()) for title, cell in zip(titles, row, strict=True) if cell.strip()})
    return found


def _value(cell: str) -> Value:
    """Return a number where that is written back the same, else the text as it is."""
    for kind in (int, float):
        try:
            if str(kind(cell)) == cell:
                return kind(cell)
        except ValueError:
            pass
    return cell


def instances(listed: str | Sequence[str] | None, folder: Path) -> tuple[str, ...]:
    """Return the instances: of a glob, a list of paths and globs, or a file with one of these per line."""
    if listed is None:
        return ()
    if not isinstance(listed, str):
        found = [path for entry in listed for path in _matches(entry, f"instances: {entry}", folder)]
    elif glob.has_magic(listed) and not (folder / listed).exists():
        found = _matches(listed, f'instances = "{listed}"', folder)
    else:
        found = _listed_in(folder / listed, folder)
    if not found:
        raise InvalidArgument("instances is empty; give a glob, a list of files, or a file that lists them.")
    return tuple(dict.fromkeys(found))


def _listed_in(path: Path, folder: Path) -> list[str]:
    """Read a list of files, which are relative to it or to the scenario."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise InvalidArgument(
            f'instances = "{path}" must be a glob, such as "{path.name}/*", or a file that lists instances: {what}.'
        ) from None
    entries = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    try:
        return [
            match
            for number, entry in entries
            if not entry.startswith("#")
            for match in _matches(entry, f"{path}, line {number}: {entry}", path.parent, folder)
        ]
    except InvalidArgument as error:
        raise InvalidArgument(f'{error} If {path.name} is itself an instance, write it as a list: ["..."].') from None


def _matches(entry: str, where: str, *folders: Path) -> list[str]:
    """Return the files an entry stands for, in the first of the folders that has any, in order of their names."""
    for folder in folders:
        if (folder / entry).exists():  # whatever its name looks like
            found = [str(folder / entry)]
        else:
            paths = glob.glob(entry, root_dir=folder, recursive=True)  # noqa: PTH207  # it may be absolute
            found = sorted(str(folder / path) for path in paths)
        if found:
            return found
    raise InvalidArgument(
        f"{where} matches no file in {folders[0]}; instances are a glob, a list of files, or a file that lists them."
    )
