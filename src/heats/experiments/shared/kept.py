"""Results of a command, kept in a CSV by what was played, how often and with which seed: the next one goes on there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from heats.experiments.shared.csv_files import read_rows, write_rows

Played = TypeVar("Played", bound=tuple[Any, ...])
Found = TypeVar("Found")


@dataclass(frozen=True)
class Kept(Generic[Played, Found]):
    """A kind of CSV: who writes it, and how a row is made of a result and its key: what was played, reps and seed."""

    command: str
    columns: Sequence[str]
    make_row: Callable[[Played, int, int, Found], Sequence[object]]
    parse_row: Callable[[dict[str, str]], tuple[tuple[Played, int, int], Found]]

    def read(self, path: Path) -> dict[tuple[Played, int, int], Found]:
        """Return all that is kept, by its key; nothing where there is no file."""
        return dict(read_rows(path, self.parse_row, self.command)) if path.exists() else {}

    def write(self, path: Path, known: Mapping[tuple[Played, int, int], Found]) -> None:
        """Write all rows, in the order of their keys."""
        write_rows(path, self.columns, (self.make_row(*key, known[key]) for key in sorted(known)))
