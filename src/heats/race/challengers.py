"""Champion and challengers: new candidates for a race that has begun, drawn from its space or around its best.

They are written into the journal with all their parameters, in one line with the heats they come with: that line is
there or not, and whoever goes on with the race needs to draw nothing again.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from heats.base.checks import whole
from heats.base.text import count_things
from heats.engine.adaptive import Adaptive
from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.errors import InvalidArgument
from heats.journal import Journal, Log
from heats.journal.fingerprint import Challenger, keep_challenger, take_fingerprints
from heats.race.run import reload_scenario, take_in_challengers
from heats.race.scenario import (
    MOST_CANDIDATES,
    Candidate,
    Scenario,
    check_around,
    count_parents,
    draw_more,
    replace_candidates,
)
from heats.race.scenario.drawing import Source


class Challenge(msgspec.Struct, frozen=True):
    """How many new candidates a race takes in, for how many more heats, and which share of them is near the best."""

    more: int
    pulls: int
    around: float | None = None  # as the scenario says


def is_made(log: Log, challenge: Challenge) -> bool:
    """Whether this is what a race was extended by last; how many are near the best counts only where it is said."""
    last = log.extended
    if last is None or (last.pulls, len(last.added)) != (challenge.pulls, challenge.more):
        return False
    near = sum(each.parent is not None for each in last.added)
    return challenge.around is None or near == round(challenge.around * challenge.more)


def make_challenge(log: Log, challenge: Challenge) -> tuple[Challenger, ...]:
    """Draw new candidates and write them into the journal of a race, or refuse and leave it as it is.

    Nobody comes in twice: if the journal turns out to have them, and the race goes on with them, there are none.
    """
    machine, spec = log.machine, log.machine.spec
    if not isinstance(machine, Adaptive) or not isinstance(spec, AdaptiveSpec):
        raise InvalidArgument(
            f"{log.path} is a race that was planned, which takes no new candidates: all its heats were decided before "
            "the first. Begin a new race, which plays adaptively unless told otherwise."
        )
    scenario, _ = reload_scenario(log)
    challengers = _draw(scenario, log, challenge)
    _check_room(machine, spec.heat_size, challenge, log)
    known = take_fingerprints(scenario.candidates, scenario.names, named=True)
    asked = Machine.from_spec(scenario.spec, seed=scenario.seed)
    with Journal(log.path, asked, candidates=known, log=log, to_change=True) as journal:
        journal.take()
        if len(log.candidates) > len(known):  # others came in until the file was ours
            if log.finished is None and is_made(log, challenge):
                return ()
            challengers = _draw(take_in_challengers(scenario, log), log, challenge)
        journal.extend(challenge.pulls, challengers)
    return challengers


def _find_source(scenario: Scenario, log: Log) -> Source:
    if scenario.source is None:
        raise InvalidArgument(
            f"{scenario.path} has no [space] to draw new candidates from; describe one, or list new candidates after "
            f"the others and go on with: heats extend {log.path} -B +100, then heats resume {log.path}"
        )
    return scenario.source


def _check_number(more: int, there: int) -> None:
    whole("more", more, 1, why="how many new candidates to draw")
    if there + more > MOST_CANDIDATES:
        raise InvalidArgument(
            f"{{more}} new candidates beside the {there} there are too many; a race takes up to {MOST_CANDIDATES}.",
            more=more,
        )


def _check_room(machine: Adaptive, size: int, challenge: Challenge, log: Log) -> None:
    """Refuse more candidates than the new heats have places, whatever is left of the others, or than can come in."""
    if challenge.more > challenge.pulls * size:
        needed = -(-challenge.more // size)
        raise InvalidArgument(
            f"{{more}} new candidates do not fit into +{challenge.pulls} heats of {size}; give them at least "
            "{budget}, better several times as many, or draw fewer.",
            more=challenge.more,
            budget=f"+{needed}",
        )
    if challenge.more > (room := machine.count_room(challenge.pulls)):
        raise InvalidArgument(
            f"{{more}} new candidates cannot come in now: {log.path} is within a batch of heats, after which there is "
            f"room for {room or 'none'}. Let it end first, with heats resume {log.path}, then do the same again.",
            more=challenge.more,
        )


def _draw(scenario: Scenario, log: Log, challenge: Challenge) -> tuple[Challenger, ...]:
    """Return new candidates with their names, and whose mutation each is, or refuse what cannot be drawn."""
    source, more = _find_source(scenario, log), challenge.more
    _check_number(more, len(scenario.candidates))
    around = source.around if challenge.around is None else check_around("around", challenge.around)
    leaders = _list_leaders(scenario, source, log)
    if round(around * more) and not leaders:
        raise InvalidArgument(
            "{around} draws new candidates around the best, but no heat was run yet that could say who is; go on with "
            f"the race first: heats resume {log.path}",
            around=around,
        )
    drawn = draw_more(source, more, around, [scenario.candidates[arm] for arm in leaders], scenario.candidates)
    new: tuple[Candidate, ...] = tuple(candidate for _, candidate in drawn)
    names = replace_candidates(scenario, (*scenario.candidates, *new), log.names).names[-more:]
    return tuple(
        keep_challenger(candidate, name, None if place is None else leaders[place])
        for (place, candidate), name in zip(drawn, names, strict=True)
    )


def _list_leaders(scenario: Scenario, source: Source, log: Log) -> list[int]:
    """Return the arms that new ones are drawn around: the first by the standings, of those that were in a heat."""
    raced = [row.arm for row in log.machine.standings().rows if row.pulls]
    return [arm for arm in raced if arm < len(scenario.candidates)][: count_parents(source.space)]


def list_surprises(log: Log, scenario: Scenario) -> Iterator[str]:
    """Yield what may surprise of a race that goes on: instances that come again."""
    machine, instances = log.machine, len(scenario.instances)
    used, left = machine.spent, machine.total - machine.spent
    if instances and used + left > instances:
        new = f"{instances - used} of the {instances}" if used < instances else f"none of the {instances}"
        yield f"{count_things(left, 'heat')} to run, new instances: {new}. Then all come again, in a new order."
