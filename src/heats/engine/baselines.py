"""What the paper compares with: RoundRobin (Appendix C) and Successive Halving (Section 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from heats.base import randomness
from heats.base.arrays import Array, Indices
from heats.base.checks import whole
from heats.base.randomness import Purpose
from heats.engine.elimination import deal
from heats.engine.feedback import Kind
from heats.engine.machine import Dealt, Machine, Stage
from heats.engine.report import Report, RoundReport
from heats.engine.sets import RandomSets
from heats.engine.statistics import StatisticLike, as_statistic, mean, score, settle, win_rate
from heats.errors import BadFeedback, BudgetTooSmall, InvalidArgument
from heats.planning.plan import check_problem


class RoundRobinReport(Report, frozen=True):
    """Also holds each arm's empirical Borda and Copeland score; None for an arm that was never seen."""

    borda: tuple[float | None, ...] = ()
    copeland: tuple[float | None, ...] = ()
    copeland_winner: int | None = None


class RoundRobin(Machine):
    """Pull all sets of ``heat_size`` arms in turn, in a random order; return the best empirical Borda score.

    The paper assumes a budget that is a multiple of C(n, k). In practice it is far below: the sets are drawn
    without repetition and never listed, and an arm is averaged over the sets it was seen in. Arms never
    seen cannot win.
    """

    def __init__(
        self, n_arms: int, heat_size: int, budget: int, *, statistic: StatisticLike = mean, seed: int = 0
    ) -> None:
        self.n_arms, self.heat_size, self.budget = check_problem(n_arms, heat_size, budget)
        self._borda: Array | None = None
        self._copeland: Array | None = None
        super().__init__(as_statistic(statistic, [heat_size]), seed)
        self._sets = RandomSets(self._root, self.n_arms, self.heat_size, self.budget)
        self._open(_Turns(self._sets, self.budget))

    @property
    def winner(self) -> int | None:
        """The arm with the best empirical Borda score; None before the end."""
        return None if self._borda is None else int(self._best_first(self._borda)[0])

    @property
    def leader(self) -> int | None:
        """The arm with the best mean observation so far; None before the first pull."""
        if self.done or not self.spent:
            return self.winner
        heats, observations = self._so_far()
        return int(self._best_first(self._mean_by_arm(self._sets.take(heats), observations))[0])

    def report(self) -> RoundRobinReport:
        """Say what has been found; the scores come with the last pull."""
        ranked = [] if self._borda is None else self._best_first(self._borda).tolist()
        return RoundRobinReport(
            algorithm="round-robin",
            n_arms=self.n_arms,
            budget=self.budget,
            spent=self.spent,
            done=self.done,
            winner=self.winner,
            runner_up=ranked[1] if ranked else None,
            rivals=None,
            sureness=None,
            rounds=(),
            borda=_or_none(self._borda),
            copeland=_or_none(self._copeland),
            copeland_winner=None if self._copeland is None else int(self._best_first(self._copeland)[0]),
        )

    def _finish(self, observations: Array) -> None:
        count = self._sets.count
        full, extra = divmod(self.budget, count)  # the first `extra` sets had one turn more
        turns = observations[: full * count].reshape(full, count, -1).swapaxes(0, 1)  # (sets, pulls, size)
        scores = self._scores(turns[extra:])
        if extra:
            longer = np.concatenate([turns[:extra], observations[full * count :, None, :]], axis=1)
            scores = np.concatenate([self._scores(longer), scores])
        arms = self._sets.take(np.arange(count))
        self._borda = self._mean_by_arm(arms, scores)
        self._copeland = self._mean_by_arm(arms, (scores == scores.max(axis=-1, keepdims=True)).astype(np.float64))

    def _scores(self, observations: Array) -> Array:
        return score(self._adapted, self._known_kind, observations)

    def _mean_by_arm(self, arms: Indices, values: Array) -> Array:
        """Average over the sets an arm was seen in; NaN for arms never seen."""
        seen = np.bincount(arms.ravel(), minlength=self.n_arms)
        total = np.bincount(arms.ravel(), weights=values.ravel(), minlength=self.n_arms)
        with np.errstate(invalid="ignore"):
            average: Array = total / seen
        return average if self._kind is Kind.REWARDS else settle(average)

    def _best_first(self, scores: Array) -> NDArray[np.intp]:
        """Arms by score, ties by a seeded shuffle, arms never seen last."""
        order = randomness.shuffle(self._root, Purpose.DEAL, 0, np.arange(self.n_arms))
        return order[np.argsort(np.nan_to_num(-scores[order], nan=np.inf), kind="stable")]


