"""Racing real programs. A heat is k command lines side by side on one instance; the first to finish wins.

In the order of the data flow:

scenario   a TOML file, checked, with the flags that override it
space      the values candidates are sampled from; ConfigSpace JSON and .pcs files
command    placeholders, and the command lines they become
field      a scenario's candidates and instances
outcome    what counts as finishing, and what a heat says
guardian   a small process of its own that starts commands and ends all they started
lane       our end of a guardian
heat       a pull as an order of command lines, and how it is run
board      what a watcher sees
"""
