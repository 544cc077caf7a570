"""Worlds to simulate in. All speak one protocol: ``sample(heats, pulls, rng)``; what is known of them is said.

``Gaussian`` (the paper's family), ``Normal``, ``PlackettLuce``; ``ScoreTable``, ``RuntimeTable``, ``Rankings``
(recorded); ``Sequences`` (fixed); ``Winners`` (of any rewards only the winner is seen); ``read`` (files of the field).
"""

from heats.engine.feedback import Kind
from heats.environments.choice import PlackettLuce
from heats.environments.gaussian import Gaussian, Normal
from heats.environments.protocol import Environment, Winners, play
from heats.environments.readers import read
from heats.environments.recorded import Rankings, RuntimeTable, ScoreTable, Sequences

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
