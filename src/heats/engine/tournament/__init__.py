"""A plan, played.

early        when the pulls left of a heat can no longer change who stays
elimination  the game: deal → score → record → rank → keep
machine      the machine that plays it
"""

from heats.engine.tournament.machine import Tournament

__all__ = ["Tournament"]
