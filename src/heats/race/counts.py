"""What a race has seen so far: wins, runs and CPU time, counted from the notes of its heats."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from heats.journal.events import Told, decode_event
from heats.journal.fingerprint import writable
from heats.race.heat import HeatResult
from heats.race.outcome import Run, have_all_crashed


def notes_of(heat: HeatResult) -> dict[str, Any]:
    """Return what was measured of a heat as plain data."""
    return {
        "instance": None if heat.instance is None else writable(heat.instance),
        "winner": heat.winner,
        "runs": msgspec.to_builtins(heat.runs),
    }


class RunCounts:
    """Counts per arm and in all."""

    def __init__(self) -> None:
        self.heats = 0
        self.nobody = 0  # heats without a winner
        self.finishes = 0  # runs that finished
        self.values = 0  # runs that printed a value
        self.last_crashed = False  # every run of the last heat
        self.wins: Counter[int] = Counter()
        self.runs: Counter[int] = Counter()
        self.cpu: defaultdict[int, float] = defaultdict(float)  # seconds
        self.crashes: defaultdict[int, list[Run]] = defaultdict(list)

    def add(self, notes: Mapping[str, Any]) -> None:
        """Count a heat."""
        self.heats += 1
        if notes["winner"] is None:
            self.nobody += 1
        else:
            self.wins[notes["winner"]] += 1
        runs = msgspec.convert(notes["runs"], list[Run])
        self.last_crashed = have_all_crashed(runs)
        for run in runs:
            self.finishes += run.verdict == "finished"
            self.values += run.value is not None
            self.runs[run.arm] += 1
            self.cpu[run.arm] += run.cpu
            if run.verdict == "crashed":
                self.crashes[run.arm].append(run)

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all runs."""
        return sum(self.cpu.values())


def count_runs(journal: Path, size: int) -> RunCounts:
    """Count the heats that the first so many bytes of a journal hold; these must be whole lines."""
    tally = RunCounts()
    with journal.open("rb") as file:
        file.readline()  # the header
        while file.tell() < size:
            event = decode_event(file.readline())
            if type(event) is Told and event.notes is not None:
                tally.add(event.notes)
    return tally
