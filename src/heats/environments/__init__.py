"""Worlds to simulate in. All speak one protocol: ``sample(heats, pulls, rng)``; what is known of them is said.

protocol   what a world must say; machine + world → the machine, played to its end
arguments  arrays and names from outside → checked ones
gaussian   ``Gaussian`` (the paper's family), ``Normal``
choice     ``PlackettLuce``: utilities → who is chosen
tables     recorded rows: ``ScoreTable``, ``RuntimeTable``, ``Rankings``
sequences  ``Sequences``: nothing is random
winners    ``Winners``: of any rewards only the winner is seen
files      files of the field → worlds: ``read``
"""

from heats.engine.feedback import Kind
from heats.environments.choice import PlackettLuce
from heats.environments.files.dispatch import read
from heats.environments.gaussian import Gaussian, Normal
from heats.environments.protocol import Environment, play
from heats.environments.sequences import Sequences
from heats.environments.tables import Rankings, RuntimeTable, ScoreTable
from heats.environments.winners import Winners

__all__ = [
    "Environment",
    "Gaussian",
    "Kind",
    "Normal",
    "PlackettLuce",
    "Rankings",
    "RuntimeTable",
    "ScoreTable",
    "Sequences",
    "Winners",
    "play",
    "read",
]
