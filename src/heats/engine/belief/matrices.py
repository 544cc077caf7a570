"""Precision matrices H = diag(d) − Σ over columns of r r', run by run → determinants and covariances.

A column has the arms of a set and their roots r: what one arm's precision loses to another is the product of theirs.
Up to ``MOST_TOGETHER`` arms are treated together; of more, those with the smallest diagonal are taken as independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.belief.data import add_up
from heats.engine.belief.settings import MOST_ENTRIES, MOST_TOGETHER

LARGE_SET = 32  # arms: from there on a product of matrices is faster than pair by pair, and takes less memory
LEAST_EIGENVALUE = 1e-14  # of the largest one: below is rounding


class Roots(NamedTuple):
    """Columns of sets of one size."""

    arms: Indices  # (size, columns)
    runs: Indices  # (columns,), increasing
    roots: Array  # (size, columns)

    def take(self, place: Indices) -> Roots:
        """Return the columns of runs that have a place among those that are kept; others have -1."""
        kept: Indices = np.flatnonzero(place[self.runs] >= 0)
        return Roots(self.arms.take(kept, axis=1), place[self.runs[kept]], self.roots.take(kept, axis=1))


def find_log_determinants(diagonal: Array, columns: Sequence[Roots]) -> Array:
    """Return log |H| of every run; the diagonal is ``(reps, n_arms)`` and includes what the columns add to it."""
    front = choose_front(diagonal)
    alone = np.log(diagonal).sum(axis=1) - np.log(np.take_along_axis(diagonal, front, axis=1)).sum(axis=1)
    parts = [_log_determinants(matrices) for _, matrices in _build(diagonal, columns, front)]
    return np.concatenate(parts) + (alone if front.shape[1] < diagonal.shape[1] else 0.0)


def find_covariances(diagonal: Array, columns: Sequence[Roots], front: Indices) -> Array:
    """Return H⁻¹ among the arms of ``front (reps, arms)``, all others held fixed: ``(reps, arms, arms)``."""
    found = [
        np.linalg.inv(matrices + np.tril(matrices, -1).swapaxes(1, 2))
        for _, matrices in _build(diagonal, columns, front)
    ]
    return np.concatenate(found)


def choose_front(diagonal: Array) -> Indices:
    """Return the arms that are treated together ``(reps, arms)``: all, or the most precisely known ones."""
    reps, n_arms = diagonal.shape
    if n_arms <= MOST_TOGETHER:
        return np.broadcast_to(np.arange(n_arms), (reps, n_arms))
    return np.argsort(-diagonal, axis=1, kind="stable")[:, :MOST_TOGETHER]


def _build(diagonal: Array, columns: Sequence[Roots], front: Indices) -> Iterator[tuple[slice, Array]]:
    """Yield the matrices of as many runs as fit into a cache, below the diagonal."""
    reps, size = front.shape
    together = max(1, MOST_ENTRIES // size**2)
    for start, end in pairwise([*range(0, reps, together), reps]):
        some = slice(start, end)
        kept = np.take_along_axis(diagonal[some], front[some], axis=1)
        matrices = np.zeros((end - start, size, size))
        for each in columns:
            cut = slice(*np.searchsorted(each.runs, (start, end)).tolist())
            theirs = Roots(each.arms[:, cut], each.runs[cut] - start, each.roots[:, cut])
            matrices -= _multiply(_renumber(theirs, front[some], diagonal.shape[1]), end - start, size)
        matrices[:, np.arange(size), np.arange(size)] = kept
        yield some, matrices


def _renumber(columns: Roots, front: Indices, n_arms: int) -> Roots:
    """Return columns with the arms known by their places in ``front``; the roots of all others are 0."""
    reps, size = front.shape
    if size == n_arms and (front == np.arange(n_arms)).all():
        return columns
    place = np.full((reps, n_arms), -1)
    np.put_along_axis(place, front, np.arange(size)[None], axis=1)
    arms = place[columns.runs, columns.arms]
    return Roots(np.maximum(arms, 0), columns.runs, np.where(arms >= 0, columns.roots, 0.0))


def _multiply(columns: Roots, reps: int, size: int) -> Array:
    """Return Σ r r' below the diagonal."""
    if len(columns.arms) < LARGE_SET:
        return _multiply_pairs(columns, reps, size)
    rows = add_up(columns.arms + np.arange(columns.runs.size) * size, columns.roots, (columns.runs.size, size))
    cuts = np.searchsorted(columns.runs, np.arange(reps + 1)).tolist()
    return np.stack([np.tril(rows[start:end].T @ rows[start:end], -1) for start, end in pairwise(cuts)])


def _multiply_pairs(columns: Roots, reps: int, size: int) -> Array:
    one, other = np.triu_indices(len(columns.arms), 1)
    low, high = (each(columns.arms[one], columns.arms[other]) for each in (np.minimum, np.maximum))
    places = (columns.runs * size + high) * size + low
    return add_up(places, columns.roots[one] * columns.roots[other], (reps * size, size)).reshape(reps, size, size)


def _log_determinants(below: Array) -> Array:
    """Return log |H| of symmetric matrices, of which nothing is above the diagonal."""
    try:
        roots = np.linalg.cholesky(below)
        found: Array = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    except np.linalg.LinAlgError:  # arms are so far apart that rounding spoils a matrix
        values = np.linalg.eigvalsh(below)
        found = np.log(np.maximum(values, LEAST_EIGENVALUE * values.max(axis=1, keepdims=True))).sum(axis=1)
    return found
