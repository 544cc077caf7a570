"""Winners, rankings, best and worst → choices: of these arms one was taken, or one was left as the worst.

The chance that arm i is taken out of a set Q is e^θ_i / Σ_{j ∈ Q} e^θ_j (Plackett and Luce); that it is left as the
worst, the same with −θ. A ranking is a choice of the first, then of the second out of the rest, and so on; best and
worst are a choice of the best, then of the worst out of the rest. Who ties shares the choice. Equal sets are merged, so
that a heat which was pulled a hundred times costs as much as one that was pulled once. Rankings of very large heats
count by their first places only, which Plackett and Luce's model allows: the choices after them would be too many.

Entries are kept in one row: entry e says that arm ``members[e]`` belongs to choice ``choice[e]``, and was taken
``taken[e]`` times. Everything works for many vectors of strengths at once, ``(n_arms, vectors)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Matrix, make_matrix
from heats.engine.evidence.told import Told
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares

LARGEST = 150.0  # strength that counts: far beyond all that is likely, and no overflow
MOST_ENTRIES = 300_000  # of the choices that rankings of large heats make: of more, first places count
FEWEST_PLACES = 24  # of a ranking count in any case
MOST_AT_ONCE = 4_000_000  # numbers that are looked at together, to bound memory


class Sets(NamedTuple):
    """Sets of equal size, and how often each of their arms was taken; ``sign`` −1: left as the worst."""

    arms: Indices  # (sets, size), increasing
    taken: Array  # (sets, size)
    sign: int


class Choices:
    """All choices of a run, as one likelihood of the arms' log-strengths.

    ``sizes`` and ``counts``: how many entries each choice has, and how often it was made. ``beside``: what arms that
    are held fixed add to the sum of each.
    """

    def __init__(
        self, n_arms: int, members: Indices, signs: Array, taken: Array, sizes: Indices, counts: Array, beside: Array
    ) -> None:
        self.n_arms = n_arms
        self._members = members
        self._signs = signs
        self._entries_taken = taken
        self._counts = counts
        self._beside = beside
        self._choice = np.repeat(np.arange(sizes.size), sizes)
        self._starts = np.cumsum(sizes) - sizes
        self._gather = make_matrix(signs, members, np.arange(members.size), (n_arms, members.size))
        self._taken = self._gather @ taken

    @property
    def n_entries(self) -> int:
        """How many numbers one look at the likelihood touches."""
        return int(self._members.size)

    def likelihood(self, strengths: Array) -> tuple[Array, Array]:
        """Return the log-likelihood of each column of strengths, and its gradient."""
        columns = max(1, MOST_AT_ONCE // max(1, self.n_entries))
        if strengths.shape[1] > columns:
            starts = range(0, strengths.shape[1], columns)
            values, slopes = zip(*(self.likelihood(strengths[:, at : at + columns]) for at in starts), strict=True)
            return np.concatenate(values), np.concatenate(slopes, axis=1)
        strengths = np.clip(strengths, -LARGEST, LARGEST)
        weights = np.exp(strengths[self._members] * self._signs[:, None])
        sums = self._add_up(weights) + self._beside[:, None]
        value: Array = self._taken @ strengths - self._counts @ np.log(sums)
        weights *= (self._counts[:, None] / sums)[self._choice]
        return value, self._taken[:, None] - self._gather @ weights

    def curvature(self, strengths: Array) -> tuple[Array, Matrix]:
        """Return d and R such that the negative Hessian of the log-likelihood is diag(d) − RᵀR."""
        weights = np.exp(strengths[self._members] * self._signs)
        chances = weights / (self._add_up(weights) + self._beside)[self._choice]
        counts = self._counts[self._choice]
        rows = make_matrix(chances * np.sqrt(counts), self._choice, self._members, (self._counts.size, self.n_arms))
        return np.bincount(self._members, weights=counts * chances, minlength=self.n_arms).astype(np.float64), rows

    def _add_up(self, entries: Array) -> Array:
        """Return the sum over the entries of every choice; there may be none, where those that chose are held fixed."""
        if not self._starts.size:
            return np.zeros((0, *entries.shape[1:]))
        sums: Array = np.add.reduceat(entries, self._starts, axis=0)
        return sums

    def hold_all_but(self, arms: Indices, strengths: Array) -> Choices:
        """Return the likelihood of these arms alone, in this order, all others held at their strengths."""
        place = np.full(self.n_arms, -1)
        place[arms] = np.arange(arms.size)
        free = place[self._members] >= 0
        fixed = np.where(free, 0.0, np.exp(strengths[self._members] * self._signs))
        beside = self._add_up(fixed) + self._beside
        sizes = np.bincount(self._choice[free], minlength=self._counts.size)
        used = sizes > 0
        return Choices(
            arms.size,
            place[self._members[free]],
            self._signs[free],
            self._entries_taken[free],
            sizes[used],
            self._counts[used],
            beside[used],
        )


def find_choices(kind: Kind, told: Sequence[Told], n_arms: int) -> Choices | None:
    """Return all choices that pulls of a kind made; of rewards, who was best. None if they made none."""
    most = max(FEWEST_PLACES, MOST_ENTRIES // max(1, sum(each.arms.size for each in told)))
    made = [sets for each in told for sets in islice(_CHOICES[kind](each.arms, each.observations), most)]
    by_shape: dict[tuple[int, int], list[Sets]] = {}
    for each in made:
        if len(each.arms):
            by_shape.setdefault((each.sign, each.arms.shape[1]), []).append(each)
    parts = [_merge(by_shape[shape]) for shape in sorted(by_shape)]
    return _lay_out(n_arms, parts) if parts else None


def _lay_out(n_arms: int, parts: Sequence[Sets]) -> Choices:
    """Bring sets of different sizes into one row."""
    sizes = np.concatenate([np.full(len(part.arms), part.arms.shape[1]) for part in parts])
    return Choices(
        n_arms,
        np.concatenate([part.arms.ravel() for part in parts]),
        np.concatenate([np.full(part.arms.size, float(part.sign)) for part in parts]),
        np.concatenate([part.taken.ravel() for part in parts]),
        sizes,
        np.concatenate([part.taken.sum(axis=1) for part in parts]),
        np.zeros(sizes.size),
    )


def _merge(parts: Sequence[Sets]) -> Sets:
    """Return each set once, with all that was taken of it."""
    arms = np.concatenate([part.arms for part in parts])
    taken = np.concatenate([part.taken for part in parts])
    order = np.argsort(arms, axis=1, kind="stable")
    arms, taken = (np.take_along_axis(each, order, axis=1) for each in (arms, taken))
    sets, which = np.unique(arms, axis=0, return_inverse=True)
    totals = np.zeros(sets.shape)
    np.add.at(totals, which.reshape(-1), taken)
    return Sets(sets, totals, parts[0].sign)


def _winners(arms: Indices, shares: Array) -> Iterator[Sets]:
    """Yield the winner, or those that share the win; nobody is no choice."""
    won = shares.any(axis=1)
    yield Sets(arms[won], shares[won], 1)


def _largest(arms: Indices, rewards: Array) -> Iterator[Sets]:
    """Yield who had the largest reward."""
    return _winners(arms, winner_shares(rewards))


def _rankings(arms: Indices, shares: Array) -> Iterator[Sets]:
    """Yield the first, then the second out of the rest, and so on, as far as places were given."""
    order = np.argsort(-shares, axis=1, kind="stable")
    arms, shares = np.take_along_axis(arms, order, axis=1), np.take_along_axis(shares, order, axis=1)
    for place in range(arms.shape[1] - 1):
        given = shares[:, place] > shares[:, place + 1]
        yield Sets(arms[given, place:], _take(0, (int(given.sum()), arms.shape[1] - place)), 1)


def _best_and_worst(arms: Indices, shares: Array) -> Iterator[Sets]:
    """Yield the best out of all, then the worst out of the rest."""
    order = np.argsort(-shares, axis=1, kind="stable")
    arms = np.take_along_axis(arms, order, axis=1)
    yield Sets(arms, _take(0, arms.shape), 1)
    if arms.shape[1] > 2:
        yield Sets(arms[:, 1:], _take(-1, arms[:, 1:].shape), -1)


def _take(column: int, shape: tuple[int, ...]) -> Array:
    """Return 1 in a column, 0 elsewhere."""
    taken = np.zeros(shape)
    taken[:, column] = 1
    return taken


_CHOICES: dict[Kind, Callable[[Indices, Array], Iterator[Sets]]] = {
    Kind.WINNER: _winners,
    Kind.RACE: _winners,
    Kind.RANKING: _rankings,
    Kind.BEST_WORST: _best_and_worst,
    Kind.REWARDS: _largest,
}
