"""Worlds → what came of their runs; a world that is finished is kept in a CSV, and a run goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from heats.experiments.shared.kept import Kept
from heats.experiments.standings.parts import play_in_parts
from heats.experiments.standings.worlds import World
from heats.experiments.sure.runs import Outcome, add_up, play_runs

JOB_RUNS = 50


def run_worlds(
    wanted: Sequence[World], path: Path, reps: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[World, Outcome]:
    """Return the outcomes of all worlds, playing those that the CSV at ``path`` does not have for these reps and seed.

    Whatever else the file holds stays there.
    """
    known = OUTCOMES.read(path)
    missing = [world for world in wanted if (world, reps, seed) not in known]
    tick(sum(world.count_runs(reps) for world in wanted if world not in missing))
    for world, parts in play_in_parts(partial(play_runs, seed=seed), missing, reps, JOB_RUNS, workers, tick):
        whole = add_up(parts)
        known[world, reps, seed] = whole._replace(saved=round(whole.saved, 4), known=round(whole.known, 4))
        OUTCOMES.write(path, known)
    return {world: known[world, reps, seed] for world in wanted}


def _make_row(world: World, reps: int, seed: int, outcome: Outcome) -> tuple[object, ...]:
    return (*world, reps, seed, *outcome[:3], f"{outcome.saved:.4f}", f"{outcome.known:.4f}")


def _parse_row(row: dict[str, str]) -> tuple[tuple[World, int, int], Outcome]:
    world = World(row["group"], row["kind"], row["shape"], int(row["n"]), int(row["k"]), int(row["B"]))
    runs, stopped, successes = (int(row[column]) for column in ("runs", "stopped", "successes"))
    outcome = Outcome(runs, stopped, successes, float(row["saved"]), float(row["known"]))
    return (world, int(row["reps"]), int(row["seed"])), outcome


COLUMNS = ("group", "kind", "shape", "n", "k", "B", "reps", "seed", "runs", "stopped", "successes", "saved", "known")
OUTCOMES = Kept("reproduce sure", COLUMNS, _make_row, _parse_row)
