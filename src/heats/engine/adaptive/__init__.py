"""Adaptive play: every batch of pulls takes the arms that look best by all that was told.

batches       a budget → how many pulls every batch has
gains         what a pull says of its arms if company decides
heard         all that many runs were told so far
sets          pulls → the sets of arms that they were of
rewards       rewards → sums set by set, and how likely what is left of them is
choices       pulls → choices of the first; and the strengths that explain them
company       what pulls say if company decides: every set of arms has strengths of its own
lasting       what pulls say if strengths last: an arm has the same in all company
pairs         the same of rankings: who was ahead of whom
effects       the same of rewards: effects of arms, the luck of the pull, and noise
meetings      rewards → whether the best is behind another whenever the two meet
outlook       both, weighed by what was told → how good every arm looks
repeats       how often a set of arms may be dealt
keys          what orders arms → one whole number
laps          arms of which nothing is known → the heats of the first batch
dealing       how good arms look → the heats of a batch
line          the same for one run, with heaps
winner_stays  the game
machine       the machine that plays it
"""

from heats.engine.adaptive.batches import BATCHES
from heats.engine.adaptive.machine import Adaptive

__all__ = ["BATCHES", "Adaptive"]
