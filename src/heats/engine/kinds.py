"""All kinds of machines: once they are imported, ``Machine.from_spec`` knows which one a spec is of."""

from heats.engine.adaptive import Adaptive
from heats.engine.baselines import RoundRobin, SuccessiveHalving
from heats.engine.machine import Machine
from heats.engine.tournament import Tournament

__all__ = ["Adaptive", "Machine", "RoundRobin", "SuccessiveHalving", "Tournament"]
