"""The runs behind Section 6: how many steps 20 random SAPS parameterizations take on small-world colouring instances.

Counting steps instead of seconds makes the table the same on every machine. One made with seed 0 comes with heats,
so that nobody needs to wait for it: ten minutes of processor time.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heats.base import randomness
from heats.base.arrays import Array, Mask
from heats.base.files import read_regular_file, read_text_file
from heats.base.randomness import Purpose
from heats.environments import RuntimeTable
from heats.errors import BrokenFile
from heats.experiments.shared.jobs import run_jobs
from heats.journal.draft import write_whole
from heats.sat.parameters import Parameters

ARMS = 20
INSTANCES = 2000
CUTOFF_STEPS = 100_000  # a run that has not solved its instance by then is censored
SHIPPED = Path(__file__).with_name("race-table.npz")
FILE_NAME = SHIPPED.name

_CENSORED = -1  # in the file of unfinished tables
_JOB_INSTANCES = 10


class RunsTable(NamedTuple):
    """Steps of instances × arms."""

    parameters: Array  # alpha, rho, ps and wp of every arm
    runtime: NDArray[np.int32]  # steps; the cutoff where not solved
    solved: Mask
    cutoff: int
    seed: int

    @property
    def names(self) -> list[str]:
        """The arms, readably."""
        return ["alpha={:.3f} rho={:.3f} ps={:.3f} wp={:.3f}".format(*each) for each in self.parameters]

    @property
    def best(self) -> int:
        """The arm with the smallest mean, censored runs counted as the cutoff: what the paper looks for."""
        return int(self.runtime.mean(axis=0).argmin())

    def make_world(self, feedback: str = "winner") -> RuntimeTable:
        """Return the table as a world to simulate in."""
        return RuntimeTable(self.runtime, self.solved, self.cutoff, self.names, feedback)  # type: ignore[arg-type]  # checked there

    def save(self, path: Path) -> None:
        """Write it as a file that ``heats replay`` reads too."""
        np.savez_compressed(content := io.BytesIO(), **self._asdict(), names=np.array(self.names))
        write_whole(path, content.getvalue())


def find_table(folder: Path) -> Path:
    """Return the table to use: one in the folder, or the one that comes with heats."""
    return folder / FILE_NAME if (folder / FILE_NAME).exists() else SHIPPED


def load_table(path: Path = SHIPPED) -> RunsTable:
    """Read a table; without a path, the one that comes with heats."""
    content = read_regular_file(path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = (file["parameters"], file["runtime"], file["solved"])
            return RunsTable(*arrays, int(file["cutoff"]), int(file["seed"]))
    except Exception:  # whatever a damaged archive makes NumPy raise
        raise BrokenFile(
            f"{path} is not a table of heats reproduce race-table; make it again or move it away."
        ) from None


def make_table(
    out: Path,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    instances: int = INSTANCES,
    cutoff: int = CUTOFF_STEPS,
) -> Path:
    """Run everything on several cores, and write ``race-table.npz`` under ``out``.

    Finished rows are kept in a text file beside it until all are there, so that a stopped run goes on.
    """
    out.mkdir(parents=True, exist_ok=True)
    kept = out / f"race-table-{seed}-{cutoff}.part"
    rows = {row: steps for row, steps in _read_finished(kept).items() if row < instances}
    missing = [row for row in range(instances) if row not in rows]
    blocks = [(missing[i : i + _JOB_INSTANCES],) for i in range(0, len(missing), _JOB_INSTANCES)]
    with kept.open("a", encoding="utf-8") as file:
        for done in run_jobs(partial(_run_rows, seed=seed, cutoff=cutoff), blocks, workers):
            rows |= done
            file.writelines(" ".join(map(str, (row, *steps))) + "\n" for row, steps in done.items())
            file.flush()
            progress(len(rows), instances)
    _tabulate([rows[row] for row in range(instances)], seed, cutoff).save(out / FILE_NAME)
    kept.unlink()
    return out / FILE_NAME


def _tabulate(rows: list[list[int]], seed: int, cutoff: int) -> RunsTable:
    runs = np.array(rows, dtype=np.int32)
    solved = runs != _CENSORED
    parameters = np.array([Parameters.sample(seed, arm) for arm in range(ARMS)])
    return RunsTable(parameters, np.where(solved, runs, np.int32(cutoff)), solved, cutoff, seed)


def _read_finished(path: Path) -> dict[int, list[int]]:
    """Return the complete rows of an unfinished table; a line that was cut off is taken out of the file."""
    lines = read_text_file(path).splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if whole != lines:
        write_whole(path, "".join(whole).encode())
    try:
        numbers = [[int(word) for word in line.split()] for line in whole]
    except ValueError:
        numbers = [[]]
    if any(len(row) != ARMS + 1 for row in numbers):
        raise BrokenFile(f"{path} is not an unfinished table of heats reproduce race-table; move it away.")
    return {row: steps for row, *steps in numbers}


def _run_rows(rows: list[int], seed: int, cutoff: int) -> dict[int, list[int]]:
    return {row: run_row(row, range(ARMS), seed, cutoff) for row in rows}


def run_row(row: int, arms: Iterable[int], seed: int, cutoff: int) -> list[int]:
    """Return the steps of runs, functions of their place in the table and the seed; -1 where one was cut off."""
    from heats.sat import saps, swgcp

    cnf = swgcp.make_instance(row, seed).cnf
    runs = []
    for arm in arms:
        key = int(randomness.draw_bits(randomness.fold_seed(seed), Purpose.TABLE_RUN, row, arm))
        found = saps.solve(cnf, *Parameters.sample(seed, arm), key, cutoff)
        runs.append(found.steps if found.solved else _CENSORED)
    return runs
