"""How sharply strengths are known: a matrix, and what is asked of it, in the way that suits its size."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from heats.base.arrays import Array, Matrix

MOST_TOGETHER = 1000  # arms whose matrix is taken apart, and that are drawn together


class Precision:
    """A matrix diag(d) − RᵀR that says how sharply strengths are known, taken apart where that is cheap."""

    def __init__(self, diagonal: Array, rows: Matrix) -> None:
        self.diagonal = diagonal
        self._rows = rows

    @cached_property
    def deviations(self) -> Array:
        """What each strength alone is known to, all others taken as known."""
        squares = self._rows**2 if isinstance(self._rows, np.ndarray) else self._rows.power(2)
        deviations: Array = 1 / np.sqrt(self.diagonal - np.asarray(squares.sum(axis=0)).ravel())
        return deviations

    @cached_property
    def factor(self) -> Array:
        """Lower triangular L with LLᵀ the matrix."""
        from scipy.linalg import cholesky

        squares = self._rows.T @ self._rows
        matrix = -(squares if isinstance(squares, np.ndarray) else squares.toarray())
        matrix[np.diag_indices(len(matrix))] += self.diagonal
        lower: Array = cholesky(matrix, lower=True)
        return lower

    @property
    def log_determinant(self) -> float:
        """Logarithm of the determinant."""
        return 2 * float(np.log(np.diag(self.factor)).sum())

    @property
    def is_small(self) -> bool:
        """Whether all arms may be taken together: then the matrix is worth being taken apart."""
        return self.diagonal.size <= MOST_TOGETHER

    def solve(self, vector: Array) -> Array:
        """Return the matrix's inverse times a vector."""
        if self.is_small:
            from scipy.linalg import cho_solve

            solved: Array = cho_solve((self.factor, True), vector)
            return solved
        from scipy.sparse.linalg import LinearOperator, cg

        n = self.diagonal.size
        rows = self._rows
        matrix = LinearOperator((n, n), lambda v: self.diagonal * v - rows.T @ (rows @ v), dtype=np.float64)
        nearly = LinearOperator((n, n), lambda v: self.deviations**2 * v, dtype=np.float64)
        near: Array = cg(matrix, vector, rtol=1e-10, maxiter=500, M=nearly)[0]
        return near

    def find_scale(self) -> Array:
        """Return W with WWᵀ the inverse of the matrix: W times standard normal numbers has it as its covariance."""
        from scipy.linalg import solve_triangular

        scale: Array = solve_triangular(self.factor, np.eye(self.diagonal.size), lower=True).T
        return scale
