"""A budget → how many pulls every batch has."""

from __future__ import annotations

import numpy as np

BATCHES = 15  # unless said otherwise
SHRINK = 0.8  # each batch is so many times the one before
SHARE_FIRST = 3  # the first batch gets at most one of so many parts of the budget


def divide(n_arms: int, heat_size: int, budget: int, batches: int) -> tuple[int, ...]:
    """Return how many pulls every batch has; together they are the budget.

    The first deals everybody once, with at most a third of the budget; a run of one batch has all in it.
    """
    if batches == 1:
        return (budget,)
    first = min(-(-n_arms // heat_size), max(1, budget // SHARE_FIRST))
    rest = budget - first
    count = min(batches - 1, rest)
    ends = np.cumsum(SHRINK ** np.arange(count))
    cuts = np.floor(rest * ends / ends[-1] + 1e-9).astype(np.int64) if count else np.array([], dtype=np.int64)
    sizes = np.diff(np.concatenate([[0], cuts]))
    return (first, *(int(size) for size in sizes if size))
