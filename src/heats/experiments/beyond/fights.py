"""Duels → outcomes on all cores; what is finished is kept in a CSV, and a run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from heats.experiments.beyond.duels import DIGITS, FAMILIES, Duel, Outcome, fight
from heats.experiments.shared.jobs import run_jobs
from heats.experiments.shared.kept import Kept

RUNS_PER_REP = 2  # a difference needs more runs than a share
AGAIN = 10  # times as many in a second look


def fight_duels(
    wanted: Mapping[Duel, Path | None], path: Path, runs: int, seed: int, workers: int, tick: Callable[[int], None]
) -> dict[Duel, Outcome]:
    """Return the outcomes of duels, fighting those that the CSV at ``path`` does not have for these runs and seed.

    Whatever else the file holds stays there.
    """
    known = DUELS.read(path)
    missing = [job for job in wanted.items() if (job[0], runs, seed) not in known]
    tick(len(wanted) - len(missing))
    for done in run_jobs(partial(fight, runs=runs, seed=seed), missing, workers):
        known[done.duel, runs, seed] = done
        DUELS.write(path, known)
        tick(1)
    return {duel: known[duel, runs, seed] for duel in wanted}


def count_looks(reps: int) -> tuple[int, int]:
    """Return the runs of a first look, and of a second where adaptive play seems behind.

    Of hundreds of problems that are level some always seem so; the second look, in fresh runs, is the one that counts.
    """
    return RUNS_PER_REP * reps, AGAIN * RUNS_PER_REP * reps


def read_duels(path: Path, reps: int, seed: int) -> list[Outcome]:
    """Return the outcomes that the CSV has for these reps and seed; where there were two looks, those of the second.

    Family by family, in their order.
    """
    known = DUELS.read(path)
    found: dict[Duel, Outcome] = {}
    for look in count_looks(reps):
        found |= {duel: outcome for (duel, *key), outcome in known.items() if key == [look, seed]}
    return sorted(found.values(), key=lambda each: FAMILIES.index(each.duel.family))


def _make_row(duel: Duel, runs: int, seed: int, outcome: Outcome) -> tuple[object, ...]:
    return (*duel, runs, seed, *(f"{number:.{DIGITS}f}" for number in outcome[2:]))


def _parse_row(row: dict[str, str]) -> tuple[tuple[Duel, int, int], Outcome]:
    family = FAMILIES[FAMILIES.index(row["family"])]
    duel = Duel(family, row["table"], row["told"], int(row["n"]), int(row["k"]), int(row["B"]))
    runs = int(row["runs"])
    return (duel, runs, int(row["seed"])), Outcome(duel, runs, *(float(row[column]) for column in NUMBERS))


NUMBERS = ("adaptive", "adaptive error", "planned", "planned error")
COLUMNS = ("family", "table", "told", "n", "k", "B", "runs", "seed", *NUMBERS)
DUELS = Kept("reproduce beyond", COLUMNS, _make_row, _parse_row)
