"""Whether adaptive play that stops once it is sure is as often right as that, and how much of its budget it saves.

runs     a world and the number of a run → whether it stopped, whether that was right, what was saved
results  worlds → what came of their runs; what is finished is kept in a CSV, and a run goes on from there
page     results → sure.md: family by family, and world by world
"""
