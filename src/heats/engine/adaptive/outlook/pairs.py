"""What rankings say if strengths last: who was ahead of whom, as choices out of two.

Plackett and Luce's choices of all places would go by who comes last as much as by who comes first, and a linear model
of places fails in large heats, where the best can do no better than be first. Pairs know no places, and whoever is
ahead of everybody comes out first.

The pairs of a ranking are not so many comparisons, for they overlap. So each of them counts w, such that those of an
arm say as much of its strength as the ranking does, among equal arms: (k − H_k)/k with H_k = 1 + 1/2 + … + 1/k by
Plackett and Luce, where a pair says ¼. Pairs that are far apart in a large heat are left out.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array
from heats.engine.adaptive.outlook.choices import Choices, Effort, fit_choices
from heats.engine.adaptive.outlook.heard import Heard, place_arms
from heats.engine.adaptive.outlook.lasting import Strengths, find_chances

PRIOR = 3.0  # ν
MOST_APART = 24  # places
MOST_PAIRS = 10_000_000  # of a run


def fit_pairs(heard: Heard, start: Array, effort: Effort) -> Strengths:
    """Return the strengths ``(reps, n_arms)`` that explain who was ahead of whom."""
    reps, n_arms = start.shape
    pairs = group_pairs(heard, n_arms)
    prior = np.full((reps, 1), PRIOR)
    strengths = fit_choices(pairs, prior, start, effort)
    sharper = np.full((reps, 1), _tell_sharpness(len(heard.heats)))
    return Strengths(np.log(strengths), find_chances(pairs, prior, strengths)[1], sharper)


def group_pairs(heard: Heard, n_arms: int) -> Choices:
    """Return who was ahead of whom, and how often; those that share a place are not told apart."""
    arms, rows = heard.heats, heard.rows
    size, _, pulls = arms.shape
    most_apart = min(size - 1, MOST_APART, max(1, MOST_PAIRS // (pulls * size)))
    if most_apart < size - 1:
        order = np.argsort(-rows, axis=0, kind="stable")
        arms, rows = np.take_along_axis(arms, order, axis=0), np.take_along_axis(rows, order, axis=0)
    placed, found = place_arms(arms, n_arms), []
    for apart in range(1, most_apart + 1):
        upper, lower = slice(None, -apart), slice(apart, None)
        for one, other in ((upper, lower), (lower, upper)):
            is_ahead = rows[one] > rows[other]
            found.append((placed[one] * n_arms + arms[other])[is_ahead])
    pairs, times = np.unique(np.concatenate(found), return_counts=True)
    ahead, behind = np.divmod(pairs, n_arms)
    runs, ahead = np.divmod(ahead, n_arms)
    each = most_apart * (2 * size - most_apart - 1) / size  # pairs of an arm, on average
    counts = times * (_tell_sharpness(size) / (each / 4))
    return Choices(np.stack([ahead, behind]), runs, np.stack([counts, np.zeros(counts.size)]), counts)


def _tell_sharpness(size: int) -> float:
    """Return how much sharper a ranking of equal arms makes the strength of each known: (k − H_k)/k."""
    return 1 - sum(1 / place for place in range(1, size + 1)) / size
