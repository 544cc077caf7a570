"""A journal → the run, gone on with as the command that began it would."""

from __future__ import annotations

from concurrent.futures import Executor

import msgspec

from heats.cli.demo import play
from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Log
from heats.journal.origin import DemoOrigin, OtherOrigin, RaceOrigin
from heats.race.counts import RunCounts
from heats.race.result import summarise_journal
from heats.race.run import resume_race
from heats.reports.result import Result


def go_on(log: Log, counts: RunCounts | None, executor: Executor | None = None) -> Result:
    """Go on with the run of a journal that was read; a finished one is left as it is."""
    if log.finished is None:
        match log.origin:
            case RaceOrigin() if counts is not None:
                return resume_race(log, counts, executor).result
            case DemoOrigin():
                options = {key: value for key, value in msgspec.to_builtins(log.origin).items() if key != "name"}
                play(**options, journal=str(log.path), executor=executor)
                log.advance()
            case OtherOrigin(name=name, why=why) if why:
                raise BrokenFile(f"line 1 of {log.path} says to go on with 'heats {name}', but not how: {why}.")
            case OtherOrigin(name=str(name)):
                raise InvalidArgument(
                    f"{log.path} was begun by 'heats {name}', which this version does not have; update heats."
                )
            case _:
                raise InvalidArgument(
                    f"{log.path} was written by a program that calls heats, not by the command line; "
                    "run that program again, with the same journal, and it goes on."
                )
    return summarise_journal(log, counts)
