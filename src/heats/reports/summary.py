"""What a journal has to say, for people and programs: the report, and what the run cost."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from heats.base.text import make_printable
from heats.engine.report import Report, describe_report
from heats.errors import InvalidArgument
from heats.journal.draft import write_whole
from heats.journal.reader import Log, resolve_path
from heats.race.result import undecided
from heats.reports import programs
from heats.reports.page import duration, page
from heats.running.progress import show_progress

LOOK = 0.2  # seconds between two looks at a journal that grows


class Account(msgspec.Struct, frozen=True):
    """A run's report with the candidates' names, and what only the journal knows: who worked, how long, what failed."""

    report: Report
    names: tuple[str, ...]
    leader: int | None
    answered: dict[str, int]  # pulls by who answered them
    elapsed_seconds: float  # without the pauses between a stop and a resumption
    compared_seconds: float  # of all comparisons together
    requeued: int  # pulls that were tried again
    late: int  # answers that came too late to count
    command_line: str | None = None  # of the winner, if it was a race of programs
    cpu_seconds: float | None = None  # of all their runs

    def to_json(self) -> str:
        """Return it as JSON."""
        return msgspec.json.encode(self).decode()

    def __str__(self) -> str:
        lines = [describe_report(self.report, self.names), ""]
        if self.report.done and self.report.winner is None:
            lines = ["no winner: nobody finished any heat", ""]
        if not self.report.done and self.leader is not None:
            lines.append(f"leader:     {make_printable(self.names[self.leader])}")
        lines.append(
            f"time:       {duration(self.elapsed_seconds)}, and {duration(self.compared_seconds)} of comparing"
        )
        if self.cpu_seconds is not None:
            lines.append(f"CPU:        {duration(self.cpu_seconds)} in all runs")
        if self.answered:
            lines.append(f"workers:    {len(self.answered)}")
        if self.requeued or self.late:
            lines.append(f"trouble:    {self.requeued} tried again, {self.late} answers too late to count")
        if self.command_line is not None:
            lines.append(f"\nthe winner's command line:\n  {self.command_line}")
        return "\n".join(lines)


def open_journal(path: str) -> Log:
    """Return a journal, read to its end."""
    log = Log(path)
    log.advance()
    return log


def account(log: Log) -> Account:
    """Sum up what was read of a journal so far."""
    tournament, tally = log.tournament, programs.counted(log)
    lot = programs.says_nothing(log, tally)
    return Account(
        report=undecided(tournament.report()) if lot else tournament.report(),
        names=log.names,
        leader=None if lot else tournament.leader,
        answered=dict(tournament.answered),
        elapsed_seconds=log.elapsed,
        compared_seconds=log.compared,
        requeued=log.requeued,
        late=log.late,
        command_line=None if lot else programs.command_line(log, tournament.winner),
        cpu_seconds=None if tally is None else tally.cpu_seconds,
    )


def follow_to_the_end(log: Log) -> None:
    """Read on as the journal grows, with a bar on a terminal, until its run is over."""
    with show_progress(log.tournament, log.names, show=True) as watch:
        while log.finished is None:
            time.sleep(LOOK)
            log.advance()
            watch()


def save(log: Log, path: str) -> None:
    """Write the page of a journal to a file, whole or not at all; or into a pipe or a device."""
    target = resolve_path(path)
    if target == log.path:
        raise InvalidArgument(f"--html {path} is the journal itself; give another file.")
    content = page(log).encode()
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe or a device: there is nothing to replace
            Path(path).write_bytes(content)
        else:
            write_whole(target, content)
    except OSError as error:
        raise InvalidArgument(f"--html {path} cannot be written: {error.strerror}.") from None
