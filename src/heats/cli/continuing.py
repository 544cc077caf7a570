"""``heats race --continue``: what is typed → a challenge; a race and a challenge → new candidates in the race."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from heats.base.checks import refuse
from heats.base.text import count_things
from heats.cli.compiling import compile_own_solver
from heats.cli.options import spell_option
from heats.cli.validating import is_validation_owed
from heats.errors import InvalidArgument
from heats.journal import Log
from heats.journal.origin import FunctionsOrigin
from heats.race.challengers import Challenge, is_made, list_surprises, make_challenge
from heats.race.counts import RunCounts
from heats.race.forecast import say_how_long
from heats.race.run import reload_scenario
from heats.race.scenario import check_around
from heats.race.validation import find_open_request, make_request
from heats.reports.result import Entrant

EXAMPLE = "heats race --continue run.jsonl --more 30 -B +100"


def read_budget(said: str | None) -> int | None:
    """Return how many heats a new race has, or refuse what is no number of them."""
    if said is None or re.fullmatch(r"-?[0-9]{1,100}", said):
        return None if said is None else int(said)
    if re.fullmatch(r"\+[0-9]+", said):
        raise InvalidArgument(
            f"{{budget}} gives a race that has begun so many more heats, as in {EXAMPLE}; a new one needs no plus.",
            budget=said,
        )
    raise refuse("budget", said, "must be a whole number: how many heats to run, such as 1000")


def refuse_without(**said: object) -> None:
    """Refuse what only a race that has begun can be told."""
    for name, value in said.items():
        if value is not None:
            raise InvalidArgument(
                f"{{{name}}} is about new candidates of a race that has begun: {EXAMPLE}. A new race draws as many as "
                "its [space] says.",
                **{name: value},
            )


def refuse_beside(said: Mapping[str, Any]) -> None:
    """Refuse what a race that has begun cannot be told any more."""
    for name, value in said.items():
        if value is not None:
            raise InvalidArgument(
                f"--continue goes on with a race as it began; leave out {spell_option(name, value)}, as in {EXAMPLE}."
            )


def read_challenge(more: int | None, budget: str | None, around: float | None) -> Challenge:
    """Return what is asked for, or refuse what is missing or no such number."""
    if more is None:
        raise InvalidArgument(
            f"--continue draws new candidates; say how many, as in {EXAMPLE}. heats extend gives more heats alone."
        )
    if more < 1:
        raise refuse("more", more, "must be at least 1: new candidates; heats extend gives a race more heats alone")
    if budget is None:
        raise InvalidArgument(f"say how many heats come with the {{more}} candidates, as in {EXAMPLE}.", more=more)
    if not re.fullmatch(r"\+0*[1-9][0-9]{0,17}", budget):
        bare = re.fullmatch(r"[1-9][0-9]{0,17}", budget)
        way_out = f"say -B +{budget}" if bare else "give a number such as +100"
        raise refuse("budget", budget, f"must say how many more heats to run, with a plus; {way_out}")
    return Challenge(more, int(budget), None if around is None else check_around("around", around))


def challenge_champion(log: Log, counts: RunCounts | None, challenge: Challenge) -> Iterator[str]:
    """Let new candidates into a race, unless that is what goes on already; yield what to say about it."""
    if counts is None:
        raise InvalidArgument(f"{log.path} is not a race of programs; only these have a space to draw from.")
    if isinstance(log.origin, FunctionsOrigin):
        raise InvalidArgument(
            f"{log.path} is a race of Python functions, which has no space to draw from; run the program that began it "
            "again with more functions after the others, and a larger budget."
        )
    compile_own_solver(reload_scenario(log)[0])  # before anybody comes in
    is_under_way = is_made(log, challenge) and not _is_over(log, counts)
    new = () if is_under_way else make_challenge(log, challenge)
    if not new:
        yield f"these {challenge.more} new candidates are in the race of {log.path} already, which goes on."
        return
    scenario, _ = reload_scenario(log)
    left = log.machine.spec.budget - log.machine.spent
    near = sum(each.parent is not None for each in new)
    around = f", {near} of them around the best" if near else ""
    found, owed = count_things(len(new), "new candidate"), count_things(left, "heat")
    yield f"{found}{around}, {owed} to run. The journal is {log.path}"
    for surprise in list_surprises(log, scenario):
        yield f"warning: {surprise}"
    yield say_how_long(msgspec.structs.replace(scenario, stages=log.machine.stage_sizes[log.machine.round :]))


def _is_over(log: Log, counts: RunCounts) -> bool:
    """Whether a race has nothing left to do, its validation included."""
    if not log.is_over or not is_validation_owed(log, counts):
        return log.is_over
    held_out = reload_scenario(log)[0].held_out
    return find_open_request(log) is None and (held_out is None or make_request(log, held_out) is None)


def say_who_won(log: Log, winner: Entrant | None) -> str:
    """Say whether one of the new candidates has won."""
    new = () if log.extended is None else log.extended.added
    won = winner is not None and winner.arm >= len(log.candidates) - len(new)
    return f"{'one' if won else 'none'} of the {len(new)} new candidates has won."
