"""A formula in conjunctive normal form, kept as the flat arrays a solver walks through."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heats.base.checks import whole
from heats.errors import InvalidArgument

Ints: TypeAlias = NDArray[np.int32]


class Arrays(NamedTuple):
    """Literals by clause and clauses by literal; literal ``2v`` says that variable v is true, ``2v + 1`` that not.

    Clause c has ``literals[starts[c]:starts[c + 1]]``, literal l stands in ``clauses[uses[l]:uses[l + 1]]``.
    """

    starts: Ints
    literals: Ints
    uses: Ints
    clauses: Ints


class Cnf:
    """Clauses over the variables 1..n_variables, without duplicate literals and without tautologies.

    Clauses are given as in DIMACS: lists of non-zero numbers, ``-3`` for "variable 3 is false". A formula does not
    change; what solvers need of it is worked out once, so that a thousand runs on it cost nothing extra.
    """

    def __init__(self, n_variables: int, clauses: Iterable[Iterable[int]]) -> None:
        self.n_variables = whole("n_variables", n_variables, 0, 2**30)
        self.clauses = tuple(self._cleaned(clauses))
        self.has_empty_clause = () in self.clauses

    def __repr__(self) -> str:
        return f"Cnf({self.n_variables} variables, {len(self.clauses)} clauses)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cnf) and (self.n_variables, self.clauses) == (other.n_variables, other.clauses)

    def __hash__(self) -> int:
        return hash((self.n_variables, self.clauses))

    def _cleaned(self, clauses: Iterable[Iterable[int]]) -> Iterable[tuple[int, ...]]:
        for clause in clauses:
            literals = tuple(dict.fromkeys(clause))
            for literal in literals:
                if not literal or abs(literal) > self.n_variables:
                    raise InvalidArgument(f"literal {literal} is none of ±1..±{self.n_variables}; raise n_variables.")
            if len({abs(literal) for literal in literals}) == len(literals):  # else x or not x: always true
                yield literals

    @cached_property
    def arrays(self) -> Arrays:
        """The clauses as flat arrays that nobody can write to."""
        sizes = np.array([len(clause) for clause in self.clauses], dtype=np.int32)
        signed = np.array([literal for clause in self.clauses for literal in clause], dtype=np.int32)
        literals = (2 * (np.abs(signed) - 1) + (signed < 0)).astype(np.int32)
        by_literal = np.argsort(literals, kind="stable")
        clauses = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)[by_literal]
        counts = np.bincount(literals, minlength=2 * self.n_variables)
        found = Arrays(_ends(sizes), literals, _ends(counts), clauses)
        for array in found:
            array.flags.writeable = False
        return found

    def is_model(self, assignment: ArrayLike) -> bool:
        """Whether every clause has a true literal, given a truth value per variable."""
        values = np.asarray(assignment, dtype=bool)
        if values.shape != (self.n_variables,):
            raise InvalidArgument(
                f"an assignment of {self.n_variables} variables has as many values, not {values.shape}."
            )
        if self.has_empty_clause or not self.clauses:
            return not self.has_empty_clause
        starts, literals, _, _ = self.arrays
        true = values[literals >> 1] != (literals & 1)
        return bool(np.logical_or.reduceat(true, starts[:-1]).all())


def _ends(sizes: NDArray[np.int32] | NDArray[np.intp]) -> Ints:
    """Return where each of consecutive pieces starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
