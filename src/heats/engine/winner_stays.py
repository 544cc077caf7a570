"""Winner stays, in batches: every pull takes the arms that look best, and a loser makes room for the next.

Every arm has a score, 0 at first: the log-likelihood ratio of "this arm is better than the others, which are alike". A
pull of m arms adds log(m·p) to its winner and log(m(1 − p)/(m − 1)) to each loser; where more places are known, the
next place is the same among those left. Who ties has the mean of the outcomes; nobody won: nothing.

The next pull takes the k arms with the largest scores: arms never seen before those that lost; of equal scores those
with fewer pulls, then by a seeded shuffle. Within a batch a pull that is out counts by what is expected of it, each of
its arms winning with the chance that the softmax of their scores says: so the champion stays and challengers rotate.

The first batch deals everybody once, with at most a third of the budget. The rest goes into batches that shrink by a
fifth. What a batch leads to is a sum over its pulls in the order of their ids, so the order of telling cannot matter.
In the end the arm with the best Plackett-Luce fit to all pulls wins.

To compare arms fast, all that orders them is put into one whole number, a *key*: the score to sixteen binary places,
then fewer pulls, then luck. Many runs find the largest keys by partitioning, one run by a heap: the same arms.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Words
from heats.base.randomness import Purpose, draw_bits
from heats.engine.choice_fit import Level, fit_choices, list_levels
from heats.engine.feedback import Kind
from heats.engine.game import Game, Stage
from heats.engine.scoring import settle
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import StatisticLike, mean, win_rate, winner_shares
from heats.errors import InvalidArgument

BETTER = 0.65  # p, how often the best of a heat is taken to win it
SHRINK = 0.8  # each batch is so many times the one before
SHARE_FIRST = 3  # the first batch gets at most one of so many parts of the budget
FRACTION_BITS = 16  # of a score in a key
PULL_BITS = 13
LARGEST_SCORE = 8000.0  # in a key: beyond, nothing will ever be equal again


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


class WinnerStays(Game, spec=AdaptiveSpec):
    """Runs that go on with whoever looks best."""

    def __init__(self, spec: AdaptiveSpec, statistic: StatisticLike, roots: Words) -> None:
        super().__init__(spec, statistic, roots, [spec.heat_size])
        if self.statistic is not mean and self.statistic is not win_rate:
            raise InvalidArgument(
                "{statistic} would be ignored: adaptive play goes by who won or how they ranked. Score by heats.mean "
                "or heats.win_rate, or play a plan.",
                statistic=statistic,
            )
        self.sizes = divide(spec.n_arms, spec.heat_size, spec.budget, spec.batches)
        self.scores: Array = np.zeros((self.reps, self.n_arms))
        self._pulled: Indices = np.zeros((self.reps, self.n_arms), dtype=np.int64)
        self._roots = roots
        self._luck = _draw_luck(roots, self.n_arms)
        self.new: list[int] = []  # arms that were added and not pulled yet, in that order
        self._heard: list[tuple[Indices, Array, Mask]] = []  # heats, what they said, and which said something
        self._kind: Kind | None = None
        self._stage: Stage | None = None

    @property
    def round(self) -> int:
        """How many batches are over."""
        return len(self._heard)

    @property
    def total(self) -> int:
        """The budget; of runs that were ended early, what they spent."""
        return sum(self.sizes)

    def most_values(self, *, by_means: bool) -> int:
        """Return the numbers of all pulls, which are kept, and of all places, which the fit looks at."""
        return int(self.spec.budget * self.spec.heat_size * (self.spec.heat_size + 1))

    def check_kind(self, kind: Kind) -> None:
        """Take all of them."""

    def stage(self) -> Stage | None:
        """Deal the next batch."""
        if self._stage is None and self.round < len(self.sizes):
            self._stage = Stage(self._deal(self.sizes[self.round]), pulls=1)
        return self._stage

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Add up what the pulls of the batch say."""
        assert self._stage is not None
        rows, heats = observations[..., 0, :], self._stage.heats
        if kind is Kind.REWARDS and self.statistic is win_rate:
            kind, rows = Kind.WINNER, winner_shares(rows)
        gains = np.zeros(heats.shape)
        said = np.ones((*heats.shape[:2], 1), dtype=bool) if heard is None else heard
        for each in _list_heard(kind, rows, said):
            gains += _gain(each)
        runs = np.arange(self.reps)[:, None, None]
        np.add.at(self.scores, (runs, heats), gains)
        np.add.at(self._pulled, (runs, heats), 1)
        self.new = [arm for arm in self.new if not self._pulled[:, arm].all()]
        self._heard.append((heats, rows, said))
        self._kind = kind or self._kind
        self.take_back()

    def take_back(self) -> None:
        """Deal the batch under way anew when it is asked for; what was found may change."""
        self._stage = None
        for name in ("strengths", "ranking"):
            self.__dict__.pop(name, None)

    def lengthen(self, budget: int) -> None:
        """Go on to a larger budget: what is not dealt is divided anew; the first batch grows, later ones stay."""
        sizes = divide(self.spec.n_arms, self.spec.heat_size, budget, self.spec.batches)
        if self.round:
            kept = self.sizes[: self.round + (self._stage is not None)]
            cuts = np.cumsum(sizes)
            ends = [sum(kept), *cuts[cuts > sum(kept)].tolist()]
            self.sizes = (*kept, *(end - start for start, end in pairwise(ends)))
        else:
            self.sizes = sizes
            self.take_back()

    def end(self) -> None:
        """Make no more batches."""
        self.sizes = self.sizes[: self.round]
        self.take_back()

    def count_waiting(self) -> int:
        """Return how many arms were added that the batch under way does not compare."""
        dealt = () if self._stage is None else self._stage.heats
        return int((~np.isin(self.new, dealt)).sum())

    def add_arm(self) -> None:
        """Have one more arm, from the next batch on, which deals it first."""
        self.new.append(self.n_arms)
        self.n_arms += 1
        self.scores = np.pad(self.scores, ((0, 0), (0, 1)))
        self._pulled = np.pad(self._pulled, ((0, 0), (0, 1)))
        self._luck = _draw_luck(self._roots, self.n_arms)

    @cached_property
    def strengths(self) -> Array:
        """Log-strengths of the fit to all pulls of the batches that are over."""
        heats, rows, heard = zip(*self._heard, strict=True)
        levels = _list_heard(self._kind, np.concatenate(rows, axis=1), np.concatenate(heard, axis=1))
        return settle(np.log(fit_choices(np.concatenate(heats, axis=1), list(levels), self.n_arms)))

    @cached_property
    def ranking(self) -> Indices:
        """All arms, best first: by the fit, then by score, then by luck."""
        return np.lexsort((self._luck, -settle(self.scores), -self.strengths), axis=1)

    @property
    def leader(self) -> int | None:
        """The arm of the first run with the best score, of those that were seen; None while all are equal."""
        seen = np.flatnonzero(self._pulled[0])
        scores = settle(self.scores[0, seen])
        if not seen.size or (scores == scores[0]).all():
            return None
        return int(seen[np.lexsort((self._luck[0, seen], -scores))[0]])

    @property
    def lead(self) -> float:
        """By how much the best arm of the first run leads the second in the fit, next to what their pulls can tell.

        A log-strength has a standard error of 2 / √pulls or more; this counts 1 / √pulls.
        """
        best, second = self.ranking[0, :2]
        errors = (1 / np.maximum(self._pulled[0, [best, second]], 1)).sum() ** 0.5
        return float((self.strengths[0, best] - self.strengths[0, second]) / errors)

    @property
    def winners(self) -> Indices:
        """The arm with the best fit."""
        return self.ranking[:, 0]

    def _deal(self, pulls: int) -> Indices:
        """Return the heats of a batch ``(reps, pulls, size)``."""
        scores = settle(self.scores)
        return self._deal_one(pulls, scores[0]) if self.reps == 1 else self._deal_many(pulls, scores)

    def _deal_many(self, pulls: int, scores: Array) -> Indices:
        size, pulled = self.spec.heat_size, self._pulled.copy()
        keys = self._put_new_first(_make_keys(scores, pulled, self._luck))
        heats = np.empty((self.reps, pulls, size), dtype=np.int64)
        for pull in range(pulls):
            best = np.argpartition(keys, self.n_arms - size, axis=1)[:, self.n_arms - size :]
            order = np.argsort(-np.take_along_axis(keys, best, axis=1), axis=1)
            best = np.take_along_axis(best, order, axis=1)
            heats[:, pull] = best
            there = np.take_along_axis(scores, best, axis=1)
            there = there + _expect(there)
            times = np.take_along_axis(pulled, best, axis=1) + 1
            np.put_along_axis(scores, best, there, axis=1)
            np.put_along_axis(pulled, best, times, axis=1)
            np.put_along_axis(
                keys, best, _make_keys(there, times, np.take_along_axis(self._luck, best, axis=1)), axis=1
            )
        return heats

    def _deal_one(self, pulls: int, scores: Array) -> Indices:
        """Do the same with a heap, which does not look at all arms for every pull."""
        size, luck = self.spec.heat_size, self._luck[0]
        keys = self._put_new_first(_make_keys(scores, self._pulled[0], luck))
        pool = min(self.n_arms, size * pulls)  # more cannot come to a turn
        front = np.argpartition(-keys, pool - 1)[:pool]
        heap = list(zip((-keys[front]).tolist(), front.tolist(), strict=True))
        heapq.heapify(heap)
        now = dict(zip(front.tolist(), scores[front].tolist(), strict=True))
        times: dict[int, int] = {}
        heats = []
        for _ in range(pulls):
            arms = [heapq.heappop(heap)[1] for _ in range(size)]
            heats.append(arms)
            there = np.array([now[arm] for arm in arms])
            there += _expect(there)
            pulled = [times.get(arm, int(self._pulled[0, arm])) + 1 for arm in arms]
            made = _make_keys(there, np.array(pulled), luck[arms])
            for arm, score, count, key in zip(arms, there.tolist(), pulled, made.tolist(), strict=True):
                now[arm], times[arm] = score, count
                heapq.heappush(heap, (-key, arm))
        return np.array(heats)[None]

    def _put_new_first(self, keys: Indices) -> Indices:
        """Let arms that were added come before all others, or, in a first batch that grew meanwhile, not at all."""
        ends = np.iinfo(np.int64)
        for place, arm in enumerate(self.new):
            keys[..., arm] = ends.max - place if self.round else ends.min + 1
        return keys


