"""Recorded worlds: tables of scores, runtimes and rankings, of which every pull draws a row; and fixed sequences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heats.base.arrays import Array, Indices
from heats.base.checks import between, whole
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments.protocol import Environment, Rng
from heats.errors import InvalidArgument
from heats.theory.instances import Instance
from heats.theory.limits import condorcet_winner


class _Table(Environment):
    """Rows (instances, voters, folds) by arms; a pull draws a row and looks at the columns of its heat."""

    def __init__(self, table: Array, names: Sequence[str] | None) -> None:
        self._table = table
        self.n_rows, self.n_arms = table.shape
        if names is not None and len(names) != self.n_arms:
            raise InvalidArgument(f"{len(names)} names were given for {self.n_arms} arms; give one each.")
        self.names = tuple(names) if names is not None else None

    def _observe(self, values: Array) -> Array:
        """Turn the values of rows in a heat ``(..., size)`` into observations."""
        return values

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Draw rows with replacement."""
        rows = rng.integers(self.n_rows, size=(*heats.shape[:-1], pulls, 1))
        return self._observe(self._table[rows, heats[..., None, :]])

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return the exact mean over all rows."""
        mean: list[float] = self._observe(self._table[:, list(heat)]).mean(axis=0).tolist()
        return mean

    def _merits(self) -> Array:
        """Return the table such that larger is better; minus infinity never wins."""
        return -self._table

    def win_shares(self, heat_size: int) -> Array:
        """Return them by counting heats instead of playing them.

        Let w arms be behind an arm in a row, and t level with it, itself included. Of the heats among these w + t arms
        C(w + t, k) - C(w, k) have somebody of its level: those there share one win. By symmetry each of the t gets the
        same part of these wins; it is in C(n - 1, k - 1) heats in all.
        """
        n, k = self.n_arms, whole("heat_size", heat_size, 2, self.n_arms, "a heat has two arms or more, at most all")
        heats = np.array([math.comb(arms, k) / math.comb(n - 1, k - 1) for arms in range(n + 1)])
        shares = np.zeros(n)
        for row in self._merits():
            in_order = np.sort(row)
            behind, not_ahead = (np.searchsorted(in_order, row, side) for side in ("left", "right"))
            won = (heats[not_ahead] - heats[behind]) / (not_ahead - behind)
            shares += np.where(np.isneginf(row), 0, won)
        return shares / self.n_rows


class ScoreTable(_Table):
    """Scores of rows × arms, larger is better; the best arm has the largest mean."""

    def __init__(self, scores: ArrayLike, names: Sequence[str] | None = None) -> None:
        super().__init__(_checked(scores, "scores"), names)
        self.quality = ("mean score", self._table.mean(axis=0))
        self.best = int(self._table.mean(axis=0).argmax())

    def _merits(self) -> Array:
        return self._table


class RuntimeTable(_Table):
    """Seconds of rows × arms, and which runs solved their instance; a run that did not counts as the cutoff.

    ``feedback="winner"``: the smallest time of a heat wins, ties share, nobody wins where nobody solved it.
    ``feedback="seconds"``: rewards are negative times, as Successive Halving needs them. The best arm has the smallest
    mean.
    """

    def __init__(
        self,
        seconds: ArrayLike,
        solved: ArrayLike | None = None,
        cutoff: float | None = None,
        names: Sequence[str] | None = None,
        feedback: Literal["winner", "seconds"] = "winner",
    ) -> None:
        times = _checked(seconds, "seconds")
        if (times < 0).any():
            row, arm = np.argwhere(times < 0)[0]
            raise InvalidArgument(
                f"seconds has {times[row, arm]:g} in row {row}, arm {arm}; times must not be negative."
            )
        done = np.ones(times.shape, dtype=bool) if solved is None else np.asarray(solved, dtype=bool)
        if done.shape != times.shape:
            raise InvalidArgument(f"solved has shape {done.shape} but seconds {times.shape}; they must be the same.")
        if feedback not in ("winner", "seconds"):
            raise InvalidArgument(f"feedback={feedback!r} is unknown; choose winner or seconds.")
        self.cutoff = float(times.max()) if cutoff is None else between("cutoff", cutoff, 0, 1e100, open_low=True)
        super().__init__(np.where(done & (times <= self.cutoff), times, np.inf), names)
        self.kind = Kind.WINNER if feedback == "winner" else Kind.REWARDS
        self.mean_seconds = np.minimum(self._table, self.cutoff).mean(axis=0)
        self.quality = ("mean seconds", self.mean_seconds)
        self.best = int(self.mean_seconds.argmin())

    def _observe(self, values: Array) -> Array:
        if self.kind is Kind.REWARDS:
            return -np.minimum(values, self.cutoff)
        return np.where(np.isinf(values.min(axis=-1, keepdims=True)), 0.0, winner_shares(-values))

    def parallel_seconds(self, heats: Indices) -> Array:
        """Return the mean time until the first of each heat finishes (or the cutoff): what a pull costs."""
        sets, which = np.unique(np.sort(heats, axis=-1).reshape(-1, heats.shape[-1]), axis=0, return_inverse=True)
        means = np.array([np.minimum(self._table[:, each].min(axis=-1), self.cutoff).mean() for each in sets])
        return means[which.reshape(heats.shape[:-1])]


class Rankings(_Table):
    """Places of voters × arms, smaller is better, equal places tie; the best arm has the best mean place.

    ``orders`` lists arms best first, one list per voter; arms not listed share the last place. ``places=True`` takes a
    table of places instead. ``feedback="ranking"`` gives the share of the others placed below, ``"winner"`` the first.
    Where voters tie arms no ranking says it: then the shares are told as rewards.
    """

    def __init__(
        self,
        orders: Any,
        names: Sequence[str] | None = None,
        feedback: Literal["ranking", "winner"] = "ranking",
        places: bool = False,
    ) -> None:
        if feedback not in ("ranking", "winner"):
            raise InvalidArgument(f"feedback={feedback!r} is unknown; choose ranking or winner.")
        super().__init__(_checked(orders if places else _places(orders), "places"), names)
        self._winners = feedback == "winner"
        tied = bool((np.diff(np.sort(self._table, axis=1), axis=1) == 0).any())
        self.kind = Kind.WINNER if self._winners else Kind.REWARDS if tied else Kind.RANKING
        self.quality = ("mean place", self._table.mean(axis=0) + 1)
        self.best = int(self._table.mean(axis=0).argmin())

    def _observe(self, values: Array) -> Array:
        if self._winners:
            return winner_shares(-values)
        mine, theirs = values[..., :, None], values[..., None, :]
        above = (mine < theirs).sum(axis=-1) + 0.5 * ((mine == theirs).sum(axis=-1) - 1)
        share: Array = above / (values.shape[-1] - 1)
        return share


class Sequences(Environment):
    """Nothing is random: arm i's t-th observation is ``values[i][t-1]``, the last one for ever after.

    Instead of a table it takes an instance of ``heats.theory``, whose observations depend on the heat as well.
    """

    fixed = True

    def __init__(self, values: ArrayLike | Instance) -> None:
        self._instance = values if isinstance(values, Instance) else None
        if self._instance is not None:
            self.n_arms = self._instance.n_arms
            self.best = condorcet_winner(self._instance.table())
            return
        self._values = _checked(np.asarray(values, dtype=np.float64).T, "values").T
        self.n_arms = len(self._values)
        self.best = int(self._values[:, -1].argmax())

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return the first observations of every arm."""
        if self._instance is not None:
            return self._instance.sample(heats, pulls)
        when = np.minimum(np.arange(pulls), self._values.shape[1] - 1)
        seen: Array = self._values[heats[..., None, :], when[:, None]]
        return seen

    def limits(self, heat: tuple[int, ...]) -> Sequence[float]:
        """Return what the means tend to: the last value of each."""
        if self._instance is not None:
            return self._instance.limits(heat)
        last: list[float] = self._values[list(heat), -1].tolist()
        return last


def _checked(table: Any, name: str) -> Array:
    try:
        array = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} must be a table of numbers with rows of equal length.") from None
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise InvalidArgument(f"{name} has shape {array.shape}; a table needs at least one row and two arms.")
    if not np.isfinite(array).all():
        row, arm = np.argwhere(~np.isfinite(array))[0]
        raise InvalidArgument(f"{name} has {array[row, arm]:g} in row {row}, arm {arm}; fill it or drop the row.")
    return array


def _places(orders: Any) -> NDArray[np.float64]:
    try:
        lists = [[int(arm) for arm in order] for order in orders]
    except (TypeError, ValueError):
        raise InvalidArgument(f"orders {orders!r} must be lists of arms, best first, one per voter.") from None
    n_arms = 1 + max((int(arm) for order in lists for arm in order), default=0)
    table = np.empty((len(lists), n_arms))
    for voter, order in enumerate(lists):
        if len(set(order)) != len(order) or any(int(arm) < 0 for arm in order):
            raise InvalidArgument(f"voter {voter} lists {order}; every arm at most once, as an index from 0.")
        table[voter] = (len(order) + n_arms - 1) / 2  # those not listed share the places left
        table[voter, [int(arm) for arm in order]] = np.arange(len(order))
    return table
