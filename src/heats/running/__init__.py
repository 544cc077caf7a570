"""Making the comparisons: here, in threads, processes, an event loop or on a cluster, whatever happens to them.

candidates    what is chosen among → a fixed order, and names
waits         a comparison that failed → how long to wait before it is made again, and the pulls that wait
calls         pulls → what a worker does, in a row, each with its own outcome and time
outcomes      what came back → told, noted, tried again, or the end of the run
aside         a plain function that may block → something to await, in a thread
comparison    the user's ``compare`` → a task for every pull
lookout       a batch is over → whether the winner is sure enough to stop
driver        a machine + a task + an executor → all pulls made
progress      a machine → a live bar
strategies    what is said about how to play → the strategy that is played, and the machine of adaptive play
found         what a run found, as values, text, JSON, tables and pages
preparing     what is said in one call → a machine, a task and a journal, all checked
batches       what is prepared + somebody who makes many calls at once → all pulls made, batch by batch
async_driver  what is prepared + an event loop → all pulls made, several awaited at once
find_best     candidates + compare → the best of them, awaited or not
"""
