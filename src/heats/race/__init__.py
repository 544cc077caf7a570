"""Racing real programs. A heat is k command lines side by side on one instance; the first to finish wins.

processes     command lines → how each ended: what it printed, its times, and nothing left running
outcome       how a run ended → a verdict; the runs of a heat → feedback
scenario      a TOML file → everything decided: candidates, instances, plan, mode
heat          a scenario and a query → an order of command lines; an order → what came of it
workers       what programs are started from: an executor, this thread, or several
check         every candidate once, before any budget is spent
forecast      the runs of a check → how long a race will take
counts        the notes of heats → counts per candidate
board         a machine and counts → what a watcher sees
validation    winner and default on instances that the race never saw, beside each other
result        a journal and counts → what the programs did
run           a scenario → a whole race: machine, driver, journal
challengers   a race and its space → new candidates, to go on with
call          the program that a run of a Python function is
functions     Python functions → a race of them
"""
