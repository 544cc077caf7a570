"""Solvers to race, and instances to race them on. Needs a C compiler and python-sat.

library     kernel.c → a shared library, compiled when it is first needed
kernel      the inner loop of SAPS, which is in C (kernel.c), as Python calls it
formula     clauses → flat arrays that a solver walks through
dimacs      .cnf files → formulas, and back
swgcp       a seed and a number → a small-world graph to colour → its formula
parameters  what can be tuned in SAPS
saps        a formula, parameters and a seed → a model, if one is found
command     what ``heats saps`` does: a file → lines and an exit code as solvers have them
"""
