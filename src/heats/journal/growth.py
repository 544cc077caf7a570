"""What is asked for beyond a run → the changes that it takes: more pulls, more candidates, another rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.errors import InvalidArgument
from heats.journal.changes import apply_change
from heats.journal.events import Added, Change, Extended, Header, Redealt, now
from heats.journal.fingerprint import Candidate, Challenger
from heats.journal.reader import Log


def grow(log: Log, asked: Header) -> list[Change]:
    """Extend the run of a log and add to it up to what is asked for; return what is to be written of that."""
    changes = []
    try:
        for change in _find_growth(log, asked):
            apply_change(log.machine, change)
            changes.append(change)
    except InvalidArgument as error:
        raise type(error)(f"{log.path}: {error.message}", **error.arguments) from None
    return changes


def _find_growth(log: Log, asked: Header) -> Iterator[Change]:
    """Yield what is asked for beyond the run; each is made before the next is found."""
    machine, spec = log.machine, log.machine.spec
    if not isinstance(spec, AdaptiveSpec) or not isinstance(asked.machine, AdaptiveSpec):
        return
    new, pulls = asked.candidates[spec.n_arms :], max(0, asked.machine.budget - spec.budget)
    if pulls or (new and machine.stopped is not None):  # who is new gets what a stop saved
        yield make_extension(machine, pulls)
    taken = set(log.names)
    for arm, candidate in enumerate(new, spec.n_arms):
        if candidate.name in taken and candidate.fingerprint == ("", candidate.name):
            raise InvalidArgument(
                f"a candidate before candidate #{arm} is called {candidate.name!r}, too, and the name is all that "
                "it is known by; call it something else."
            )
        name = find_free_name(candidate.name, arm, taken)
        taken.add(name)
        yield make_addition(machine, msgspec.structs.replace(candidate, name=name))


def make_extension(machine: Machine, pulls: int, challengers: tuple[Challenger, ...] = ()) -> Extended:
    """Return the change that gives a run so many more pulls, and takes new arms in."""
    return Extended(pulls, now(), machine.is_begun, challengers)


def make_addition(machine: Machine, candidate: Candidate) -> Added:
    """Return the change that takes one more arm in."""
    return Added(machine.n_arms, candidate, now(), machine.is_begun)


def redeal(machine: Machine) -> list[Change]:
    """Deal by the rule of this version from here on, where another one dealt; return what is to be written of that."""
    if not machine.must_redeal:
        return []
    rule = machine.redeal()
    return [Redealt(rule, machine.first_id, now())]


def find_free_name(name: str, arm: int, taken: Collection[str]) -> str:
    """Return the name, with the number of the arm as often as it takes for nobody else to be called so."""
    while name in taken:
        name = f"{name} #{arm}"
    return name
