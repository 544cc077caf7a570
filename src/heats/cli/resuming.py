"""A journal → the run, gone on with as the command that began it would, or given more to spend."""

from __future__ import annotations

import re
import shlex
from concurrent.futures import Executor

import msgspec

from heats.cli.compiling import compile_own_solver
from heats.cli.demo import play
from heats.engine.adaptive import Adaptive
from heats.engine.machine import Machine
from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Journal, Log
from heats.journal.origin import DemoOrigin, FunctionsOrigin, OtherOrigin, RaceOrigin, VoteOrigin
from heats.race.counts import RunCounts
from heats.race.run import reload_scenario, resume_race


def go_on(log: Log, counts: RunCounts | None, executor: Executor | None = None) -> None:
    """Go on with the run of a journal that was read; a finished one is left as it is."""
    if not log.is_over:
        match log.origin:
            case RaceOrigin() if counts is not None:
                compile_own_solver(reload_scenario(log)[0], executor)
                resume_race(log, counts, executor)
            case DemoOrigin():
                options = {key: value for key, value in msgspec.to_builtins(log.origin).items() if key != "name"}
                options["n_arms"] = log.machine.n_arms  # some may have been added
                play(**options, journal=str(log.path), executor=executor)
                log.advance()
            case VoteOrigin(scenario=scenario):
                raise InvalidArgument(f"{log.path} is a poll, which goes on with: {_say_vote(scenario, str(log.path))}")
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


class Extension(msgspec.Struct, frozen=True):
    """What a run has to spend now, and how to go on with it: a command, or None where a program of the user's does."""

    journal: str
    budget: int
    spent: int
    go_on: str | None

    def __str__(self) -> str:
        has = f"{self.journal} has {self.budget:,} pulls now, {self.spent:,} of them spent."
        if self.go_on is None:
            return f"{has} Run the program that began it again, with the same journal, and it goes on."
        return f"{has} Go on with: {self.go_on}"


def extend_run(path: str, said: str) -> Extension:
    """Extend the run of a journal: to ``said`` pulls in all, or, with a plus, by so many."""
    log = Log(path)
    log.advance()
    machine = log.machine
    if not isinstance(machine, Adaptive):
        raise InvalidArgument(
            f"{path} cannot be extended: only adaptive play can, others decide everything before the first comparison. "
            "Begin a new run with a larger budget."
        )
    _check_pulls(said)
    asked = Machine.from_spec(machine.spec, machine.statistic, machine.seed)
    with Journal(path, asked, log=log, to_change=True) as journal:
        journal.take()  # what it had to spend may stand in a line that lacks its end
        journal.extend(_count_pulls(said, machine))
    return Extension(path, machine.budget, machine.spent, _say_command(log, path))


def _say_command(log: Log, path: str) -> str | None:
    """Return the command that goes on with a run; None where a program of the user's does."""
    match log.origin:
        case VoteOrigin(scenario=scenario):
            return _say_vote(scenario, path)
        case None | OtherOrigin() | FunctionsOrigin():
            return None
    return f"heats resume {shlex.quote(path)}"


def _say_vote(scenario: str, path: str) -> str:
    """Return the command that goes on with a poll, as far as the journal knows it."""
    return f"heats vote {shlex.quote(scenario)} --journal {shlex.quote(path)} (and the options it began with)"


def _check_pulls(said: str) -> None:
    """Refuse what is no number of pulls."""
    if not re.fullmatch(r"\+?[0-9]{1,18}", said):
        raise InvalidArgument(
            "{budget} must be a whole number: 300 for that many comparisons in all, +100 for that many more.",
            budget=said,
        )


def _count_pulls(said: str, machine: Adaptive) -> int:
    """Return how many more pulls that are, or refuse what are none."""
    pulls = int(said) if said.startswith("+") else int(said) - machine.budget
    if pulls < (machine.stopped is None):
        raise InvalidArgument(
            f"{{budget}} is no more than the {machine.budget} the run has; give a larger number, or +100 for that "
            "many more.",
            budget=said,
        )
    return pulls
