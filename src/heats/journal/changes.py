"""A change that is written down → the run, changed: in the same way when it is made and when it is read."""

from __future__ import annotations

from heats.engine.machine import Machine
from heats.errors import OutOfTurn
from heats.journal.events import Added, Change, Closed, Extended, Redealt, Stopped, TakenBack, Voided


def apply_change(machine: Machine, change: Change) -> None:
    """Change a run as it says; what the machine refuses leaves it as it was."""
    match change:
        case Extended():
            machine.extend(change.pulls, len(change.added))
        case Added():
            if (arm := machine.n_arms) != change.arm:
                raise OutOfTurn(f"the arm added is {arm} here, not {change.arm}")
            machine.add()
        case Stopped():
            machine.stop(change.chance)
        case TakenBack():
            machine.take_back(change.id)
        case Closed():
            machine.give(list(change.owed), list(change.owed.values()))
            machine.close_stage(change.why)
        case Voided():
            machine.void(change.who)
        case Redealt():
            machine.redeal(change.rule)
            if machine.first_id != change.first:
                raise OutOfTurn(f"the first pull dealt anew is {machine.first_id} here, not {change.first}")