def _draw_luck(roots: Words, n_arms: int) -> Indices:
    """Return which of equal arms comes first: 0, then 1, …; more arms leave the order of the others as it is."""
    luck = draw_bits(roots[:, None], Purpose.DEAL, 0, np.arange(n_arms))
    return np.argsort(np.argsort(luck, axis=1), axis=1)


def _list_heard(kind: Kind | None, rows: Array, heard: Mask) -> Iterator[Level]:
    """Yield the choices that pulls ``(reps, pulls, size)`` make, of those that said something."""
    for each in () if kind is None else list_levels(kind, rows):
        yield Level(each.left & heard, each.shares * heard)


def _gain(level: Level) -> Array:
    """Return what choices of a place add to scores: log(m·p) to who is chosen, log(m(1 − p)/(m − 1)) to the others."""
    m = level.left.sum(axis=-1, keepdims=True)
    won, lost = _outcomes(np.maximum(m, 2))
    return np.where(level.left, level.shares * won + (1 - level.shares) * lost, 0.0)


def _expect(scores: Array) -> Array:
    """Return the gain to expect of a pull of arms with such scores ``(..., size)``."""
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    won, lost = _outcomes(np.array(scores.shape[-1]))
    gain: Array = chances * won + (1 - chances) * lost
    return gain


def _outcomes(m: Indices) -> tuple[Array, Array]:
    return np.log(m * BETTER), np.log(m * (1 - BETTER) / (m - 1))


def _make_keys(scores: Array, pulled: Indices, luck: Indices) -> Indices:
    """Return whole numbers that order arms: the larger, the sooner."""
    luck_bits = 63 - FRACTION_BITS - PULL_BITS - math.ceil(math.log2(LARGEST_SCORE)) - 1
    rounded = np.rint(np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE) * 2**FRACTION_BITS).astype(np.int64)
    most = 2**PULL_BITS - 1
    later = (most - np.minimum(pulled, most)) * 2**luck_bits - luck
    keys: Indices = rounded * 2 ** (PULL_BITS + luck_bits) + later
    return keys
