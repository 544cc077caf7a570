"""Beyond the paper: the planned strategy beside its algorithms, and adaptive play beside planned.

grid      which cells of the synthetic worlds are played
budgets   the smallest budget for 90 % success, by bisection
regrets   tournaments on recorded tables: how good is the arm found?
lasting   a consistent world, in which strengths are the same in any company
duels     a problem → how well adaptive play and planned do
fights    duels → outcomes on all cores; what is finished is kept in a CSV, and a run goes on from there
averages  results and regrets → means by algorithm
figures   all of these → figures
adaptive  outcomes of duels → a section of the page: family by family, and wherever adaptive play is behind
page      all of these → beyond.md: where planned is ahead, and where not
"""
