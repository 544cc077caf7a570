"""Worlds → results; a world that is finished is kept in a CSV, and a run goes on from there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from heats.experiments.shared.csv_files import read_rows, write_rows
from heats.experiments.standings.bins import Bin, Result, find_limits, make_result
from heats.experiments.standings.parts import play_in_parts
from heats.experiments.standings.runs import play_runs
from heats.experiments.standings.worlds import World

JOB_RUNS = 50
WHOLE = 0  # the number of the bin that holds all runs of a world
COLUMNS = (
    *("group", "kind", "shape", "n", "k", "B", "reps", "seed"),
    *("bin", "runs", "said", "successes", "right", "error", "verdict"),
)

Known = dict[tuple[World, int, int], Result]  # by world, reps and seed


def run_worlds(
    wanted: Sequence[World], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> list[Result]:
    """Return the results of all worlds, playing those that the CSV at ``path`` does not have for these reps and seed.

    Whatever else the file holds stays there.
    """
    known = read_results(path)
    missing = [world for world in wanted if (world, reps, seed) not in known]
    tick(sum(world.count_runs(reps) for world in wanted if world not in missing))
    for world, parts in play_in_parts(partial(play_runs, seed=seed), missing, reps, JOB_RUNS, workers, tick):
        known[world, reps, seed] = make_result(world, [run for part in parts for run in part])
        _save(path, known)
    return [known[world, reps, seed] for world in wanted]


def _save(path: Path, known: Known) -> None:
    """Write all rows, in the order of their names: first all runs of a world, then bin by bin."""
    rows = (
        (*world, reps, seed, number, *_format(each), each.verdict)
        for world, reps, seed in sorted(known)
        for number, each in enumerate((known[world, reps, seed].whole, *known[world, reps, seed].bins), WHOLE)
    )
    write_rows(path, COLUMNS, rows)


def _format(each: Bin) -> tuple[object, ...]:
    return each.runs, f"{each.said:.4f}", each.successes, f"{each.right:.4f}", f"{each.error:.4f}"


def read_results(path: Path) -> Known:
    """Read them again, by world, reps and seed; nothing where there is no file."""
    if not path.exists():
        return {}
    parts: dict[tuple[World, int, int], list[Bin]] = defaultdict(list)
    for key, each in read_rows(path, _parse_row, "reproduce standings"):
        parts[key].append(each)
    return {key: Result(key[0], bins[WHOLE], tuple(bins[1:])) for key, bins in parts.items()}


def _parse_row(row: dict[str, str]) -> tuple[tuple[World, int, int], Bin]:
    world = World(row["group"], row["kind"], row["shape"], int(row["n"]), int(row["k"]), int(row["B"]))
    found = Bin(int(row["runs"]), float(row["said"]), int(row["successes"]), find_limits(world))
    return (world, int(row["reps"]), int(row["seed"])), found
