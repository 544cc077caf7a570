"""Section 6 of the paper: which of 20 parameterizations of the solver SAPS is the fastest.

runs_table   20 parameterizations × 2000 instances → steps of every run; race-table.npz comes with heats
race         a table of runs → tournaments on it: how often the fastest is found, and what that takes
equal        the same over one grid of processor times, with Successive Halving and adaptive play
figure       races → success and runtime over budget, and over processor time
checks       races → whether a claim holds
claims       every sentence that claims something, with its check
equal_page   success over processor times → a table, and what holds
page         claims → the section of claims.md
live         the same races for real, on fresh instances
live_report  real races → a table beside the recorded ones, and their CSV
"""
