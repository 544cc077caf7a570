"""What a race found, in words and as JSON, with command lines that can be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from heats.engine.report import Report, describe_report
from heats.race.board import clock
from heats.race.counts import RunCounts
from heats.race.heat import fill_command_line
from heats.race.scenario import RACE_PLACEHOLDERS, Scenario, fill_command


@dataclass(frozen=True, eq=False)
class Raced:
    """What a race found, and what it took."""

    scenario: Scenario
    report: Report
    tally: RunCounts
    seconds: float  # of wall time, since it began or went on

    @property
    def decided(self) -> bool:
        """Whether any run of the race had something to say about its candidates; else the lot chose the winner."""
        return bool(self.tally.finishes if self.scenario.rule.objective is None else self.tally.values)

    def to_json(self) -> str:
        """Return the report as JSON, with parameters and command lines; equal races give equal bytes."""
        report = self.report if self.decided else undecided(self.report)
        places = {place: self._entry(getattr(report, place)) for place in ("winner", "runner_up")}
        told = msgspec.to_builtins(report) | {"names": self.scenario.names, **places}
        return msgspec.json.encode(told).decode()

    def __str__(self) -> str:
        found = describe_report(self.report, self.scenario.names) if self.decided else f"no winner: {self._why_not()}"
        return "\n".join([found, *self._lines()])

    def _why_not(self) -> str:
        if self.scenario.rule.objective is None:
            return "nobody finished any heat; raise the cutoff, or look at finished and pattern in the scenario."
        return "nobody printed a value in any heat; raise the cutoff, or look at objective in the scenario."

    def _entry(self, arm: int | None) -> dict[str, Any] | None:
        if arm is None:
            return None
        candidate = self.scenario.candidates[arm]
        return {
            "arm": arm,
            "name": self.scenario.names[arm],
            "parameters": candidate,
            "command": fill_command(self.scenario.command, candidate, leave=RACE_PLACEHOLDERS),
            "command_line": command_line(self.scenario, arm),
        }

    def _lines(self) -> Iterator[str]:
        tally = self.tally
        yield ""
        if tally.nobody:
            yield f"nobody finished {tally.nobody} of {tally.heats} heats; these say nothing about anybody"
        for arm, crashes in tally.crashes.items():
            last = f" ({crashes[0].last.splitlines()[-1]})" if crashes[0].last else ""
            yield f"crashed: {self.scenario.names[arm]}, {len(crashes)} of {tally.runs[arm]} runs{last}"
        yield f"{clock(tally.cpu_seconds)} of CPU in all runs, {clock(self.seconds)} of wall time"
        if self.decided and self.report.winner is not None:
            yield f"\nthe winner's command line:\n  {command_line(self.scenario, self.report.winner)}"


def undecided(report: Report) -> Report:
    """Return a report that names nobody."""
    return msgspec.structs.replace(report, winner=None, runner_up=None, rivals=None, sureness=None)


def command_line(scenario: Scenario, arm: int) -> str:
    """Return a line to paste into a shell, wherever: the arm on the first instance."""
    first = scenario.instances[0] if scenario.instances else None
    if first is not None and Path(first).is_relative_to(scenario.folder):
        first = str(Path(first).relative_to(scenario.folder))
    return f"cd {shlex.quote(str(scenario.folder))} && {shlex.join(fill_command_line(scenario, arm, first, seed=1))}"
