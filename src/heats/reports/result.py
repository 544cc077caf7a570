"""One result for everything that finds something: ``find_best``, ``race``, ``resume``, ``report`` and ``demo``.

As JSON: ``{"heats": version, "machine": what was played, "names": [...], "parameters": [...] or null,
"winner": {...} or null, "report": {...}, "run": {...} or null, "race": {...} or null, "shown": {...} or null,
"judging": {...} or null}``. Equal runs give equal bytes in all but ``run``, ``judging`` and the times in ``race``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from heats.base.text import count_things, count_times, make_encodable, make_printable
from heats.base.times import say_seconds
from heats.base.version import __version__
from heats.engine.machine import Machine
from heats.engine.report import Report, describe_report
from heats.engine.specs import outline
from heats.journal.judged import JudgeCounts
from heats.journal.origin import VoteOrigin
from heats.journal.reader import Log
from heats.reports.judges import (
    FirstShown,
    JudgingFacts,
    collect_judging,
    count_first,
    describe_judging,
)
from heats.reports.leaders import describe_leaders
from heats.reports.top import TopClaim, say_claim
from heats.reports.validation import Validation, describe_validation
from heats.reports.winner import Chosen, choose_winner, collect_parameters, describe_winner


class RunFacts(msgspec.Struct, frozen=True):
    """What only the journal knows of a run: when it was, how long it took, who worked, what went wrong."""

    begun: datetime
    last: datetime  # when something happened last
    elapsed_seconds: float  # without the pauses between a stop and a resumption
    compared_seconds: float  # of all comparisons together
    workers: dict[str, int]  # pulls by who answered them, where it was said; a process that resumes a run is another
    requeued: int  # pulls that were tried again
    late: int  # answers that came too late to count
    leader: int | None  # the arm that looks best so far
    taken_back: int = 0  # answers that were
    voided: tuple[str, ...] = ()  # whose answers count for nothing
    resumed: int = 0  # times that the run went on which had begun and was not over: neither an extension nor more of it
    extended: int = 0  # times that it got more pulls or, with them, candidates
    most_workers: int = 0  # the most that answered within one session: from the begin, or a resumption, to the next
    of_voters: bool = False  # workers are people, whatever process served them

    def say_workers(self) -> str:
        """Say how many worked, or voted, and what became of the run meanwhile."""
        happened = {"resumed": self.resumed, "extended": self.extended}
        said = " and ".join(f"{what} {count_times(times)}" for what, times in happened.items() if times)
        count = len(self.workers) if self.of_voters else self.most_workers
        return f"{count:,}; the run was {said}" if said else f"{count:,}"


class Entrant(msgspec.Struct, frozen=True):
    """A candidate of a race, with all it takes to use it."""

    arm: int
    name: str
    parameters: dict[str, Any] | None  # None: too large for the journal
    command: tuple[str, ...] | None  # an argument at a time; {instance}, {seed} and {cutoff} stay as they are
    command_line: str | None  # to paste into a shell, on the first instance


class CandidateRuns(msgspec.Struct, frozen=True):
    """What the runs of a candidate came to."""

    arm: int
    wins: int  # heats won
    runs: int
    crashes: int
    cpu_seconds: float
    last_words: str | None  # the last line of the first run that crashed


class RaceFacts(msgspec.Struct, frozen=True):
    """What the programs of a race did."""

    decided: bool  # whether any run had something to say; else chance alone would choose, and nobody is named
    goal: str  # what winning a heat means: "finish" first, or print the best "value"
    winner: Entrant | None
    runner_up: Entrant | None
    heats: int
    without_winner: int  # heats that nobody won
    cpu_seconds: float  # of all runs
    candidates: tuple[CandidateRuns, ...]  # those that ran, whoever came furthest first
    top: TopClaim | None = None  # how good the winner is among all that its space holds
    validation: Validation | None = None  # the winner on held-out instances


class Result(msgspec.Struct, frozen=True):
    """What was played, what was found, and, where a journal was kept, what it took."""

    heats: str  # version
    machine: dict[str, Any]  # the spec, without the rounds of a plan
    names: tuple[str, ...]
    parameters: tuple[dict[str, Any] | None, ...] | None  # by arm, of candidates that are tables of them
    winner: Chosen | None
    report: Report
    run: RunFacts | None = None
    race: RaceFacts | None = None
    shown: FirstShown | None = None  # whether who is shown first has an advantage, if a winner or a ranking was told
    judging: JudgingFacts | None = None  # what judges did

    def to_json(self) -> str:
        """Return it as JSON."""
        return msgspec.json.encode(self).decode()

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def summarise(
    machine: Machine,
    names: Sequence[str],
    log: Log | None = None,
    race: RaceFacts | None = None,
    values: Sequence[Any] = (),
    *,
    judged: JudgeCounts | None = None,
    report: Report | None = None,
) -> Result:
    """Return the result of a machine, finished or not, with what its journal and its race add.

    ``values`` are the candidates as plain data, by arm, and ``judged`` is what the notes of judges come to; a journal
    knows both. ``report`` is that of the machine, where it was made before.
    """
    names, report = tuple(map(make_encodable, names)), report or machine.report()
    if log is not None:
        values, judged = values or log.values, judged or log.judged
    if race is not None and machine.done and not race.decided:
        nobody = {"winner": None, "runner_up": None, "rivals": None, "sureness": None, "head_to_head": None}
        report = msgspec.structs.replace(report, **nobody, by_lot=False)
    return Result(
        heats=__version__,
        machine=outline(machine.spec),
        names=names,
        parameters=collect_parameters(values),
        winner=choose_winner(report, names, values),
        report=report,
        run=None if log is None else _facts(log, undecided=race is not None and not race.decided),
        race=race,
        shown=None if race is not None else count_first(machine, judged),
        judging=None if judged is None else collect_judging(judged, report),
    )


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a result."""
    return msgspec.json.schema(Result)


