"""Reads the numbers again that figures were drawn from."""

from __future__ import annotations

from pathlib import Path

from heats.experiments.beyond.budgets import Needed, Search
from heats.experiments.saps.equal import EqualCell, EqualResult
from heats.experiments.saps.race import COSTS, RaceCell, RaceResult
from heats.experiments.shared.csv_files import read_rows
from heats.experiments.shared.verdicts import Share


def read_races(path: Path) -> dict[RaceCell, RaceResult]:
    """Read what ``write_races`` wrote."""
    return {result.cell: result for result in read_rows(path, _parse_race, "reproduce fig-race")}


def read_equal(path: Path) -> dict[EqualCell, EqualResult]:
    """Read what ``write_equal`` wrote."""
    return {result.cell: result for result in read_rows(path, _parse_equal, "reproduce fig-race")}


def read_budgets(path: Path) -> list[Needed]:
    """Read what ``write_budgets`` wrote."""
    return read_rows(path, _parse_budget, "reproduce beyond")


def _parse_race(row: dict[str, str]) -> RaceResult:
    cell = RaceCell(int(row["k"]), int(row["B"]), row["algorithm"])
    share = Share(int(row["successes"]), int(row["reps"]))
    return RaceResult(cell, share, int(row["favourites"]), *(float(row[name]) for name in COSTS))


def _parse_equal(row: dict[str, str]) -> EqualResult:
    cell = EqualCell(int(row["time"]), int(row["k"]), row["algorithm"])
    share = Share(int(row["successes"]), int(row["reps"]))
    return EqualResult(cell, int(row["B"]), share, float(row["found"]), float(row["cpu"]))


def _parse_budget(row: dict[str, str]) -> Needed:
    search = Search(row["setting"], int(row["n"]), int(row["k"]), row["algorithm"])
    budget, rate = row["budget"], row["rate"]
    return Needed(search, int(budget) if budget else None, float(rate) if rate else None)
