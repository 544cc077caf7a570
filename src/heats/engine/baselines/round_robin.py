"""All sets of arms in turn, in a random order, as far as the budget goes (Appendix C)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from heats.base.arrays import Array, Indices, Order, Words
from heats.base.randomness import Purpose, shuffle
from heats.engine.feedback import Kind
from heats.engine.game import Said, ScoredGame, Stage
from heats.engine.machine import Machine
from heats.engine.report import Report
from heats.engine.scoring import Seen, choose_level, settle
from heats.engine.sets import random_sets
from heats.engine.specs import RoundRobinSpec
from heats.engine.statistics import StatisticLike, mean
from heats.planning.plan import check_problem


class RoundRobinReport(Report, frozen=True, dict=True):
    """Also holds each arm's empirical Borda and Copeland score; None for an arm that was never seen."""

    borda: tuple[float | None, ...] = ()
    copeland: tuple[float | None, ...] = ()
    copeland_winner: int | None = None


class AllSets(ScoredGame, spec=RoundRobinSpec):
    """The first ``budget`` sets of ``heat_size`` arms in a random order, in turn; the best mean score wins."""

    compares_heats = True

    def __init__(self, spec: RoundRobinSpec, statistic: StatisticLike, roots: Words) -> None:
        super().__init__(spec, statistic, roots, [spec.heat_size])
        self.sizes = (spec.budget,)
        self.borda: Array | None = None  # by arm, to be compared; NaN for arms never seen
        self.shown: Array | None = None  # the same in the units of what was told
        self.copeland: Array | None = None
        self._roots = roots[:, None]
        sets = random_sets(roots, spec.n_arms, spec.heat_size, spec.budget)
        pulls, extra = divmod(spec.budget, sets.shape[1])
        self._stage = Stage(sets, pulls, extra, in_turns=True)

    @property
    def round(self) -> int:
        """There is only one."""
        return int(self.borda is not None)

    def most_values(self, *, by_means: bool) -> int:
        """Return the numbers of all sets."""
        return int(self.spec.heat_size * (min(self.spec.budget, self._stage.count) if by_means else self.spec.budget))

    @property
    def winners(self) -> Indices:
        """The arm with the best empirical Borda score."""
        assert self.borda is not None
        return self.best_first(self.borda)[:, 0]

    def check_kind(self, kind: Kind) -> None:
        """Take all of them."""

    def stage(self) -> Stage | None:
        """Return all sets at once."""
        return self._stage if self.borda is None else None

    def finish(self, kind: Kind | None, seen: Seen) -> None:
        """Average every arm over the sets it was seen in."""
        self.borda = self.mean_by_arm(kind, self._stage.heats, seen.scores, seen.verdicts)
        shown = seen.shown
        self.shown = self.borda if shown is None else self.mean_by_arm(kind, self._stage.heats, shown, seen.verdicts)
        tops = (seen.scores == seen.scores.max(axis=-1, keepdims=True)).astype(np.float64)
        self.copeland = self.mean_by_arm(kind, self._stage.heats, tops, seen.verdicts)

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Average anew."""
        for _, said in past:
            self.hear(kind, *said)

    def mean_by_arm(self, kind: Kind | None, sets: Indices, values: Array, verdicts: Indices | int = 1) -> Array:
        """Average values ``(reps, sets, size)`` over the sets an arm was seen in; NaN for arms never seen."""
        seen = np.broadcast_to(np.asarray(verdicts)[..., None] > 0, sets.shape).ravel()
        places = (sets + (np.arange(self.reps) * self.n_arms)[:, None, None]).ravel()
        count = np.bincount(places, weights=seen, minlength=self.reps * self.n_arms)
        total = np.bincount(places, weights=seen * values.ravel(), minlength=self.reps * self.n_arms)
        with np.errstate(invalid="ignore"):
            average: Array = (total / count).reshape(self.reps, self.n_arms)
        return average if kind is Kind.REWARDS else settle(average)

    def best_first(self, scores: Array) -> Order:
        """Return arms by score, ties by a seeded shuffle, arms never seen last."""
        order = shuffle(self._roots, Purpose.DEAL, 0, np.arange(self.n_arms))
        ranked = np.nan_to_num(-np.take_along_axis(scores, order, axis=-1), nan=np.inf)
        return np.take_along_axis(order, np.argsort(ranked, axis=-1, kind="stable"), axis=-1)


class RoundRobin(Machine, spec=RoundRobinSpec):
    """Pull all sets of ``heat_size`` arms in turn, in a random order; return the best empirical Borda score.

    The paper assumes a budget that is a multiple of C(n, k). In practice it is far below: the sets are drawn
    without repetition and never listed, and an arm is averaged over the sets it was seen in. Arms never
    seen cannot win.
    """

    def __init__(
        self, n_arms: int, heat_size: int, budget: int, *, statistic: StatisticLike = mean, seed: int = 0
    ) -> None:
        n, self.heat_size, self.budget = check_problem(n_arms, heat_size, budget)
        super().__init__(RoundRobinSpec(n, self.heat_size, self.budget), statistic, seed)

    @property
    def leader(self) -> int | None:
        """The arm with the best mean observation so far; None before the first pull."""
        if self.done:
            return self.winner
        arms, observations = self._so_far()
        if not len(arms):
            return None
        level = choose_level(observations.min(), observations.max())
        means = self._sets.mean_by_arm(self._kind, arms[None], observations[None] - level)
        return int(self._sets.best_first(means)[0, 0])

    def report(self) -> RoundRobinReport:
        """Say what has been found; the scores come with the last pull."""
        sets = self._sets
        ranked = [] if sets.borda is None else sets.best_first(sets.borda)[0].tolist()
        state = self._state(ranked[1] if ranked else None)
        # Means may differ even where no pull tells its arms apart.
        state["by_lot"] &= len({*_or_none(sets.borda)} - {None}) <= 1
        return RoundRobinReport(
            algorithm="round-robin",
            budget=self.budget,
            sureness=None,
            rounds=(),
            **state,
            borda=_or_none(sets.shown),
            copeland=_or_none(sets.copeland),
            copeland_winner=None if sets.copeland is None else int(sets.best_first(sets.copeland)[0, 0]),
        )

    def list_exits(self) -> list[int | None]:
        """Say that nobody leaves."""
        return [None] * self.n_arms

    @classmethod
    def _from_spec(cls, spec: RoundRobinSpec, statistic: StatisticLike, seed: int) -> RoundRobin:
        return cls(spec.n_arms, spec.heat_size, spec.budget, statistic=statistic, seed=seed)

    @property
    def _sets(self) -> AllSets:
        assert isinstance(self.game, AllSets)
        return self.game


def _or_none(scores: Array | None) -> tuple[float | None, ...]:
    return () if scores is None else tuple(None if math.isnan(score) else score for score in scores[0].tolist())
