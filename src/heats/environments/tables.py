"""Recorded worlds: tables of scores, runtimes and rankings, of which every pull draws a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from heats.base.arrays import Array, Indices
from heats.base.checks import between, is_bool, one_of, refuse, true_or_false, whole
from heats.engine.feedback import Kind
from heats.engine.statistics import winner_shares
from heats.environments.arguments import check_mask, check_names, check_table
from heats.environments.protocol import Environment, Rng
from heats.environments.winners import share_behind
from heats.errors import InvalidArgument

MOST_PLACES = 200_000_000  # of a table: voters × arms, 1.6 GB


class _Table(Environment):
    """Rows (instances, voters, folds) by arms; a pull draws a row and looks at the columns of its heat."""

    def __init__(self, table: Array, names: Sequence[str] | None) -> None:
        self._table = table
        self.n_rows, self.n_arms = table.shape
        self.names = check_names(names, self.n_arms)

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
        super().__init__(check_table("scores", scores), names)
        self.quality = ("mean score", self._table.mean(axis=0))
        self.best = int(self._table.mean(axis=0).argmax())

    @classmethod
    def from_losses(cls, losses: ArrayLike, names: Sequence[str] | None = None) -> ScoreTable:
        """Return a table of losses, smaller is better: what is observed is negated, what is shown is not."""
        table = check_table("losses", losses)
        world = cls(-table, names)
        world.quality = ("mean loss", table.mean(axis=0))
        return world

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
        times = check_table("seconds", seconds)
        if (times < 0).any():
            row, arm = np.argwhere(times < 0)[0]
            why = f"has {times[row, arm]:g} in row {row}, arm {arm}; times must not be negative"
            raise refuse("seconds", seconds, why)
        solved = np.ones(times.shape) if solved is None else solved
        done = check_mask("solved", solved, times.shape, "seconds")
        one_of("feedback", feedback, ("winner", "seconds"))
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

    @property
    def seconds(self) -> Array:
        """Seconds of rows × arms; infinite where a run did not solve its instance before the cutoff."""
        return self._table

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
        one_of("feedback", feedback, ("ranking", "winner"))
        given = check_table("orders", orders) if true_or_false("places", places) else _place_orders(orders)
        super().__init__(given, names)
        self._winners = feedback == "winner"
        tied = bool((np.diff(np.sort(self._table, axis=1), axis=1) == 0).any())
        self.kind = Kind.WINNER if self._winners else Kind.REWARDS if tied else Kind.RANKING
        self.quality = ("mean place", self._table.mean(axis=0) + 1)
        self.best = int(self._table.mean(axis=0).argmin())

    def _observe(self, values: Array) -> Array:
        if self._winners:
            return winner_shares(-values)
        return share_behind(-values)


def _place_orders(orders: Any) -> Array:
    """Return the table of places that lists of arms, best first, amount to."""
    lists = _list_orders(orders)
    n_arms = 1 + max((arm for order in lists for arm in order), default=0)
    if len(lists) * n_arms > MOST_PLACES:
        why = f"speak of {n_arms} arms, which for {len(lists)} voters is too large a table; count arms from 0"
        raise refuse("orders", orders, why)
    places = np.empty((len(lists), n_arms))
    for voter, order in enumerate(lists):
        if len(set(order)) != len(order) or any(arm < 0 for arm in order):
            raise InvalidArgument(f"voter {voter} lists {order}; every arm at most once, as an index from 0.")
        places[voter] = (len(order) + n_arms - 1) / 2  # those not listed share the places left
        places[voter, order] = np.arange(len(order))
    return check_table("orders", places)


def _list_orders(orders: Any) -> list[list[int]]:
    try:
        return [[_index_arm(arm) for arm in order] for order in orders]
    except Exception:  # whatever somebody else's object does when it is gone through
        raise refuse("orders", orders, "must be lists of arms, best first, one per voter") from None


def _index_arm(arm: Any) -> int:
    number = int(arm)
    if is_bool(arm) or isinstance(arm, (str, bytes)) or number != arm:
        raise TypeError
    return number
