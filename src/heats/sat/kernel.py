"""``kernel.c`` as Python calls it: a formula as flat arrays, the state of a run, and what is done with them.

Everything is held by Python, in arrays of ``ctypes``: NumPy alone takes longer to import than many a run lasts.
"""

from __future__ import annotations

import ctypes
from array import array
from ctypes import POINTER, c_double, c_int32, c_int64, c_uint8, c_uint64
from typing import Any

from heats.sat.library import load_library


class Use(ctypes.Structure):
    """A clause that a literal stands in, and its other literal if it has two, else -1."""

    _fields_ = (("clause", c_int32), ("other", c_int32))


class Formula(ctypes.Structure):
    """Literals by clause and clauses by literal; literal ``2v`` says that variable v is true, ``2v + 1`` that not.

    Clause c has ``literals[starts[c]:starts[c + 1]]``, literal l stands in those of ``uses[firsts[l]:firsts[l + 1]]``.
    """

    _fields_ = (
        ("n_variables", c_int32),
        ("n_clauses", c_int32),
        ("n_empty", c_int32),
        ("starts", POINTER(c_int32)),
        ("literals", POINTER(c_int32)),
        ("firsts", POINTER(c_int32)),
        ("uses", POINTER(Use)),
    )
    n_variables: int
    n_clauses: int
    n_empty: int  # clauses without a literal, which nothing satisfies


class Variable(ctypes.Structure):
    """What is known of a variable."""

    _fields_ = (("score", c_double), ("makes", c_int32), ("breaks", c_int32), ("place", c_int32))


class Count(ctypes.Structure):
    """What is known of a clause that has not two literals."""

    _fields_ = (("true_literals", c_int32), ("keeper", c_int32))


class State(ctypes.Structure):
    """Where a run stands; what is what, ``kernel.c`` says."""

    _fields_ = (
        ("truth", POINTER(c_uint8)),
        ("variables", POINTER(Variable)),
        ("open", POINTER(c_int32)),
        ("ties", POINTER(c_int32)),
        ("weights", POINTER(c_double)),
        ("counts", POINTER(Count)),
        ("unsatisfied", POINTER(c_int32)),
        ("places", POINTER(c_int32)),
        ("n_unsatisfied", c_int64),
        ("n_open", c_int64),
        ("flips", c_int64),
        ("null_steps", c_int64),
        ("total", c_double),
        ("random", c_uint64),
    )
    truth: Any
    n_unsatisfied: int
    flips: int
    null_steps: int


_LIBRARY = load_library()
_LIBRARY.index_formula.argtypes = (POINTER(Formula), ctypes.c_void_p, c_int64, POINTER(c_int32))
_LIBRARY.start_search.argtypes = (POINTER(Formula), POINTER(State))
_LIBRARY.start_search.restype = None
_LIBRARY.search.argtypes = (POINTER(Formula), POINTER(State), *[c_double] * 4, c_int32, c_int64)
_LIBRARY.search.restype = None
_LIBRARY.count_unsatisfied.argtypes = (POINTER(Formula), POINTER(State))


def index_formula(n_variables: int, row: array[int]) -> Formula | None:
    """Index the clauses of a row of literals, each ended by 0; None if a variable stands twice in one of them."""
    n_clauses = row.count(0)
    n_literals = len(row) - n_clauses
    formula = Formula(
        n_variables,
        n_clauses,
        0,
        (c_int32 * (n_clauses + 1))(),
        (c_int32 * (n_literals + 1))(),
        (c_int32 * (2 * n_variables + 3))(),
        (Use * (n_literals + 1))(),
    )
    seen = (c_int32 * (n_variables + 1))()
    return formula if _LIBRARY.index_formula(formula, row.buffer_info()[0], len(row), seen) else None


def start_search(formula: Formula, random: int) -> State:
    """Set every variable to true or false with equal chances, and count."""
    n, m = formula.n_variables + 1, formula.n_clauses + 1  # none of them empty
    state = State(
        (c_uint8 * (2 * n))(),
        (Variable * n)(),
        (c_int32 * n)(),
        (c_int32 * (n + 1))(),  # the list of ties is written to one place beyond its end
        (c_double * m)(),
        (Count * m)(),
        (c_int32 * m)(),
        (c_int32 * m)(),
        random=random,
    )
    _LIBRARY.start_search(formula, state)
    return state


def search(
    formula: Formula, state: State, alpha: float, rho: float, ps: float, wp: float, convex: bool, steps: int
) -> None:
    """Take up to that many steps, until no clause is unsatisfied. Other threads run on meanwhile."""
    _LIBRARY.search(formula, state, alpha, rho, ps, wp, convex, steps)


def count_unsatisfied(formula: Formula, state: State) -> int:
    """Count the unsatisfied clauses again, by nothing but the formula and the truth of its literals."""
    found: int = _LIBRARY.count_unsatisfied(formula, state)
    return found
