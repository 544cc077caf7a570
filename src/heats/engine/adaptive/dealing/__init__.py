"""Priorities → the heats of a batch.

keys     what orders arms → one whole number
repeats  how often a set of arms may be dealt
laps     arms of which nothing is known → the heats of the first batch
pending  how a comparison counts that is not answered yet
many     priorities → the heats of a batch, for many runs at once
one      the same for one run, with heaps
"""
