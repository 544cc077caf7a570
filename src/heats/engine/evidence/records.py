"""What arms did in earlier rounds, and what that decides: records, one object per rule, over an axis of repetitions.

=========  ============================================================================================
record     what it says of an arm, and what that decides
=========  ============================================================================================
off        nothing; ties of a heat fall to the seeded shuffle
ties       its mean lead over the heats it was in; decides where the scores of a heat are equal
pooled     the same, this round included; ranks the heat, and its scores decide where that is equal
fitted     its strength in a Plackett-Luce model of all pulls so far; likewise
=========  ============================================================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.belief.plackett_luce import Columns, climb
from heats.engine.feedback import Kind
from heats.engine.scoring import Seen, settle
from heats.engine.statistics import Statistic, mean, win_rate
from heats.errors import BadFeedback, InvalidArgument
from heats.planning.plan import MOST_CARRIED_PULLS, RECORDS
from heats.planning.plan import Record as RecordName

STEPS_PER_ROUND = 12  # of a fit
HALF_PAIR = 0.5  # ν: imaginary comparisons that each arm won, and lost


class Record(ABC):
    """What is known of all arms in all repetitions. ``ranks``: it ranks heats, else it only decides their ties."""

    ranks: bool

    @abstractmethod
    def add(self, heats: Indices, kind: Kind | None, seen: Seen) -> None:
        """Take in a round: what its heats ``(reps, heats, size)`` said."""

    @abstractmethod
    def of(self, heats: Indices, which: Mask) -> Array:
        """Return the records, to compare, of the arms in those heats of ``(reps, heats, size)``: ``(heats, size)``."""

    def check(self, kind: Kind, statistic: Statistic) -> None:  # noqa: B027  # most take all
        """Refuse a kind of feedback that such a record cannot be kept of."""


class Off(Record):
    """Nobody remembers."""

    def add(self, heats: Indices, kind: Kind | None, seen: Seen) -> None:
        """Forget it."""

    def of(self, heats: Indices, which: Mask) -> Array:
        """Return the same for all."""
        return np.zeros((int(which.sum()), heats.shape[-1]))


class Leads(Record):
    """The mean lead of an arm: each of its observations minus the mean of that pull over its heat."""

    def __init__(self, reps: int, n_arms: int) -> None:
        self._credit = np.zeros((reps, n_arms))
        self._pulled = np.zeros((reps, n_arms))
        self._largest = np.zeros((reps, 1))  # magnitude so far: what rounding errors are relative to
        self._waiting: list[tuple[Indices, Array, Indices | int]] = []  # rounds that nobody has asked about yet

    def add(self, heats: Indices, kind: Kind | None, seen: Seen) -> None:
        """Keep it until somebody asks: where no scores are equal nobody does."""
        self._waiting.append((heats, seen.means, seen.verdicts))

    def of(self, heats: Indices, which: Mask) -> Array:
        """Return mean leads."""
        credit, pulled = self.credits()
        rep, heat = np.nonzero(which)
        arms = heats[rep, heat]
        rep = rep[:, None]
        largest = np.where(self._largest > 0, self._largest, 1.0)[rep[:, 0]]
        return settle(credit[rep, arms] / np.maximum(pulled[rep, arms], 1) / largest)

    def credits(self) -> tuple[Array, Array]:
        """Return the sum of the leads of every arm, and its pulls: ``(reps, n_arms)``."""
        rows = np.arange(len(self._credit))[:, None]
        for heats, means, verdicts in self._waiting:
            arms = heats.reshape(len(heats), -1)
            pulls = np.broadcast_to(np.asarray(verdicts), heats.shape[:-1])[..., None]
            leads = pulls * (means - means.mean(axis=-1, keepdims=True))
            self._credit[rows, arms] += leads.reshape(arms.shape)
            self._pulled[rows, arms] += np.broadcast_to(pulls, heats.shape).reshape(arms.shape)
            self._largest = np.maximum(self._largest, np.abs(means).max(axis=(1, 2))[:, None])
        self._waiting.clear()
        return self._credit, self._pulled


class Fitted(Record):
    """Strengths of a Plackett-Luce model of all rounds; each fit begins where the last one ended.

    A winner is drawn in proportion to strength; a ranking counts as all its pairs (the pairs of a Plackett-Luce ranking
    are won in proportion to strength as well). Each arm also won and lost half a pair against an opponent of strength
    one: so strengths stay finite, and arms never seen have strength one.
    """

    def __init__(self, reps: int, n_arms: int) -> None:
        self._choices: dict[int, Columns] = {}  # by the size of the sets
        self._pulls = np.zeros((reps, 1))  # per heat so far, as they count
        self._strengths = np.ones((reps, n_arms))
        self._log_strengths = np.zeros((reps, n_arms))

    def add(self, heats: Indices, kind: Kind | None, seen: Seen) -> None:
        """Fit again; rankings count pair by pair, winners as choices, and so do rewards scored by who won."""
        shares = seen.scores if kind is Kind.REWARDS else seen.means
        strengths = self.fit(heats, shares, seen.verdicts, pairs=kind in (Kind.RANKING, Kind.BEST_WORST))
        self._log_strengths = settle(np.log(strengths))

    def fit(
        self, heats: Indices, shares: Array, pulls: Indices | int, *, pairs: bool, steps: int = STEPS_PER_ROUND
    ) -> Array:
        """Add a round and return strengths; ``shares`` of wins, or with ``pairs`` of the others placed below."""
        if (self._pulls > MOST_CARRIED_PULLS).any():
            self._fade(np.minimum(1, MOST_CARRIED_PULLS / self._pulls))
        times = np.broadcast_to(np.asarray(pulls, dtype=np.float64), heats.shape[:2])
        self._pulls = self._pulls + times.mean(axis=1, keepdims=True)
        runs = np.arange(len(heats)).repeat(heats.shape[1])
        arms, won = heats.reshape(runs.size, -1).T, (times[..., None] * shares).reshape(runs.size, -1).T
        if pairs:
            met = np.stack(np.triu_indices(len(arms), 1))
            arms, won = arms[met].reshape(2, -1), won[met].reshape(2, -1)  # of each of an arm's pairs the mean share
            runs, chosen = np.tile(runs, met.shape[1]), np.tile(times.ravel(), met.shape[1])
        else:
            chosen = won.sum(axis=0)  # a pull that nobody won is no choice
        told = Columns(arms, runs, won, chosen)
        before = self._choices.get(len(arms))
        self._choices[len(arms)] = told if before is None else before.join(told)
        prior = np.full((len(heats), 1), HALF_PAIR)
        self._strengths = climb([*self._choices.values()], prior, self._strengths, steps)
        return self._strengths

    def _fade(self, share: Array) -> None:
        """Let all rounds so far count for less."""
        for size, each in self._choices.items():
            less = share[each.runs, 0]
            self._choices[size] = each._replace(shares=each.shares * less, times=each.times * less)
        self._pulls = share * self._pulls

    def of(self, heats: Indices, which: Mask) -> Array:
        """Return log-strengths."""
        rep, heat = np.nonzero(which)
        return self._log_strengths[rep[:, None], heats[rep, heat]]

    def check(self, kind: Kind, statistic: Statistic) -> None:
        """Refuse rewards, unless they are scored by who won."""
        if kind is Kind.REWARDS and statistic is not win_rate:
            raise BadFeedback(
                "the plan's record is 'fitted', a model of wins and rankings, but rewards were told; plan with "
                "feedback='reward', score them by win_rate, or tell Winner or Ranking."
            )


_KEPT_BY: dict[str, Callable[[int, int], Record]] = {
    "off": lambda reps, n_arms: Off(),
    "ties": Leads,
    "pooled": Leads,
    "fitted": Fitted,
}


def make_record(name: RecordName, reps: int, n_arms: int, statistic: Statistic) -> Record:
    """Return an empty record; a fitted one, a model of wins and places, refuses a statistic it would pass over."""
    if RECORDS[name].is_fitted and statistic is not mean and statistic is not win_rate:
        raise InvalidArgument(
            f"{{statistic}} would be ignored: the plan's record is {name!r}, which ranks heats by a model of who "
            "won, or ranked where, in all rounds. Plan with {record}, or score by heats.mean or heats.win_rate.",
            statistic=statistic,
            record="ties",
        )
    record = _KEPT_BY[name](reps, n_arms)
    record.ranks = RECORDS[name].ranks_heats
    return record
