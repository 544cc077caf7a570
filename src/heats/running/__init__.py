"""Making the comparisons: here, in threads, processes or on a cluster, whatever happens to them.

candidates  what is chosen among → a fixed order, and names
calls       pulls → what a worker does, in a row, each with its own outcome and time
outcomes    what came back → told, noted, tried again, or the end of the run
comparison  the user's ``compare`` → a task for every pull
lookout     a batch is over → whether the winner is sure enough to stop
driver      a machine + a task + an executor → all pulls made
progress    a machine → a live bar
strategies  what is said about how to play → the strategy that is played, and the machine of adaptive play
find_best   candidates + compare → the best of them
"""
