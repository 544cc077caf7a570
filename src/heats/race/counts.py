"""What a race has seen so far: wins, runs and CPU time, counted from the notes of its heats."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import msgspec

from heats.base.text import end_sentence, make_encodable
from heats.errors import BrokenFile
from heats.journal.events import Told
from heats.race.heat import HeatResult
from heats.race.outcome import Run, have_all_crashed


class HeatNotes(msgspec.Struct, frozen=True):
    """What the journal keeps of a heat next to its feedback."""

    instance: str | None
    winner: int | None
    runs: tuple[Run, ...]


def make_notes(heat: HeatResult) -> dict[str, Any]:
    """Return what was measured of a heat as plain data."""
    instance = None if heat.instance is None else make_encodable(heat.instance)
    plain: dict[str, Any] = msgspec.to_builtins(HeatNotes(instance, heat.winner, tuple(heat.runs)))
    return plain


def read_notes(notes: dict[str, Any], number: int) -> HeatNotes:
    """Return the notes of a pull, or refuse what no race wrote."""
    try:
        return msgspec.convert(notes, HeatNotes)
    except msgspec.ValidationError as error:
        raise BrokenFile(f"the notes of pull {number} are not those of a race: {end_sentence(error)}") from None


class RunCounts:
    """Counts per arm and in all; ``add`` is called with every answer of a journal."""

    def __init__(self) -> None:
        self.heats = 0
        self.instance: str | None = None  # of the first heat
        self.without_winner = 0  # heats that nobody won
        self.finishes = 0  # runs that finished
        self.values = 0  # runs that printed a value
        self.last_crashed = False  # every run of the last heat
        self.wins: Counter[int] = Counter()
        self.runs: Counter[int] = Counter()
        self.cpu_seconds: defaultdict[int, float] = defaultdict(float)
        self.crashes: defaultdict[int, list[Run]] = defaultdict(list)

    def add(self, told: Told) -> None:
        """Count a heat."""
        if told.notes is None:
            return
        notes = read_notes(told.notes, told.id)
        self.instance = self.instance or notes.instance
        self.heats += 1
        if notes.winner is None:
            self.without_winner += 1
        else:
            self.wins[notes.winner] += 1
        self.last_crashed = have_all_crashed(notes.runs)
        for run in notes.runs:
            self.finishes += run.verdict == "finished"
            self.values += run.value is not None
            self.runs[run.arm] += 1
            self.cpu_seconds[run.arm] += run.cpu
            if run.verdict == "crashed":
                self.crashes[run.arm].append(run)

    @property
    def total_cpu_seconds(self) -> float:
        """CPU time of all runs."""
        return sum(self.cpu_seconds.values())
