"""Adaptive play: every batch of pulls takes the arms that may well be the best, by the posterior of all pulls so far.

batches        a budget → how many pulls every batch has
priorities     the posterior → which arms to compare next
dealing        priorities → the heats of a batch
winner_stays   the game
batch_machine  batches as they are dealt, or as a journal tells them → what is asked and told
machine        the machine that plays it, and that goes further
"""

from heats.engine.adaptive.batches import BATCHES
from heats.engine.adaptive.machine import Adaptive

__all__ = ["BATCHES", "Adaptive"]