def _facts(log: Log, *, undecided: bool) -> RunFacts:
    return RunFacts(
        begun=log.header.at,
        last=log.last,
        elapsed_seconds=log.elapsed_seconds,
        compared_seconds=log.compared_seconds,
        workers=dict(log.machine.answered),
        requeued=log.requeued,
        late=log.late,
        leader=None if undecided else log.machine.leader,
        taken_back=log.taken_back,
        voided=log.machine.voided,
        resumed=log.resumed,
        extended=log.extensions,
        most_workers=log.most_workers,
        of_voters=isinstance(log.origin, VoteOrigin),
    )


def _lines(result: Result) -> Iterator[str]:
    report, run, race = result.report, result.run, result.race
    if race is not None and report.done and not race.decided:
        yield f"no winner: {_why_undecided(race)}"
    else:
        yield describe_report(report, result.names)
        yield from describe_winner(result.winner)
        if race is not None and result.parameters is not None:
            yield from describe_leaders(report, result.names, result.parameters)
        yield from describe_validation(None if race is None else race.validation)
        yield from describe_judging(result.judging, result.shown)
    about_race = [] if race is None else list(_race_lines(race, result.names))
    if run is not None or about_race:
        yield ""
    yield from about_race
    if run is None:
        return
    compared = f"{say_seconds(run.compared_seconds)} of comparing"
    of_cpu = "" if race is None else f", {say_seconds(race.cpu_seconds)} of CPU in all runs"
    yield f"time:       {say_seconds(run.elapsed_seconds)}, and {compared}{of_cpu}"
    if run.workers:
        yield f"{'voters: ' if run.of_voters else 'workers:'}    {run.say_workers()}"
    if run.requeued or run.late:
        yield f"trouble:    {run.requeued} tried again, {run.late} answers too late to count"
    if run.taken_back:
        yield f"taken back: {count_things(run.taken_back, 'answer')}"
    if race is not None and race.winner is not None and race.winner.command_line is not None:
        yield f"\nthe winner's command line:\n  {make_printable(race.winner.command_line)}"


def _why_undecided(race: RaceFacts) -> str:
    if race.goal == "finish":
        return "nobody finished any heat; raise the cutoff, or look at finished and pattern in the scenario."
    return "nobody printed a value in any heat; raise the cutoff, or look at objective in the scenario."


def _race_lines(race: RaceFacts, names: Sequence[str]) -> Iterator[str]:
    if race.top is not None:
        yield f"space:      {say_claim(race.top)}"
    if race.without_winner:
        of_all = f"{race.without_winner:,} of {count_things(race.heats, 'heat')}"
        yield f"unfinished: nobody finished {of_all}; these say nothing about anybody"
    for each in race.candidates:
        if each.crashes:
            last = f" ({make_printable(each.last_words)})" if each.last_words else ""
            yield f"crashed:    {make_printable(names[each.arm])}, {each.crashes} of {each.runs} runs{last}"
