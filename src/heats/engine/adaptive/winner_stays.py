"""Winner stays, in batches: every pull takes the arms that look best, and a loser makes room for the next.

How good arms look is a question of what kind of world it is (``outlook``); ``dealing`` makes heats of it. The first
batch deals everybody once, with at most a third of the budget; the rest goes into batches that shrink by a fifth. What
a batch leads to is a sum over its pulls in the order of their ids, so the order of telling cannot matter. In the end
the arm wins that looks best: by its score if company decides, by its strength if strengths last, unless another one got
more reward whenever the two met.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
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
from heats.engine.adaptive.outlook.heard import Heard, add_up, hear_pulls, join, place_arms
from heats.engine.adaptive.outlook.outlook import Outlook
from heats.engine.feedback import Kind
from heats.engine.game import Game, Said, Stage
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import StatisticLike, mean, win_rate, winner_shares
from heats.errors import InvalidArgument


class WinnerStays(Game, spec=AdaptiveSpec):
    """Runs that go on with whoever looks best; ``rule`` is the number of how they do, which journals keep."""

    rule: ClassVar[int] = 1

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
        self._outlook, self._looked = Outlook(self.reps, self.n_arms), 0  # and how many batches it knows of
        self._pulled: Indices = np.zeros((self.reps, self.n_arms), dtype=np.int64)
        self._roots = roots
        self._luck = draw_luck(roots, self.n_arms)
        self.new: list[int] = []  # arms that were added and not pulled yet, in that order
        self._heard: list[Heard] = []  # batch by batch
        self._kind: Kind | None = None
        self._stage: Stage | None = None

    @property
    def round(self) -> int:
        """How many batches are over."""
        return len(self._heard)

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
        self._look()  # as if it had been dealt: fits go on from those before
        self._stage = Stage(heats, pulls=1)

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Add up what the pulls of the batch say."""
        assert self._stage is not None
        rows, heats = observations[..., 0, :], self._stage.heats
        told = np.ones(heats.shape[:2], dtype=bool) if heard is None else heard[..., 0]
        if kind is Kind.REWARDS and self.statistic is win_rate:
            kind, rows = Kind.WINNER, winner_shares(np.where(told[..., None], rows, 0.0))
        batch = hear_pulls(kind, heats, rows, told)
        pulled = add_up(place_arms(batch.heats, self.n_arms), np.ones(heats.shape), self._pulled.shape)
        self._pulled += pulled.astype(np.int64)
        self.new = [arm for arm in self.new if not self._pulled[:, arm].all()]
        self._heard.append(batch)
        self._kind = kind or self._kind
        self.take_back()

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Know only what is left; batches stay as dealt, and how good arms look is found out at once."""
        for number, (_, heard) in past:
            if heard is not None:
                self._heard[number] = self._heard[number].keep(heard[..., 0])
        if kind is None:
            self._kind, self._outlook = None, Outlook(self.reps, self.n_arms)
        self._forget_verdict()
        self._looked = 0
        self._look()  # now: whoever asks for it, and when, must not matter

    def take_back(self) -> None:
        """Have no batch under way: the next one is dealt when it is asked for; what was found may change."""
        self._stage = None
        self._forget_verdict()

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
        self.new += range(self.n_arms, self.n_arms + arms)
        self.n_arms += arms
        self.outlook.add_arms(arms)
        self._forget_verdict()
        self._pulled = np.pad(self._pulled, ((0, 0), (0, arms)))
        self._luck = draw_luck(self._roots, self.n_arms)

    @property
    def outlook(self) -> Outlook:
        """How good arms look: what the next batch is dealt by."""
        self._look()
        return self._outlook

    def _look(self) -> None:
        if self._looked < self.round and (so_far := self._recall()) is not None:
            self._outlook.look(so_far, self.round)
        self._looked = self.round

    @cached_property
    def verdict(self) -> Outlook:
        """How good arms look if this is the end: what kind of world it is, is decided once more."""
        verdict = deepcopy(self._outlook)
        if (so_far := self._recall()) is not None:
            verdict.look(so_far)
        return verdict

    def _forget_verdict(self) -> None:
        self.__dict__.pop("verdict", None)

    @property
    def ranking(self) -> Indices:
        """All arms, best first; then by luck."""
        return np.lexsort((self._luck, -self.verdict.merits), axis=1)

    @property
    def winners(self) -> Indices:
        """The arm that looks best."""
        return self.ranking[:, 0]

    @property
    def leader(self) -> int | None:
        """The best arm of the first run so far, of those that were seen; None while all are equal."""
        seen = np.flatnonzero(self._pulled[0])
        merits = self.outlook.merits[0, seen]
        if not seen.size or (merits == merits[0]).all():
            return None
        return int(seen[np.lexsort((self._luck[0, seen], -merits))[0]])

    @property
    def lead(self) -> float:
        """By how much the best arm of the first run leads the second: in log-likelihood, or in standard errors."""
        best, second = self.ranking[0, :2]
        merits, sharpness = self.verdict.merits[0], self.verdict.sharpness[0]
        error = (1 / sharpness[best] + 1 / sharpness[second]) ** 0.5 if self.verdict.lasts[0] else 1.0
        return float((merits[best] - merits[second]) / error)

    def _recall(self) -> Heard | None:
        """Return all that was told so far; None while nothing was."""
        if self._kind is None:
            return None
        return join(self._kind, self._heard)

    def _deal(self, pulls: int) -> Indices:
        """Return the heats of a batch ``(reps, pulls, size)``."""
        size, most = self.spec.heat_size, self.spec.most_per_set
        dealt = (np.moveaxis(batch.heats, 0, -1) for batch in self._heard)
        repeats = None if most is None else Repeats(most, self.reps, dealt)
        if not self.round:  # arms that were added meanwhile wait
            return deal_laps(self._roots, self.spec.n_arms, size, pulls, repeats)
        self.outlook.come_to(sum(self.sizes[: self.round]) / self.total)
        keys = self._put_new_first(make_keys(self.outlook.values, self._pulled, self._luck))
        deal = deal_one if self.reps == 1 else deal_many
        return deal(Deal(self.outlook, self._pulled, self._luck, keys, pulls, size, repeats))

    def _put_new_first(self, keys: Indices) -> Indices:
        """Let arms that were added come before all others."""
        for place, arm in enumerate(self.new):
            keys[..., arm] = (ENDS - 1 - place) * MOST_ARMS - self._luck[:, arm]
        return keys
