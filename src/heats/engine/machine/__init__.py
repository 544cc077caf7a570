"""The one face of all algorithms: a game of one repetition, asked and told.

answerers  who answered which pull, and whose answers are void
stages     stages under way and over, and what their pulls said
queries    pulls as they are handed out, and what they said, read back
asking     a game of one repetition, asked and told
machine    the face; answers taken back, rounds closed, somebody's answers void
"""

from heats.engine.machine.asking import READY_QUERIES
from heats.engine.machine.machine import Machine
from heats.engine.machine.queries import Query

__all__ = ["READY_QUERIES", "Machine", "Query"]
