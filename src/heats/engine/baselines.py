"""What the paper compares with: RoundRobin (Appendix C) and Successive Halving (Section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Order, Words
from heats.base.checks import true_or_false, whole
from heats.base.randomness import Purpose, shuffle
from heats.engine.feedback import Kind
from heats.engine.game import Game, Said, ScoredGame, Stage
from heats.engine.machine import Machine
from heats.engine.report import Report, RoundReport
from heats.engine.scoring import Seen, see, settle
from heats.engine.sets import random_sets
from heats.engine.specs import HalvingSpec, RoundRobinSpec
from heats.engine.statistics import StatisticLike, mean, win_rate
from heats.errors import BadFeedback, BudgetTooSmall, InvalidArgument
from heats.planning.plan import check_problem


class RoundRobinReport(Report, frozen=True, dict=True):
    """Also holds each arm's empirical Borda and Copeland score; None for an arm that was never seen."""

    borda: tuple[float | None, ...] = ()
    copeland: tuple[float | None, ...] = ()
    copeland_winner: int | None = None


class AllSets(ScoredGame, spec=RoundRobinSpec):
    """The first ``budget`` sets of ``heat_size`` arms in a random order, in turn; the best mean score wins."""

    def __init__(self, spec: RoundRobinSpec, statistic: StatisticLike, roots: Words) -> None:
        super().__init__(spec, statistic, roots, [spec.heat_size])
        self.sizes = (spec.budget,)
        self.borda: Array | None = None  # by arm, NaN for arms never seen
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
        tops = (seen.scores == seen.scores.max(axis=-1, keepdims=True)).astype(np.float64)
        self.copeland = self.mean_by_arm(kind, self._stage.heats, tops, seen.verdicts)

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Average anew."""
        for _, said in past:
            self.finish(kind, see(self.statistic, kind, *said))

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
        means = self._sets.mean_by_arm(self._kind, arms[None], observations[None])
        return int(self._sets.best_first(means)[0, 0])

    def report(self) -> RoundRobinReport:
        """Say what has been found; the scores come with the last pull."""
        sets = self._sets
        ranked = [] if sets.borda is None else sets.best_first(sets.borda)[0].tolist()
        return RoundRobinReport(
            algorithm="round-robin",
            budget=self.budget,
            sureness=None,
            rounds=(),
            **self._state(ranked[1] if ranked else None),
            borda=_or_none(sets.borda),
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


class Halving(Game, spec=HalvingSpec):
    """Every arm left is pulled alone and scored by all its pulls so far; the better half stays."""

    def __init__(self, spec: HalvingSpec, statistic: StatisticLike, roots: Words) -> None:
        super().__init__(spec, statistic, roots, [1])
        self.sizes = tuple(_list_rounds(spec.n_arms, spec.budget))
        self.arms = np.broadcast_to(np.arange(spec.n_arms), (roots.size, spec.n_arms))
        self.rounds: list[tuple[Indices, Array | None, int]] = []  # arms best first, their scores, pulls of each
        self._seen = np.empty((roots.size, spec.n_arms, 0))  # all observations of the arms still in; NaN: no verdict
        self._dealt: list[Indices] = []  # the arms of these rounds as dealt
        self._roots = roots[:, None]
        self._stage: Stage | None = None

    @property
    def round(self) -> int:
        """How many halvings are over."""
        return len(self.rounds)

    @property
    def pulled(self) -> int:
        """How often every arm was pulled so far."""
        return self._seen.shape[-1]

    def most_values(self, *, by_means: bool) -> int:
        """Return the numbers of all pulls, which are kept."""
        return int(self.spec.budget)

    @property
    def winners(self) -> Indices:
        """The arm that is left."""
        return self.arms[:, 0]

    def stage(self) -> Stage | None:
        """Deal single arms in a seeded shuffle; a round without pulls is decided at once."""
        while self._stage is None and self.round < len(self.sizes):
            order = shuffle(self._roots, Purpose.DEAL, self.round, self.arms)
            self._take(order)
            pulls = self.sizes[self.round] // order.shape[1]
            if pulls:
                self._stage = Stage(self.arms[..., None], pulls)
            else:
                self._halve(self._scores(self._seen), pulls)
        return self._stage

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Score every arm by all it has shown."""
        assert self._stage is not None
        seen = np.concatenate([self._seen, _read_single(observations, heard)], axis=-1)
        scores = self._scores(seen)
        self._seen = seen
        self._halve(scores, self._stage.pulls)

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Know only what is left of what was seen, and note which rounds would have kept others."""
        said, seen, overturned = dict(past), np.empty((1, self.n_arms, 0)), []
        for number, (ranked, _, pulls) in enumerate(self.rounds):
            dealt = self._dealt[number]
            if number in said:
                fresh = np.full((1, self.n_arms, pulls), np.nan)
                fresh[0, dealt[0]] = _read_single(*said[number])[0]
                seen = np.concatenate([seen, fresh], axis=-1)
            order = _rank_scores(dealt, self._scores(seen[:, dealt[0]]))
            keep = -(-dealt.shape[1] // 2)
            if set(dealt[0, order[0, :keep]].tolist()) != set(ranked[0, :keep].tolist()):
                overturned.append(number)
        self._seen, self.overturned = seen[:, self.arms[0]], tuple(overturned)

    def check_kind(self, kind: Kind) -> None:
        """Take numbers only."""
        if kind is not Kind.REWARDS:
            raise BadFeedback(f"SuccessiveHalving pulls single arms and takes numbers only, not {kind.value} feedback.")

    def _scores(self, seen: Array) -> Array | None:
        if not seen.shape[-1]:
            return None
        heard = ~np.isnan(seen)
        return see(self.statistic, Kind.REWARDS, seen[..., None], None if heard.all() else heard).scores[..., 0]

    def _halve(self, scores: Array | None, pulls: int) -> None:
        order = _rank_scores(self.arms, scores)
        self._dealt.append(self.arms)
        ranked = None if scores is None else np.take_along_axis(scores, order, axis=-1)
        self.rounds.append((np.take_along_axis(self.arms, order, axis=-1), ranked, pulls))
        self._take(order[:, : -(-order.shape[1] // 2)])
        self._stage = None

    def _take(self, which: Order) -> None:
        """Go on with these of the arms still in, in this order, and with what was seen of them."""
        self.arms = np.take_along_axis(self.arms, which, axis=-1)
        self._seen = np.take_along_axis(self._seen, which[..., None], axis=1)


def _list_rounds(n_arms: int, budget: int) -> Iterator[int]:
    """Yield how many pulls every halving has: each gets an equal part of the budget, and so does each arm left."""
    halvings = (n_arms - 1).bit_length()  # ⌈log₂ n⌉
    for _ in range(halvings):
        yield n_arms * (budget // (n_arms * halvings))
        n_arms = -(-n_arms // 2)


class SuccessiveHalving(Machine, spec=HalvingSpec):
    """Single arms, no comparison: in each of ⌈log₂ n⌉ rounds pull every arm equally often, keep the better half.

    Every arm left gets ⌊B/(|S_r| ⌈log₂ n⌉)⌋ pulls in round r and is scored by all its pulls so far, as in
    Jamieson and Talwalkar (2016). For the paper's comparison (Section 6) give it a budget of k·B.
    """

    def __init__(
        self, n_arms: int, budget: int, *, statistic: StatisticLike = mean, seed: int = 0, blind: bool = False
    ) -> None:
        n = whole("n_arms", n_arms, 2, why="one candidate needs no comparison")
        self.budget = whole("budget", budget, 1, why="without a pull nothing can be found")
        self.blind = true_or_false("blind", blind)
        halvings = (n - 1).bit_length()
        least = n * halvings
        if self.budget < least and not blind:
            raise BudgetTooSmall(
                f"{{budget}} leaves arms without a single pull: {n} arms share it over {halvings} "
                f"rounds. Give at least {least} pulls, or allow unseen arms with {{blind}}.",
                budget=budget,
                blind=True,
            )
        if statistic is win_rate or getattr(statistic, "name", "") == "positional":
            raise InvalidArgument(
                f"{statistic!r} compares arms of a heat, but here each is pulled alone; use heats.mean."
            )
        super().__init__(HalvingSpec(n, self.budget, self.blind), statistic, seed)

    @property
    def leader(self) -> int | None:
        """The best arm of the last finished round; None before the first."""
        rounds = self._halving.rounds
        return int(rounds[-1][0][0, 0]) if rounds else None

    def report(self) -> Report:
        """Say what has been found; a round is one list of all its arms, best first."""
        rounds = tuple(
            RoundReport(
                heats=(tuple(arms[0].tolist()),),
                scores=None if scores is None else (tuple(scores[0].tolist()),),
                keep=-(-arms.shape[1] // 2),
                pulls=pulls,
            )
            for arms, scores, pulls in self._halving.rounds
        )
        return Report(
            algorithm="successive-halving",
            budget=self.budget,
            sureness=None,
            rounds=rounds,
            **self._state(rounds[-1].heats[0][1] if self.done else None),
        )

    def list_exits(self) -> list[int | None]:
        """Return of every arm the round it left in."""
        exits: list[int | None] = [None] * self.n_arms
        for number, (arms, _, _) in enumerate(self._halving.rounds, 1):
            for arm in arms[0, -(-arms.shape[1] // 2) :].tolist():
                exits[arm] = number
        return exits

    @classmethod
    def _from_spec(cls, spec: HalvingSpec, statistic: StatisticLike, seed: int) -> SuccessiveHalving:
        return cls(spec.n_arms, spec.budget, statistic=statistic, seed=seed, blind=spec.blind)

    @property
    def _halving(self) -> Halving:
        assert isinstance(self.game, Halving)
        return self.game


def _read_single(observations: Array, heard: Mask | None) -> Array:
    """Return what pulls of single arms observed ``(reps, arms, pulls)``; NaN: no verdict."""
    return observations[..., 0] if heard is None else np.where(heard, observations[..., 0], np.nan)


def _rank_scores(dealt: Indices, scores: Array | None) -> Order:
    """Return the order of arms, best first; equal ones, or all if nobody looked, as dealt."""
    return np.argsort(-(np.zeros(dealt.shape) if scores is None else scores), axis=-1, kind="stable")


def _or_none(scores: Array | None) -> tuple[float | None, ...]:
    return () if scores is None else tuple(None if math.isnan(score) else score for score in scores[0].tolist())