class _Turns(Stage):
    """All sets once, then all again, while the budget lasts."""

    def __init__(self, sets: RandomSets, budget: int) -> None:
        super().__init__(0, 0, budget, sets.size)
        self._sets = sets

    def heat_of(self, pulls: Indices) -> Indices:
        return pulls % self._sets.count

    def arms_of(self, heats: Indices) -> Indices:
        return self._sets.take(heats)


class SuccessiveHalving(Machine):
    """Single arms, no comparison: in each of ⌈log₂ n⌉ rounds pull every arm equally often, keep the better half.

    Every arm left gets ⌊B/(|S_r| ⌈log₂ n⌉)⌋ pulls in round r and is scored by all its pulls so far, as in
    Jamieson and Talwalkar (2016). For the paper's comparison (Section 6) give it a budget of k·B.
    """

    def __init__(
        self, n_arms: int, budget: int, *, statistic: StatisticLike = mean, seed: int = 0, blind: bool = False
    ) -> None:
        self.n_arms = whole("n_arms", n_arms, 2, why="one candidate needs no comparison")
        self.budget = whole("budget", budget, 1, why="without a pull nothing can be found")
        self._halvings = (self.n_arms - 1).bit_length()  # ⌈log₂ n⌉
        least = self.n_arms * self._halvings
        if self.budget < least and not blind:
            raise BudgetTooSmall(
                f"budget={budget} leaves arms without a single pull: {n_arms} arms share it over {self._halvings} "
                f"rounds. Give at least {least} pulls, or allow unseen arms with blind=True."
            )
        if statistic is win_rate or getattr(statistic, "name", "") == "positional":
            raise InvalidArgument(
                f"{statistic!r} compares arms of a heat, but here each is pulled alone; use heats.mean."
            )
        self._arms = np.arange(self.n_arms)
        self._seen = np.empty((self.n_arms, 0))  # all observations of the arms still in
        self._rounds: list[RoundReport] = []
        super().__init__(as_statistic(statistic, [1]), seed)
        self._advance()

    @property
    def winner(self) -> int | None:
        """The arm that is left; None before the end."""
        return int(self._arms[0]) if self.done else None

    @property
    def leader(self) -> int | None:
        """The best arm of the last finished round; None before the first."""
        return self._rounds[-1].heats[0][0] if self._rounds else None

    def report(self) -> Report:
        """Say what has been found; a round is one list of all its arms, best first."""
        return Report(
            algorithm="successive-halving",
            n_arms=self.n_arms,
            budget=self.budget,
            spent=self.spent,
            done=self.done,
            winner=self.winner,
            runner_up=self._rounds[-1].heats[0][1] if self.done else None,
            rivals=None,
            sureness=None,
            rounds=tuple(self._rounds),
        )

    def _advance(self) -> None:
        while len(self._rounds) < self._halvings:
            dealt, _ = deal(
                self._root, len(self._rounds), self._arms, np.zeros(self._arms.size, bool), self._arms.size, 1
            )
            self._order = np.searchsorted(self._arms, dealt[:, 0])  # where each arm, as dealt, stands in _arms
            self._pulls = self.budget // (self._arms.size * self._halvings)
            if self._pulls:
                self._open(Dealt(len(self._rounds), self._next_id, dealt, self._pulls))
                return
            self._halve(dealt[:, 0], self._seen[self._order])

    def _finish(self, observations: Array) -> None:
        seen = np.concatenate([self._seen[self._order], observations.reshape(self._arms.size, self._pulls)], axis=1)
        self._halve(self._arms[self._order], seen)
        self._advance()

    def _halve(self, arms: Indices, seen: Array) -> None:
        pulled = seen.shape[1] > 0
        scores = score(self.statistic, Kind.REWARDS, seen[..., None])[:, 0] if pulled else np.zeros(arms.size)
        order = np.argsort(-scores, kind="stable")
        keep = -(-arms.size // 2)
        self._rounds.append(
            RoundReport(
                heats=(tuple(arms[order].tolist()),),
                scores=(tuple(scores[order].tolist()),) if pulled else None,
                keep=keep,
                pulls=self._pulls,
            )
        )
        kept = order[:keep]
        ascending = kept[np.argsort(arms[kept])]
        self._arms, self._seen = arms[ascending], seen[ascending]

    def _check_kind(self, kind: Kind) -> None:
        if kind is not Kind.REWARDS:
            raise BadFeedback(f"SuccessiveHalving pulls single arms and takes numbers only, not {kind.value} feedback.")
        super()._check_kind(kind)


def _or_none(scores: Array | None) -> tuple[float | None, ...]:
    return () if scores is None else tuple(None if math.isnan(score) else score for score in scores.tolist())
