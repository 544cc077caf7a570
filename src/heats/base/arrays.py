"""The shapes of data that every room shares."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]  # of arms, heats or pulls
Mask: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]  # random bits
Order: TypeAlias = NDArray[np.intp]  # positions, as argsort returns them
AnyArray: TypeAlias = NDArray[Any]
Matrix: TypeAlias = Any  # dense, or of SciPy's sparse ones: what both can do

MOST_DENSE = 100_000  # entries of a matrix that is not worth being sparse


def make_matrix(values: Array, rows: Indices, columns: Indices, shape: tuple[int, int]) -> Matrix:
    """Return a matrix with these entries, 0 elsewhere; entries of one place add up."""
    if shape[0] * shape[1] <= MOST_DENSE:
        filled = np.bincount(rows * shape[1] + columns, weights=values, minlength=shape[0] * shape[1])
        return filled.astype(np.float64).reshape(shape)  # of no entries at all it counts in whole numbers
    from scipy.sparse import csr_matrix

    return csr_matrix((values, (rows, columns)), shape=shape)
