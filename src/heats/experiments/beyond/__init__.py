"""Beyond the paper: the planned strategy beside its algorithms.

grid      which cells of the synthetic worlds are played
budgets   the smallest budget for 90 % success, by bisection
regrets   tournaments on recorded tables: how good is the arm found?
averages  results and regrets → means by algorithm
figures   all of these → figures
page      all of these → beyond.md: where planned is ahead, and where not
"""
