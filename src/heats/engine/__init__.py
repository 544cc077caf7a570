"""The game itself, pure: no I/O, clock, threads or global randomness.

feedback    what one pull says → an observation per arm
statistics  observations of an arm → a score: mean, median, win_rate, …
scoring     pulls of heats → scores, whatever the feedback, verdicts missing or not
belief      all that was told → one posterior: which arm is the best, and what kind of world it is
evidence    all that was told: stage by stage, as a table, as records of arms
specs       an algorithm as data
standings   all that was told → strengths, chances, one row per arm
game        what an algorithm is, for many repetitions at once
sets        random sets of arms
report      what was found, and how sure that is
machine     the one face of all algorithms: a game of one repetition, asked and told
tournament  a plan, played
baselines   RoundRobin and SuccessiveHalving
adaptive    every batch takes the arms that look best
kinds       all machines, known by their specs
"""
