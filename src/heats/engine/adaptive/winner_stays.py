"""Winner stays, in batches: every pull takes the arms with the highest priority, and a loser makes room for the next.

``priorities`` reads the posterior of all pulls so far, and ``dealing`` makes heats of it. The first batch deals every
arm once, with at most a third of the budget; the rest goes into batches that shrink by a fifth. What a batch leads to
is a sum over its pulls in the order of their ids, so the order of telling cannot matter. The winner is the arm with the
largest chance to be the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Words
from heats.engine.adaptive.batches import divide
from heats.engine.adaptive.dealing.keys import ENDS, MOST_ARMS, make_keys
from heats.engine.adaptive.dealing.laps import deal_laps, draw_luck
from heats.engine.adaptive.dealing.many import Deal, deal_many
from heats.engine.adaptive.dealing.one import deal_one
from heats.engine.adaptive.dealing.repeats import Repeats, check_repeats
from heats.engine.adaptive.priorities import Priorities
from heats.engine.belief.data import Comparisons, add_up, collect, join
from heats.engine.belief.evidence import Evidence, gather
from heats.engine.belief.posterior import Posterior, find_posterior
from heats.engine.feedback import Kind
from heats.engine.game import Game, Said, Stage
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import StatisticLike, mean, win_rate, winner_shares
from heats.errors import InvalidArgument


class WinnerStays(Game, spec=AdaptiveSpec):
    """Runs of adaptive play, in step; ``rule`` is the number of its rule, which journals keep."""

    rule: ClassVar[int] = 2

    def __init__(self, spec: AdaptiveSpec, statistic: StatisticLike, roots: Words) -> None:
        super().__init__(spec, statistic, roots, [spec.heat_size])
        if self.statistic is not mean and self.statistic is not win_rate:
            raise InvalidArgument(
                "{statistic} would be ignored: adaptive play has a rule of its own. Score by heats.mean or "
                "heats.win_rate, or play a plan.",
                statistic=statistic,
            )
        if spec.n_arms > MOST_ARMS:
            raise InvalidArgument(
                f"{{n_arms}} are too many to play adaptively; up to {MOST_ARMS} are not.", n_arms=spec.n_arms
            )
        check_repeats(spec.n_arms, spec.heat_size, spec.budget, spec.most_per_set)
        self.sizes = divide(spec.n_arms, spec.heat_size, spec.budget, spec.batches)
        self._priorities, self._known = Priorities(self.reps, self.n_arms), 0  # and how many batches it knows of
        self._pulled: Indices = np.zeros((self.reps, self.n_arms), dtype=np.int64)
        self._roots = roots
        self._luck = draw_luck(roots, self.n_arms)
        self.new: list[int] = []  # arms that were added and not pulled yet, in that order
        self._told: list[Comparisons] = []  # batch by batch
        most = spec.most_per_set
        self._repeats = None if most is None else Repeats(most, self.reps)
        self._counted = 0  # batches whose heats it knows
        self._kind: Kind | None = None
        self._stage: Stage | None = None

    @property
    def round(self) -> int:
        """How many batches are over."""
        return len(self._told)

    def most_values(self, *, by_means: bool) -> int:
        """Return the numbers of all pulls, which are kept, and of all pairs of their arms, which fits may look at."""
        return int(self.spec.budget * self.spec.heat_size * (self.spec.heat_size + 1))

    def check_kind(self, kind: Kind) -> None:
        """Take all of them."""

    def stage(self) -> Stage | None:
        """Deal the next batch."""
        if self._stage is None and self.round < len(self.sizes):
            self._stage = Stage(self._deal(self.sizes[self.round]), pulls=1)
        return self._stage

    def give(self, heats: Indices) -> None:
        """Have this batch ``(reps, pulls, size)`` under way, whatever would be dealt."""
        self._stage = Stage(heats, pulls=1)

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Add up what the pulls of the batch say."""
        assert self._stage is not None
        rows, heats = observations[..., 0, :], self._stage.heats
        told = np.ones(heats.shape[:2], dtype=bool) if heard is None else heard[..., 0]
        if kind is Kind.REWARDS and self.statistic is win_rate:
            kind, rows = Kind.WINNER, winner_shares(np.where(told[..., None], rows, 0.0))
        places = heats + np.arange(self.reps)[:, None, None] * self.n_arms
        self._pulled += add_up(places, np.ones(heats.shape), self._pulled.shape).astype(np.int64)
        self.new = [arm for arm in self.new if not self._pulled[:, arm].all()]
        self._told.append(collect(heats, rows, told))
        self._kind = kind or self._kind
        self.take_back()

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Know only what is left; batches stay as dealt, and the priorities are found anew."""
        for number, (_, heard) in past:
            if heard is not None:
                self._told[number] = self._told[number].keep(heard[..., 0])
        self._kind = kind and self._kind
        self._priorities, self._known = Priorities(self.reps, self.n_arms), 0
        self._forget_posterior()

    def take_back(self) -> None:
        """Discard the batch under way: the next one is dealt when it is asked for; the posterior may change."""
        self._stage = None
        self._forget_posterior()

    def lengthen(self, budget: int, *, is_under_way: bool) -> None:
        """Go on to a larger budget; a later batch that is under way stays, a first one grows."""
        self.sizes = self.divide_anew(budget, is_under_way=is_under_way)
        if not self.round:
            self.take_back()

    def cut(self, pulls: int) -> None:
        """Let the batch under way have only so many pulls; those that the first one leaves out come next."""
        self.sizes = self._divide_after((*self.sizes[: self.round], pulls), self.total)
        if not self.round:
            self.new = [*np.argsort(self._luck[0, : self.spec.n_arms]).tolist(), *self.new]

    def divide_anew(self, budget: int, *, is_under_way: bool) -> tuple[int, ...]:
        """Return the batches of a larger budget: what is not dealt is divided anew; a first one grows, others stay."""
        return self._divide_after(self.sizes[: self.round + is_under_way] if self.round else (), budget)

    def _divide_after(self, kept: tuple[int, ...], budget: int) -> tuple[int, ...]:
        """Return the batches of a budget of which some are kept."""
        sizes = divide(self.spec.n_arms, self.spec.heat_size, budget, self.spec.batches)
        if not kept:
            return sizes
        cuts = np.cumsum(sizes)
        ends = [sum(kept), *cuts[cuts > sum(kept)].tolist()]
        return (*kept, *(end - start for start, end in pairwise(ends)))

    def end(self) -> None:
        """Make no more batches."""
        self.sizes = self.sizes[: self.round]
        self.take_back()

    def add_arms(self, arms: int) -> None:
        """Have so many more arms, from the next batch on, which deals them first."""
        self.priorities.add_arms(arms)  # first: what was told is of the arms so far
        self.new += range(self.n_arms, self.n_arms + arms)
        self.n_arms += arms
        self._forget_posterior()
        self._pulled = np.pad(self._pulled, ((0, 0), (0, arms)))
        self._luck = draw_luck(self._roots, self.n_arms)

    @property
    def priorities(self) -> Priorities:
        """What the next batch is dealt by."""
        self._update()
        return self._priorities

    def _update(self) -> None:
        """Take in all batches that are over, one after the other: what they lead to must not depend on when."""
        while self._known < self.round:
            self._known += 1
            if (evidence := self._gather(self._known)) is not None:
                self._priorities.update(evidence, self._known)

    @property
    def evidence(self) -> Evidence | None:
        """What was told in all batches that are over; None while nothing was."""
        return self._gather(self.round)

    @cached_property
    def posterior(self) -> Posterior | None:
        """What is known of all arms by all batches that are over; None while nothing was told."""
        evidence = self.evidence
        return None if evidence is None else find_posterior(evidence)

    def _forget_posterior(self) -> None:
        self.__dict__.pop("posterior", None)

    @property
    def ranking(self) -> Indices:
        """All arms, the likeliest to be the best first; then by luck."""
        if self.posterior is None:
            return np.argsort(self._luck, axis=1)
        return self.posterior.rank(self._luck)

    @property
    def winners(self) -> Indices:
        """The arm with the largest chance to be the best."""
        return self.ranking[:, 0]

    @property
    def leader(self) -> int | None:
        """The first arm of the first run so far, of those that were seen; None while all are equal."""
        if self.posterior is None or (self.posterior.chances[0] == self.posterior.chances[0, 0]).all():
            return None
        return next((arm for arm in self.ranking[0].tolist() if self._pulled[0, arm]), None)

    def _gather(self, batches: int) -> Evidence | None:
        """Return the evidence of the first batches; None while nothing was told."""
        told = self._told[:batches]
        if self._kind is None or not any(each.told.any() for each in told):
            return None
        return gather(self._kind, [join(told)], self.n_arms)

    def _deal(self, pulls: int) -> Indices:
        """Return the heats of a batch ``(reps, pulls, size)``."""
        size, repeats = self.spec.heat_size, self._count_repeats()
        if not self.round:  # arms that were added meanwhile wait
            return deal_laps(self._roots, self.spec.n_arms, size, pulls, repeats)
        self.priorities.spend(sum(self.sizes[: self.round]) / self.total)
        keys = self._put_new_first(make_keys(self.priorities.values, self._pulled, self._luck))
        deal = deal_one if self.reps == 1 else deal_many
        return deal(Deal(self.priorities, self._pulled, self._luck, keys, pulls, size, repeats))

    def _count_repeats(self) -> Repeats | None:
        """Return how often every set was dealt in the batches that are over, if that is limited."""
        if self._repeats is None:
            return None
        for batch in self._told[self._counted :]:
            self._repeats.note(np.moveaxis(batch.arms, 0, -1))
        self._counted = self.round
        return self._repeats.copy()

    def _put_new_first(self, keys: Indices) -> Indices:
        """Let arms that were added come before all others."""
        for place, arm in enumerate(self.new):
            keys[..., arm] = (ENDS - 1 - place) * MOST_ARMS - self._luck[:, arm]
        return keys
