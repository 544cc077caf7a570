"""A look after every batch of adaptive play: the run ends once whoever would win is sure enough to be the best."""

from __future__ import annotations

from heats.base.checks import between
from heats.engine.adaptive import Adaptive
from heats.engine.machine import Machine
from heats.errors import InvalidArgument
from heats.running.outcomes import Keeper


def check_sure(sure: float | None, machine: Machine) -> float | None:
    """Return how sure to be, or refuse what is no chance worth stopping at, and machines that cannot stop."""
    if sure is None:
        return None
    if not isinstance(machine, Adaptive):
        raise InvalidArgument("{sure} needs adaptive play: nothing else can stop early.", sure=sure)
    why = "the chance that the winner is the best, as 0.95"
    return between("sure", sure, 0.5, 1, open_low=True, open_high=True, why=why)


def is_less_sure(machine: Machine, sure: float | None) -> bool:
    """Whether a run that was stopped was not as sure as is wanted now."""
    if machine.stopped is None or sure is None:
        return False
    return machine.stopped.chance is None or machine.stopped.chance < sure


class Lookout:
    """Looks between batches, once each, and stops the run; with ``sure=None`` never.

    Whether to stop depends on what was told and on nothing else, so it does not matter how many workers there are, or
    how often the run was interrupted.
    """

    def __init__(self, machine: Machine, keeper: Keeper, sure: float | None) -> None:
        self._machine = machine
        self._keeper = keeper
        self._sure = sure
        self._seen = 0  # batches that were over at the last look

    def look(self) -> None:
        """Stop the run if a batch is over, the next one has not begun, and the winner is sure enough."""
        machine = self._machine
        if self._sure is None or machine.round == self._seen or machine.done or machine.is_begun:
            return
        assert isinstance(machine, Adaptive)
        self._seen = machine.round
        if machine.is_reopened:  # it was just said to go on
            return
        chance = machine.find_chance()
        if chance is not None and chance >= self._sure:
            self._keeper.stop(chance)
