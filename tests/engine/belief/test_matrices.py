"""Determinants and covariances against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heats.engine.belief import matrices
from heats.engine.belief.matrices import Roots, choose_front, find_covariances, find_log_determinants


def draw_matrices(reps: int, n: int, sizes: tuple[int, ...], seed: int) -> tuple[np.ndarray, list[Roots], np.ndarray]:
    """Return diagonals, columns of sets of each size, and the same dense."""
    rng = np.random.default_rng(seed)
    columns, diagonal = [], rng.uniform(0.5, 3, (reps, n))
    dense = np.zeros((reps, n, n))
    for size in sizes:
        runs = np.sort(rng.integers(0, reps, 3 * reps))
        arms = np.stack([np.sort(rng.choice(n, size, replace=False)) for _ in runs], axis=1)
        roots = rng.uniform(0, 1, arms.shape)
        columns.append(Roots(arms, runs, roots))
        for run, some, row in zip(runs.tolist(), arms.T, roots.T, strict=True):
            dense[run][np.ix_(some, some)] -= np.outer(row, row)
            diagonal[run, some] += row.sum() * row
    every = np.arange(n)
    dense[:, every, every] = diagonal
    return diagonal, columns, dense


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(3, 12), st.sampled_from([(2,), (3,), (2, 3)]), st.integers(0, 99))
def test_they_are_those_of_dense_matrices(reps: int, n: int, sizes: tuple[int, ...], seed: int) -> None:
    """Of as many runs as there are, each with its own sets; also cut into cache-sized parts."""
    diagonal, columns, dense = draw_matrices(reps, n, sizes, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "MOST_ENTRIES", 2 * n * n if seed % 2 else 1)
        determinants = find_log_determinants(diagonal, columns)
        covariances = find_covariances(diagonal, columns, choose_front(diagonal))
    assert determinants == pytest.approx(np.linalg.slogdet(dense)[1])
    assert covariances == pytest.approx(np.linalg.inv(dense))


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(8, 14), st.integers(2, 7), st.integers(0, 99))
def test_of_many_arms_the_best_known_are_treated_together(reps: int, n: int, most: int, seed: int) -> None:
    """The rest as independent: the determinant is then that of a matrix without their products, so never too small."""
    diagonal, columns, dense = draw_matrices(reps, n, (2, 3), seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "MOST_TOGETHER", most)
        front = choose_front(diagonal)
        found = find_log_determinants(diagonal, columns)
        covariances = find_covariances(diagonal, columns, front)
    for run in range(reps):
        assert set(front[run]) == set(np.argsort(-diagonal[run])[:most])
        inner = dense[run][np.ix_(front[run], front[run])]
        left = np.delete(diagonal[run], front[run])
        assert found[run] == pytest.approx(np.linalg.slogdet(inner)[1] + np.log(left).sum())
        assert covariances[run] == pytest.approx(np.linalg.inv(inner))
    assert (found >= np.linalg.slogdet(dense)[1] - 1e-9).all()


def test_large_sets_are_multiplied_as_matrices() -> None:
    """Instead of pair by pair; by the number of arms, and the result is the same."""
    diagonal, columns, dense = draw_matrices(3, 50, (matrices.LARGE_SET + 1,), 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "_multiply_pairs", None)
        large = find_log_determinants(diagonal, columns)
    assert large == pytest.approx(np.linalg.slogdet(dense)[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "LARGE_SET", 99)
        assert find_log_determinants(diagonal, columns) == pytest.approx(large)


@pytest.mark.parametrize("lowest", [0.25, 0.25 - 1e-12])
def test_a_determinant_is_found_where_rounding_leaves_no_root(lowest: float) -> None:
    """Other runs at once are as they are alone."""
    roots = np.array([[1.0, 0.5], [1.0, 0.5]])
    both = [Roots(np.array([[0, 0], [1, 1]]), np.array([0, 1]), roots)]
    diagonal = np.array([[1.0, lowest], [2.0, 2.0]])
    found = find_log_determinants(diagonal, both)
    assert np.isfinite(found).all()
    alone = [Roots(np.array([[0], [1]]), np.array([0]), roots[:, 1:])]
    assert found[1] == pytest.approx(find_log_determinants(diagonal[1:], alone)[0])
