"""Pairs of runs on held-out instances, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from heats.race.outcome import Rule, Run, Verdict
from heats.race.validation import measure
from heats.race.validation.record import Asked, Paired
from heats.reports.validation import Validation

AT = datetime(2026, 1, 1, tzinfo=UTC)
CUTOFF = 10.0


def make_run(arm: int, result: float | Verdict, value: float | None = None) -> Run:
    """Return a run that finished after so many seconds, or ended otherwise."""
    verdict: Verdict = result if isinstance(result, str) else "finished"
    seconds = 0.01 if isinstance(result, str) else result
    last = "out of luck" if verdict == "crashed" else None
    return Run(arm=arm, verdict=verdict, seconds=seconds, wall=seconds, cpu=seconds, code=0, value=value, last=last)


def make_pair(number: int, ours: Run, theirs: Run) -> Paired:
    """Return both on an instance, which every other time begins with theirs."""
    runs = (ours, theirs) if number % 2 == 0 else (theirs, ours)
    return Paired(ours.arm, theirs.arm, f"/i/{number}", runs, AT)


def measure_runs(runs: Sequence[tuple[Run, Run]], asked: int | None = None, **rule: Any) -> Validation:
    """Return what runs of the candidates 1, who won, and 0 say."""
    pairs = [make_pair(number, ours, theirs) for number, (ours, theirs) in enumerate(runs)]
    instances = tuple(f"/i/{number}" for number in range(asked or len(pairs)))
    return measure(Asked(1, 0, instances, AT), pairs, ("default", "best"), Rule(**rule), CUTOFF)


def measure_times(*times: tuple[float | Verdict, float | Verdict]) -> Validation:
    """Return what times, or other ends of runs, say."""
    return measure_runs([(make_run(1, ours), make_run(0, theirs)) for ours, theirs in times])


def measure_values(*values: tuple[float | None, float | None], **rule: Any) -> Validation:
    """Return what printed values say."""
    runs = [(make_run(1, 1.0, ours), make_run(0, 1.0, theirs)) for ours, theirs in values]
    return measure_runs(runs, objective="(.)", **rule)
