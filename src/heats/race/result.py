"""A race's journal and counts → what the programs did, with command lines that can be pasted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

import msgspec

from heats.base.text import quote_argument
from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Log
from heats.journal.origin import Drawn, RaceOrigin
from heats.race.counts import RunCounts
from heats.race.heat import fill_command_line
from heats.race.outcome import Rule
from heats.race.scenario import RACE_PLACEHOLDERS, Candidate, Command, Scenario, check_command, fill_command
from heats.race.validation import measure, read_record
from heats.reports.result import CandidateRuns, Entrant, RaceFacts, Result, summarise
from heats.reports.top import make_claim
from heats.reports.validation import Validation


def read_race(path: str) -> tuple[Log, RunCounts | None]:
    """Return a journal, read to its end, with the counts of its runs if it is a race."""
    counts = RunCounts()
    log = Log(path, on_told=lambda told: counts.add(told) if isinstance(log.origin, RaceOrigin) else None)
    log.advance()
    return log, counts if isinstance(log.origin, RaceOrigin) else None


def summarise_journal(log: Log, counts: RunCounts | None) -> Result:
    """Return what a journal says, whatever kind of run it is of."""
    race = None if counts is None else collect_facts(log, counts)
    return summarise(log.machine, log.names, log, race)


def collect_facts(log: Log, counts: RunCounts) -> RaceFacts:
    """Return what the programs did; all of it is in the journal."""
    assert isinstance(log.origin, RaceOrigin)
    by_value, decided = _is_by_value(log.origin), is_decided(log, counts)
    report, drawn = log.machine.report(), _count_drawn(log, log.origin)
    return RaceFacts(
        decided=decided,
        goal="value" if by_value else "finish",
        winner=_describe_entrant(log, counts, report.winner) if decided else None,
        runner_up=_describe_entrant(log, counts, report.runner_up) if decided else None,
        heats=counts.heats,
        without_winner=counts.without_winner,
        cpu_seconds=round(counts.total_cpu_seconds, 6),
        candidates=tuple(_count_candidate(counts, arm) for arm in _furthest_first(counts)),
        top=make_claim(drawn, report) if decided and drawn is not None else None,
        validation=_measure_validation(log, log.origin, report.winner),
    )


def _count_drawn(log: Log, origin: RaceOrigin) -> Drawn | None:
    """Return how many candidates were drawn at random in all; None if they are no random sample of their space."""
    challengers = log.challengers.values()
    if origin.drawn is None or any(each.parent is not None for each in challengers):
        return None
    return msgspec.structs.replace(origin.drawn, candidates=origin.drawn.candidates + len(challengers))


def _is_by_value(origin: RaceOrigin) -> bool:
    return origin.rules.get("objective") is not None


def is_decided(log: Log, counts: RunCounts) -> bool:
    """Whether any run had something to say; else chance alone would choose."""
    return isinstance(log.origin, RaceOrigin) and bool(counts.values if _is_by_value(log.origin) else counts.finishes)


def _measure_validation(log: Log, origin: RaceOrigin, winner: int | None) -> Validation | None:
    """Return what the file beside the journal says of the winner on held-out instances, if it is there."""
    try:
        kept = read_record(log)
    except BrokenFile as error:  # the race itself is whole
        warnings.warn(f"the validation is left out: {error}", stacklevel=2)
        return None
    if kept.asked is None or kept.asked.winner != winner:  # the race went on since, and has another one
        return None
    try:
        rule = msgspec.convert(origin.rules, Rule)
        cutoff = msgspec.convert(origin.rules["cutoff"], float)
    except (KeyError, msgspec.ValidationError):
        return None  # a journal that anybody may have written
    return measure(kept.asked, kept.list_pairs(), log.names, rule, cutoff)


def _furthest_first(counts: RunCounts) -> list[int]:
    return sorted(counts.runs, key=lambda arm: (-counts.runs[arm], -counts.wins[arm], arm))


def _count_candidate(counts: RunCounts, arm: int) -> CandidateRuns:
    crashes = counts.crashes.get(arm, [])
    last = (crashes[0].last or "").splitlines() if crashes else []
    seconds = round(counts.cpu_seconds[arm], 6)
    return CandidateRuns(arm, counts.wins[arm], counts.runs[arm], len(crashes), seconds, last[-1] if last else None)


def _describe_entrant(log: Log, counts: RunCounts, arm: int | None) -> Entrant | None:
    if arm is None:
        return None
    assert isinstance(log.origin, RaceOrigin)
    value = log.candidates[arm].value
    parameters = value if isinstance(value, dict) else None
    template = log.origin.rules.get("command")
    command, lines = None, log.origin.command_lines
    line = lines[arm] if arm < len(lines) else None
    if parameters is not None and _is_command(template, parameters):
        command = fill_command(template, parameters, leave=RACE_PLACEHOLDERS)
        if line is None:  # it came in after the race began
            line = _make_line(log.origin, template, parameters, counts.instance)
    return Entrant(arm, log.names[arm], parameters, command, line)


def _make_line(origin: RaceOrigin, template: Command, parameters: Candidate, instance: str | None) -> str:
    """Return a line to paste into a shell by what a journal holds, on the instance of the first heat."""
    given: Candidate = {"seed": 1, "cutoff": f"{origin.rules.get('cutoff', 0)}", "instance": instance or ""}
    return _join_line(str(Path(origin.scenario).parent), fill_command(template, parameters | given))


def _is_command(template: object, parameters: Candidate) -> TypeGuard[Command]:
    """Whether a journal, which anybody may have written, has a command for these parameters."""
    try:
        check_command(msgspec.convert(template, list[str | list[str]]), [parameters])
    except (msgspec.ValidationError, InvalidArgument):
        return False
    return True


def paste_line(scenario: Scenario, arm: int) -> str:
    """Return a line to paste into a shell, wherever: the arm on the first instance."""
    first = scenario.instances[0] if scenario.instances else None
    if first is not None and Path(first).is_relative_to(scenario.folder):
        first = str(Path(first).relative_to(scenario.folder))
    return _join_line(str(scenario.folder), fill_command_line(scenario, arm, first, seed=1))


def _join_line(folder: str, arguments: Sequence[str]) -> str:
    return f"cd {quote_argument(folder)} && {' '.join(map(quote_argument, arguments))}"
