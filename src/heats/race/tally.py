"""What a race has seen so far: wins, runs and CPU time, counted from the notes of its heats."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec

from heats.race.heat import Heat
from heats.race.outcome import Run


def notes_of(heat: Heat) -> dict[str, Any]:
    """Return what was measured of a heat as plain data."""
    return {"instance": heat.instance, "runs": msgspec.to_builtins(heat.runs)}


class Tally:
    """Counts per arm and in all."""

    def __init__(self) -> None:
        self.heats = 0
        self.nobody = 0  # heats that nobody finished
        self.wins: Counter[int] = Counter()
        self.runs: Counter[int] = Counter()
        self.cpu: defaultdict[int, float] = defaultdict(float)  # seconds
        self.crashes: dict[int, list[Run]] = {}

    def add(self, notes: Mapping[str, Any]) -> None:
        """Count a heat."""
        runs = msgspec.convert(notes["runs"], list[Run])
        self.heats += 1
        finished = [run for run in runs if run.verdict == "finished"]
        values = [run.value for run in runs if run.value is not None]
        self.nobody += not finished and not values
        if finished and not values:
            self.wins[min(finished, key=lambda run: run.seconds).arm] += 1
        for run in runs:
            self.runs[run.arm] += 1
            self.cpu[run.arm] += run.cpu
            if run.verdict == "crashed":
                self.crashes.setdefault(run.arm, []).append(run)

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all runs."""
        return sum(self.cpu.values())
