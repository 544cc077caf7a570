"""Worlds → what came of their runs on all cores; a world that is finished is kept in a CSV, and a run goes on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from heats.experiments.shared.csv_files import read_rows, write_rows
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.standings.worlds import World
from heats.experiments.sure.runs import Outcome, add_up, play_runs

JOB_RUNS = 10
COLUMNS = ("kind", "shape", "n", "k", "B", "reps", "seed", "runs", "stopped", "successes", "saved")

Known = dict[tuple[World, int, int], Outcome]  # by world, reps and seed


def run_worlds(
    wanted: Sequence[World], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[World, Outcome]:
    """Return the outcomes of all worlds, playing those that the CSV at ``path`` does not have for these reps and seed.

    Whatever else the file holds stays there.
    """
    known = read_outcomes(path)
    missing = [world for world in wanted if (world, reps, seed) not in known]
    tick(sum(world.count_runs(reps) for world in wanted if world not in missing))
    jobs = [
        (world, range(start, min(start + JOB_RUNS, world.count_runs(reps))))
        for world in missing
        for start in range(0, world.count_runs(reps), JOB_RUNS)
    ]
    parts: dict[World, list[tuple[int, Outcome]]] = defaultdict(list)
    for world, start, outcome in run_jobs(partial(_play_some, seed=seed), jobs, workers):
        parts[world].append((start, outcome))
        tick(outcome.runs)
        whole = add_up([each for _, each in sorted(parts[world])])
        if whole.runs == world.count_runs(reps):
            known[world, reps, seed] = whole._replace(saved=round(whole.saved, 4))
            _save(path, known)
    return {world: known[world, reps, seed] for world in wanted}


def _play_some(world: World, numbers: range, seed: int) -> tuple[World, int, Outcome]:
    return world, numbers.start, play_runs(world, numbers, seed)


def _save(path: Path, known: Known) -> None:
    rows = ((*key[0][1:], *key[1:], *known[key][:3], f"{known[key].saved:.4f}") for key in sorted(known))
    write_rows(path, COLUMNS, rows)


def read_outcomes(path: Path) -> Known:
    """Read them again, by world, reps and seed; nothing where there is no file."""
    return dict(read_rows(path, _parse_row, "reproduce sure")) if path.exists() else {}


def _parse_row(row: dict[str, str]) -> tuple[tuple[World, int, int], Outcome]:
    world = World("kept", row["kind"], row["shape"], int(row["n"]), int(row["k"]), int(row["B"]))
    outcome = Outcome(int(row["runs"]), int(row["stopped"]), int(row["successes"]), float(row["saved"]))
    return (world, int(row["reps"]), int(row["seed"])), outcome
