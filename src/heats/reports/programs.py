"""What the page of a race of programs adds: the command line to use, and what every candidate's runs came to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from heats.base.text import make_printable
from heats.journal.reader import Log
from heats.race.counts import RunCounts, count_runs


def counted(log: Log) -> RunCounts | None:
    """Return what the runs of a race came to; None for a run of any other kind."""
    return count_runs(log.path, log.size) if (log.header.command or {}).get("name") == "race" else None


def command_line(log: Log, arm: int | None) -> str | None:
    """Return the line to paste for an arm, if the journal says it."""
    lines = (log.header.command or {}).get("command_lines", [])
    return None if arm is None or arm >= len(lines) else str(lines[arm])


def says_nothing(log: Log, tally: RunCounts | None) -> bool:
    """Whether a race is over in which no run finished or printed a value: then the lot chose who is left."""
    return tally is not None and log.tournament.done and not tally.finishes and not tally.values


def rows(tally: RunCounts, names: Sequence[str], leader: int | None) -> list[tuple[str, ...]]:
    """Return a row per candidate, those who came furthest first: wins, runs, CPU time, crashes."""
    order = sorted(tally.runs, key=lambda arm: (arm != leader, -tally.runs[arm], -tally.wins[arm], arm))
    return [
        (
            escape(make_printable(names[arm])),
            f"{tally.wins[arm]:,}",
            f"{tally.runs[arm]:,}",
            f"{tally.cpu[arm]:.1f} s",
            f"{tally.cpu[arm] / tally.runs[arm]:.2f} s",
            f"{len(tally.crashes.get(arm, ())):,}",
        )
        for arm in order
    ]
