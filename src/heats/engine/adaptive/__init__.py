"""Adaptive play: every batch of pulls takes the arms that look best by all that was told.

batches        a budget → how many pulls every batch has
outlook        what was told → how good every arm looks
dealing        how good arms look → the heats of a batch
winner_stays   the game
batch_machine  batches as they are dealt, or as a journal tells them → what is asked and told
machine        the machine that plays it, and that goes further
"""

from heats.engine.adaptive.batches import BATCHES
from heats.engine.adaptive.machine import Adaptive

__all__ = ["BATCHES", "Adaptive"]
