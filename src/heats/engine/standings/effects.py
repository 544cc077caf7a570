"""Rewards → what each arm adds to them: reward = effect of the arm + luck of the pull + noise.

Whoever is compared together shares the luck of that pull (an easy instance, a mild judge), so only differences within
a pull say something of arms: the luck is fitted away by subtracting the mean of the pull. Arms that were pulled alone
have no company to share it with; then the mean of all rewards is subtracted. The log-likelihood of effects a is
−½ (aᵀA a − 2 bᵀa + s) / noise², with A = diag(d) − RᵀR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Matrix, make_matrix
from heats.engine.evidence.told import Told
from heats.engine.scoring import center_rows


class Effects(NamedTuple):
    """All rewards of a run, as the numbers their likelihood depends on."""

    diagonal: Array  # d, pulls of each arm
    rows: Matrix  # R, a row for each set
    sums: Array  # b, of each arm what it had beyond its company
    squares: float  # s, of all of that
    freedom: int  # numbers told less lucks fitted
    scale: float = 1.0  # the unit of b, s and effects, in units of reward: so no square over- or underflows

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return int(self.diagonal.size)

    def hold_all_but(self, arms: Indices, effects: Array) -> Effects:
        """Return the likelihood of these arms alone, in this order, all others held at their effects."""
        fixed = effects.copy()
        fixed[arms] = 0
        gone = self.diagonal * fixed - self.rows.T @ (self.rows @ fixed)  # A · fixed
        squares = self.squares - 2 * float(self.sums @ fixed) + float(fixed @ gone)
        rows, sums = self.rows[:, arms], (self.sums - gone)[arms]
        return Effects(self.diagonal[arms], rows, sums, squares, self.freedom, self.scale)


def find_effects(told: Sequence[Told], per_pull: Callable[[Array], Array], n_arms: int) -> Effects | None:
    """Return what rewards say, each taken as ``per_pull`` makes of them; None if no two of them ever differed."""
    arms = [each.arms for each in told]
    values = [per_pull(each.observations) for each in told]
    if all(each.shape[1] == 1 for each in arms):  # pulled alone: all of them share one luck
        arms, values = [np.concatenate(arms).T], [np.concatenate(values).T]
    beyond = [center_rows(each) for each in values]
    scale = max(float(np.abs(each).max()) for each in beyond)
    if not scale:
        return None
    beyond = [each / scale for each in beyond]
    squares = sum(float((each**2).sum()) for each in beyond)
    sums, pulls = np.zeros(n_arms), np.zeros(n_arms)
    for where, what in zip(arms, beyond, strict=True):
        sums += np.bincount(where.ravel(), weights=what.ravel(), minlength=n_arms)
        pulls += np.bincount(where.ravel(), minlength=n_arms)
    freedom = sum(each.size - len(each) for each in arms)
    return Effects(pulls, _find_rows(arms, n_arms), sums, squares, freedom, scale)


def _find_rows(arms: Sequence[Indices], n_arms: int) -> Matrix:
    """Return R, equal sets merged: for a set of m arms met c times a row with √(c/m) for each of them."""
    entries: list[tuple[Array, Indices, Indices]] = []
    first = 0
    for each in arms:
        sets, counts = np.unique(np.sort(each, axis=1), axis=0, return_counts=True)
        weights = np.repeat(np.sqrt(counts / each.shape[1]), each.shape[1])
        entries.append((weights, np.repeat(np.arange(first, first + len(sets)), each.shape[1]), sets.ravel()))
        first += len(sets)
    values, rows, columns = map(np.concatenate, zip(*entries, strict=True))
    return make_matrix(values, rows, columns, (first, n_arms))
