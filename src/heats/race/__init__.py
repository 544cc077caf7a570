"""Racing real programs. A heat is k command lines side by side on one instance; the first to finish wins.

In the order of the data flow:

space         the values candidates are sampled from; ConfigSpace's JSON and .pcs files
command       placeholders, and the command lines they become
field         a scenario's candidates and instances
guardian      a small process of its own that starts commands and ends all they started
lane          our end of a guardian
outcome       what counts as finishing, and what the runs of a heat say together
form          a scenario as written in TOML, typed
scenario      the same with everything decided: candidates, instances, plan, mode
heat          a pull as an order of command lines, and how it is run
tryout        every candidate once, before any budget is spent
tally, board  what was counted so far, and what a watcher sees of it
result        what a race found
run           a whole race: tournament, driver, journal
starter       a race to begin with
command_line  what ``heats race`` does with all this
"""
