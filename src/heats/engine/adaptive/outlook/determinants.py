"""Matrices of arms that choices or rewards tie together → the logarithms of their determinants, run by run.

H = diag − Σ over columns of r r', where r are the roots that a column gives its arms: what two arms of a column take
from each other is the product of theirs. Of more than ``MOST_TOGETHER`` arms those with the smallest diagonal, which
were pulled least, are taken for independent.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.adaptive.outlook.heard import add_up

MOST_TOGETHER = 300  # arms
MOST_ENTRIES = 200_000  # of the matrices of runs that are looked at together: they fit into a cache
LARGE_COLUMN = 32  # arms: from there on a product of matrices is faster than pair by pair, and takes less memory


def log_determinant(diagonal: Array, arms: Indices, runs: Indices, roots: Array) -> Array:
    """Return log |H| of every run; its diagonal is ``(reps, n_arms)`` and has what columns add to it already.

    Columns ``(size, columns)`` of ``arms`` and ``roots`` are of the runs ``(columns,)``, which increase.
    """
    together = max(1, MOST_ENTRIES // min(diagonal.shape[1], MOST_TOGETHER) ** 2)
    starts = range(0, len(diagonal), together)
    found = []
    for start, cut in zip(starts, pairwise([*np.searchsorted(runs, starts).tolist(), runs.size]), strict=True):
        some, theirs = slice(start, start + together), slice(*cut)
        found.append(_take_together(diagonal[some], arms[:, theirs], runs[theirs] - start, roots[:, theirs]))
    return np.concatenate(found)


def _take_together(diagonal: Array, arms: Indices, runs: Indices, roots: Array) -> Array:
    """Return the same of runs whose matrices fit into a cache."""
    reps, n_arms = diagonal.shape
    front = min(n_arms, MOST_TOGETHER)
    alone = np.zeros(reps)
    if front < n_arms:
        order = np.argsort(-diagonal, axis=1, kind="stable")
        arms = np.argsort(order, axis=1)[runs, arms]
        diagonal = np.take_along_axis(diagonal, order, axis=1)
        alone = np.log(diagonal[:, front:]).sum(axis=1)
        roots = roots * (arms < front)
        arms = np.minimum(arms, front - 1)
    multiply = _multiply_pairs if len(arms) < LARGE_COLUMN else _multiply_columns
    matrices = -multiply(arms, runs, roots, reps, front)
    matrices[:, np.arange(front), np.arange(front)] = diagonal[:, :front]
    return _log_determinants(matrices) + alone


def _multiply_pairs(arms: Indices, runs: Indices, roots: Array, reps: int, front: int) -> Array:
    """Return Σ r r' below the diagonal, pair by pair."""
    one, other = np.triu_indices(len(arms), 1)
    low, high = np.minimum(arms[one], arms[other]), np.maximum(arms[one], arms[other])
    products = add_up((runs * front + high) * front + low, roots[one] * roots[other], (reps * front, front))
    return products.reshape(reps, front, front)


def _multiply_columns(arms: Indices, runs: Indices, roots: Array, reps: int, front: int) -> Array:
    """Return the same by products of matrices, run by run."""
    rows = add_up(arms + np.arange(runs.size) * front, roots, (runs.size, front))
    cuts = np.searchsorted(runs, np.arange(reps + 1)).tolist()
    return np.stack([np.tril(rows[start:end].T @ rows[start:end], -1) for start, end in pairwise(cuts)])


def _log_determinants(below: Array) -> Array:
    """Return log |H| of symmetric matrices, of which nothing is above the diagonal."""
    try:
        roots = np.linalg.cholesky(below)
        found: Array = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    except np.linalg.LinAlgError:  # arms are so far apart that rounding spoils a matrix
        found = np.linalg.slogdet(below + np.tril(below, -1).swapaxes(1, 2))[1]
    return found
