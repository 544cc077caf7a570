"""What every experiment has, and what it is given: one face, so that the command need not know any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from heats.experiments.beyond.regrets import TableCell
from heats.experiments.saps.equal import EqualCell, EqualResult
from heats.experiments.saps.race import RaceCell, RaceResult
from heats.experiments.synthetic.cells import run_cells
from heats.experiments.synthetic.grid import Cell, Result


@dataclass
class Context:
    """Where to write, how often to play, and what was played once for all experiments that asked for it."""

    out: Path
    reps: int
    seed: int
    workers: int
    asked: tuple[str, ...] = ()  # the names, as they were given
    tables: dict[Path, list[TableCell]] = field(default_factory=dict)  # recorded ones, to play on as well
    progress: Callable[[int, int], None] = lambda done, total: None
    points: int = 0  # of work in all
    done: int = 0
    results: dict[Cell, Result] = field(default_factory=dict)  # of all cells asked for
    races: dict[RaceCell, RaceResult] = field(default_factory=dict)  # of Section 6, if asked for
    equal: dict[EqualCell, EqualResult] = field(default_factory=dict)  # the same, over processor times

    @property
    def cells_file(self) -> Path:
        """The file that keeps every cell ever played, so that none is played twice."""
        return self.out / "cells.csv"

    def tick(self, more: int) -> None:
        """Count points that are done."""
        self.done += more
        self.progress(self.done, self.points)

    def run_cells(self, cells: Iterable[Cell]) -> dict[Cell, Result]:
        """Return the results of cells, playing those that the file does not have."""
        return run_cells(cells, self.cells_file, self.reps, self.seed, self.workers, self.tick)


@dataclass(frozen=True)
class Experiment:
    """Something to reproduce: what it is about, what it needs played, and how its files are written."""

    about: str  # in one line
    write: Callable[[Context], list[Path]]  # plays the rest, and returns the files written
    cells: Callable[[], Iterable[Cell]] = tuple  # that it needs, and others may need too
    races: bool = False  # whether it needs those of Section 6
    prepare: Callable[[Context], None] = lambda context: None  # what must be there before anything is played
    points: Callable[[Context], int] = lambda context: 0  # of work that it does itself, in write
    needs_matplotlib: bool = False
    takes_tables: bool = False  # whether it plays on recorded tables as well
    in_all: bool = True  # whether "all" means it too
