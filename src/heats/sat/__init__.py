"""Solvers to race, and instances to race them on. Needs the extra: ``pip install 'heats[sat]'``.

``formula`` (clauses as flat arrays), ``dimacs`` (files), ``swgcp`` (small-world colouring instances), ``parameters``,
``kernel`` and ``saps`` (the solver: what can be tuned, its inner loop, and how it is called), ``command`` (the solver
as a program).
"""
