"""What every room needs and nobody would call heats: shared types, checks of arguments, randomness, text, intervals.

arrays      the shapes of data that rooms share
checks      arguments from outside → checked values, or one clear sentence
seeds       a user's seed → 64 bits, in plain Python
randomness  seed + purpose + place → random bits, the same on every machine
text        somebody else's names, values and errors as text; tables
naming      tables of parameters → names and columns, as short as tells them apart
frames      columns → a frame of pandas or polars
markup      texts and tables → HTML, escaped
extras      what an extra would install and is not there → why, and how to install it
plots       values with intervals → a picture
files       files somebody names → what they hold, if they are regular files of a size that makes sense
toml        scenarios people write → typed tables, or what is wrong in which line
startup     whether this process is the command heats, which imports nothing from the current folder
interrupts  Ctrl-C → an end with exit code 130, also while a command is still being loaded
intervals   how far a share or a mean may be off
times       seconds → what people say
threads     linear algebra in one thread
worker      the name of this thread, process and machine; whether a process is running
python      another Python → the options and the path that this one has
helper      the file that a helper process runs: jobs → their results
helpers     jobs of ours → processes that import heats, and nothing from the current folder
version     which heats this is
"""
