"""A race that is over → its winner on held-out instances, as its scenario or the command line asks for."""

from __future__ import annotations

from concurrent.futures import Executor

import typer

from heats.cli.compiling import compile_own_solver
from heats.errors import HeatsError, InvalidArgument
from heats.journal import Log
from heats.journal.origin import FunctionsOrigin, RaceOrigin
from heats.race.counts import RunCounts
from heats.race.result import is_decided, read_race
from heats.race.run import reload_scenario
from heats.race.scenario import HeldOut, Scenario, ValidateTable, hold_out
from heats.race.validation import Request, find_open_request, make_request, read_record, validate
from heats.running.progress import count_progress


def is_validation_owed(log: Log, counts: RunCounts | None) -> bool:
    """Whether a race is over and its winner is still to be validated, or to the end."""
    origin, winner = log.origin, log.machine.winner
    if not isinstance(origin, RaceOrigin) or log.finished is None or counts is None or not is_decided(log, counts):
        return False
    asked = read_record(log).asked
    begun = asked is not None and asked.winner == winner
    return find_open_request(log) is not None if begun else origin.validates


def validate_as_asked(log: Log, counts: RunCounts | None, executor: Executor | None) -> HeatsError | None:
    """Validate the winner of a race if that is owed; return what went wrong, so that the race can be shown first."""
    try:
        if is_validation_owed(log, counts):
            scenario, _ = reload_scenario(log)
            request = find_open_request(log)
            if request is None and scenario.held_out is not None:
                request = make_request(log, scenario.held_out)
            if request is not None:
                _validate(scenario, log, request, executor)
            elif scenario.held_out is not None:
                typer.echo("heats: the winner is the candidate that it was to be validated against.", err=True)
    except HeatsError as error:
        return error
    return None


def validate_journal(
    journal: str, instances: str | None, against: str | None, executor: Executor | None
) -> tuple[Log, RunCounts]:
    """Validate the winner of a race that is over on these instances, or on those of its scenario, or go on with it."""
    log, counts = read_race(journal)
    if counts is None:
        raise InvalidArgument(f"{journal} is not a race of programs; only these can be validated.")
    if isinstance(log.origin, FunctionsOrigin):
        raise InvalidArgument(
            f"{journal} is a race of Python functions, whose instances only its program has; to see how the winner "
            "does on others, have it race them there. Run again with a larger budget, it goes on with this race."
        )
    if not log.is_over:
        raise InvalidArgument(f"the race of {journal} is not over; go on with it first: heats resume {journal}")
    scenario, _ = reload_scenario(log)
    is_said = instances is not None or against is not None
    request = None if is_said else find_open_request(log)
    _validate(scenario, log, request or _make_request(scenario, log, counts, instances, against), executor)
    return log, counts


def _make_request(
    scenario: Scenario, log: Log, counts: RunCounts, instances: str | None, against: str | None
) -> Request:
    if not is_decided(log, counts):
        raise InvalidArgument(f"the race of {log.path} has no winner to validate: no run had anything to say.")
    request = make_request(log, _hold_out(scenario, instances, against))
    if request is None:
        raise InvalidArgument(
            "the winner is the very candidate that it would be compared with; say with whom else, as {against}.",
            against="runner-up",
        )
    return request


def _hold_out(scenario: Scenario, instances: str | None, against: str | None) -> HeldOut:
    """Return what the command line says, and what the scenario says where it does not."""
    table = scenario.held_out and scenario.held_out.table
    if instances is None and table is None:
        raise InvalidArgument(
            "say which instances the winner is validated on, as {instances}; they must not be among those of the race.",
            instances="test/*.cnf",
        )
    written = table or ValidateTable(instances=[])
    listed = written.instances if instances is None else [instances]
    said = ValidateTable(instances=listed, against=against or written.against)
    raced, candidates = scenario.instances, scenario.candidates
    return hold_out(said, scenario.folder, raced, candidates, scenario.names, default=scenario.default)


def _validate(scenario: Scenario, log: Log, request: Request, executor: Executor | None) -> None:
    compile_own_solver(scenario, executor)
    with count_progress("held-out instances") as tick:
        validate(scenario, log, request, tick, executor)
