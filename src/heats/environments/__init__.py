"""Worlds to simulate in. All speak one protocol: ``sample(heats, pulls, rng)``; what is known of them is said.

protocol   what a world must say; machine + world → the machine, played to its end
arguments  arrays and names from outside → checked ones
gaussian   ``Gaussian`` (the paper's family), ``Normal``
choice     ``PlackettLuce``: utilities → who is chosen
winners    ``Winners``, ``Orders``: of any rewards only who won, or who was ahead of whom, is seen
tables     recorded rows: ``ScoreTable``, ``RuntimeTable``, ``Rankings``
sequences  ``Sequences``: nothing is random
files      files of the field → worlds: ``read``
"""

from heats.engine.feedback import Kind
from heats.environments.choice import PlackettLuce
from heats.environments.files.dispatch import read
from heats.environments.gaussian import Gaussian, Normal
from heats.environments.protocol import Environment, play
from heats.environments.sequences import Sequences
from heats.environments.tables import Rankings, RuntimeTable, ScoreTable
from heats.environments.winners import Orders, Winners

__all__ = [
    "Environment",
    "Gaussian",
    "Kind",
    "Normal",
    "Orders",
    "PlackettLuce",
    "Rankings",
    "RuntimeTable",
    "ScoreTable",
    "Sequences",
    "Winners",
    "play",
    "read",
]
