"""A formula in conjunctive normal form: clauses as people write them, and the flat arrays a solver walks through."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from heats.base.checks import whole
from heats.errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from heats.sat.kernel import Formula

MOST_VARIABLES = 10_000_000  # more would not fit into memory, nor their literals into 32 bits


class Cnf:
    """Clauses over the variables 1..n_variables, without duplicate literals and without tautologies.

    Clauses are given as in DIMACS: lists of non-zero numbers, ``-3`` for "variable 3 is false". A formula does not
    change; what solvers need of it is worked out once, so that a thousand runs on it cost nothing extra.
    """

    def __init__(self, n_variables: int, clauses: Iterable[Iterable[int]]) -> None:
        self.n_variables = whole("n_variables", n_variables, 0, MOST_VARIABLES)
        self._row: array[int] | None = None
        self.clauses = tuple(self._clean(clauses))

    @classmethod
    def from_row(cls, n_variables: int, row: array[int]) -> Cnf:
        """Return the formula of a row of literals known to be those of n_variables, each clause ended by 0."""
        cnf = cls(n_variables, ())
        del cnf.clauses  # until somebody asks for them
        cnf._row = row
        return cnf

    def __repr__(self) -> str:
        return f"Cnf({self.n_variables} variables, {len(self.clauses)} clauses)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cnf) and (self.n_variables, self.clauses) == (other.n_variables, other.clauses)

    def __hash__(self) -> int:
        return hash((self.n_variables, self.clauses))

    def __reduce__(self) -> tuple[type[Cnf], tuple[int, tuple[tuple[int, ...], ...]]]:
        return Cnf, (self.n_variables, self.clauses)  # without the arrays, which belong to a process

    def _clean(self, clauses: Iterable[Iterable[int]]) -> Iterable[tuple[int, ...]]:
        for clause in clauses:
            literals = tuple(dict.fromkeys(clause))
            for literal in literals:
                if not literal or abs(literal) > self.n_variables:
                    raise InvalidArgument(f"literal {literal} is none of ±1..±{self.n_variables}; raise n_variables.")
            if len({abs(literal) for literal in literals}) == len(literals):  # else x or not x: always true
                yield literals

    @cached_property
    def clauses(self) -> tuple[tuple[int, ...], ...]:
        """Literals by clause, as in DIMACS."""
        return tuple(self._clean(_split_row(self._row or ())))

    @cached_property
    def arrays(self) -> Formula:
        """The clauses as flat arrays."""
        from heats.sat import kernel

        found = None if self._row is None else kernel.index_formula(self.n_variables, self._row)
        if found is None:  # made of clauses, or a row that has to be cleaned
            clean = array("i", [literal for clause in self.clauses for literal in (*clause, 0)])
            found = kernel.index_formula(self.n_variables, clean)
        assert found is not None
        return found

    def is_model(self, assignment: ArrayLike) -> bool:
        """Whether every clause has a true literal, given a truth value per variable."""
        import numpy as np

        values = np.asarray(assignment, dtype=bool)
        if values.shape != (self.n_variables,):
            raise InvalidArgument(
                f"an assignment of {self.n_variables} variables has as many values, not {values.shape}."
            )
        true = {variable if value else -variable for variable, value in enumerate(values.tolist(), 1)}
        return not any(true.isdisjoint(clause) for clause in self.clauses)


def _split_row(row: Iterable[int]) -> Iterable[list[int]]:
    clause: list[int] = []
    for literal in row:
        if literal:
            clause.append(literal)
        else:
            yield clause
            clause = []
