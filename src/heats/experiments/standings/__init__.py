"""Whether the chance that standings state for the winner is the share of runs in which it is the best.

worlds     which worlds are played in: consistent ones, the paper's family, and others
runs       a world and the number of a run → the chance stated for the winner, and whether it was right
parts      worlds → what came of their runs, which are played in parts on all cores
bins       runs of a world → bins by the chance stated, each with a verdict
results    worlds → their bins; what is finished is kept in a CSV, and a run goes on from there
figure     bins → chance stated against share right
page       bins → standings.md: where the chance is right, and where it is not
"""
