"""Single arms, pulled alone; round by round the better half stays (Section 6; Jamieson and Talwalkar, 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Order, Words
from heats.base.checks import true_or_false, whole
from heats.base.randomness import Purpose, shuffle
from heats.engine.feedback import Kind
from heats.engine.game import Game, Said, Stage
from heats.engine.machine import Machine
from heats.engine.report import Report, RoundReport
from heats.engine.scoring import Seen, find_level, see
from heats.engine.specs import HalvingSpec
from heats.engine.statistics import StatisticLike, mean, win_rate
from heats.errors import BadFeedback, BudgetTooSmall, InvalidArgument


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
                self._halve(self._see(self._seen), pulls)
        return self._stage

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Score every arm by all it has shown."""
        assert self._stage is not None
        seen = np.concatenate([self._seen, _read_single(observations, heard)], axis=-1)
        found = self._see(seen)
        self._seen = seen
        self._halve(found, self._stage.pulls)

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Know only what is left of what was seen, and note which rounds would have kept others."""
        said, seen, overturned = dict(past), np.empty((1, self.n_arms, 0)), []
        for number, (ranked, _, pulls) in enumerate(self.rounds):
            dealt = self._dealt[number]
            if number in said:
                fresh = np.full((1, self.n_arms, pulls), np.nan)
                fresh[0, dealt[0]] = _read_single(*said[number])[0]
                seen = np.concatenate([seen, fresh], axis=-1)
            order = _rank_scores(dealt, self._see(seen[:, dealt[0]]))
            keep = -(-dealt.shape[1] // 2)
            if set(dealt[0, order[0, :keep]].tolist()) != set(ranked[0, :keep].tolist()):
                overturned.append(number)
        self._seen, self.overturned = seen[:, self.arms[0]], tuple(overturned)

    def check_kind(self, kind: Kind) -> None:
        """Take numbers only."""
        if kind is not Kind.REWARDS:
            raise BadFeedback(f"SuccessiveHalving pulls single arms and takes numbers only, not {kind.value} feedback.")

    def _see(self, seen: Array) -> Seen | None:
        """Return what all pulls of every arm said; None if there were none."""
        if not seen.shape[-1]:
            return None
        heard = ~np.isnan(seen)
        observations, known = seen[..., None], None if heard.all() else heard
        level = find_level(observations, known, of_runs=True)
        return see(self.statistic, Kind.REWARDS, observations, known, level=level, show=self.reps == 1)

    def _halve(self, found: Seen | None, pulls: int) -> None:
        order = _rank_scores(self.arms, found)
        self._dealt.append(self.arms)
        shown = None if found is None else found.scores if found.shown is None else found.shown
        ranked = None if shown is None else np.take_along_axis(shown[..., 0], order, axis=-1)
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


def _rank_scores(dealt: Indices, found: Seen | None) -> Order:
    """Return the order of arms, best first, those without a verdict last; equal ones, or all if none has, as dealt."""
    scores = np.zeros(dealt.shape)
    if found is not None:
        scores = np.where(np.asarray(found.verdicts) > 0, found.scores[..., 0], -np.inf)
    return np.argsort(-scores, axis=-1, kind="stable")
