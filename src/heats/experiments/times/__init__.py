"""Whether a race that looks at times, not only at who won, finds the smallest mean time more often.

raced      a table of times → heats raced on it: who was first, when, and how long the others ran at least
lognormal  heats → how good every arm looks, if log-times have an effect of the arm and one of the pull
estimates  the same by wins, by rates, by survival: all the ways to look
study      tables → how often each way finds the smallest mean, on all cores; what is finished is kept in a CSV
page       results → times.md: where times help, and where not
"""
