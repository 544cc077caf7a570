"""A plan, played: Algorithm 1 for many repetitions at once; the only place an arm is eliminated.

A round is deal → score → record → rank → keep, each a function over a first axis of repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from heats.base import randomness
from heats.base.arrays import AnyArray, Array, Indices, Mask, Order, Words
from heats.base.randomness import Purpose
from heats.engine.evidence.records import Record, make_record
from heats.engine.feedback import Kind
from heats.engine.game import Said, ScoredGame, Stage
from heats.engine.scoring import Seen, is_meant, see
from heats.engine.specs import TournamentSpec
from heats.engine.statistics import StatisticLike
from heats.engine.tournament.early import Endings, check_early
from heats.errors import BadFeedback
from heats.planning.plan import Round

FEW_SCORES = 2000  # of all heats together: then sorting is faster in any case
LARGEST_SMALL_HEAT = 8  # arms; up to that many are compared pair by pair, which is faster than sorting many heats


class Played(NamedTuple):
    """A finished round: its heats as dealt, the rank of every arm in its heat (0 is best), scores, who rested."""

    round: Round
    heats: Indices
    ranks: Indices
    scores: Array | None  # None: nobody looked
    verdicts: Indices | int  # pulls that said something, of every heat
    byes: Indices


class Elimination(ScoredGame, spec=TournamentSpec):
    """All rounds of a plan."""

    def __init__(self, spec: TournamentSpec, statistic: StatisticLike, roots: Words) -> None:
        self.plan = plan = spec.plan
        super().__init__(spec, statistic, roots, [each.size for each in plan.rounds])
        self.sizes = tuple(each.cost for each in plan.rounds)
        if spec.early:
            check_early(plan, self.statistic)
        self.arms = np.broadcast_to(np.arange(plan.n_arms), (roots.size, plan.n_arms))  # still in, those rested last
        self.record = make_record(plan.record, roots.size, plan.n_arms, self.statistic)
        self.rounds: list[Played] = []
        self._roots = roots[:, None]
        self._rested = 0  # how many of the arms, the last ones, rested in the round before
        self._stage: Stage | None = None

    @property
    def round(self) -> int:
        """How many rounds of the plan are over."""
        return len(self.rounds)

    def most_values(self, *, by_means: bool) -> int:
        """Return the numbers of the largest round."""
        return max(each.heats * each.size * (1 if by_means else max(1, each.pulls)) for each in self.plan.rounds)

    @property
    def winners(self) -> Indices:
        """The arm that is left."""
        return self.arms[:, 0]

    def stage(self) -> Stage | None:
        """Deal the next round; a blind one is decided at once."""
        while self._stage is None and self.round < len(self.plan.rounds):
            each = self.plan.rounds[self.round]
            heats, self.byes = deal(self._roots, self.round, self.arms, self._rested, each.heats, each.size)
            if each.pulls:
                self._stage = Stage(heats, each.pulls)
            else:
                ranks = rank(np.zeros(heats.shape), partial(self.record.of, heats))
                self._keep(Played(each, heats, ranks, None, 0, self.byes))
        return self._stage

    def watch(self) -> Endings | None:
        """Say which pulls decide their heats, if the spec wants that."""
        if not self.spec.early or self._stage is None:
            return None
        each = self.plan.rounds[self.round]
        return Endings(self.statistic, each.heats, each.size, each.pulls, each.keep)

    def finish(self, kind: Kind | None, seen: Seen) -> None:
        """Rank every heat and keep its best (Algorithm 2)."""
        assert self._stage is not None
        heats, each = self._stage.heats, self.plan.rounds[self.round]
        keep = None if self.reps == 1 else each.keep  # a machine reports whole heats, a simulation only who is left
        ranks = _rank_heats(self.record, heats, kind, seen, keep)
        shown = seen.scores if seen.shown is None else seen.shown
        self._keep(Played(each, heats, ranks, shown, seen.verdicts, self.byes))

    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Keep the record anew, and note which rounds would have kept others; they stay as they were played."""
        record, said = make_record(self.plan.record, self.reps, self.n_arms, self.statistic), dict(past)
        overturned = []
        for number, played in enumerate(self.rounds):
            if number in said:
                ranks = _rank_heats(record, played.heats, kind, see(self.statistic, kind, *said[number]))
            else:
                ranks = rank(np.zeros(played.heats.shape), partial(record.of, played.heats))
            if ((ranks < played.round.keep) != (played.ranks < played.round.keep)).any():
                overturned.append(number)
        self.record, self.overturned = record, tuple(overturned)

    def _keep(self, played: Played) -> None:
        self.rounds.append(played)
        kept = played.heats[played.ranks < played.round.keep].reshape(self.reps, -1)
        self.arms = np.concatenate([kept, played.byes], axis=-1)
        self._rested = played.byes.shape[1]
        self._stage = None

    def check_kind(self, kind: Kind) -> None:
        """Refuse what the record cannot be kept of, and what the plan was not made for."""
        self.record.check(kind, self.statistic)
        planned_for = self.plan.feedback
        if planned_for is not None and not is_meant(planned_for, kind, self.statistic):
            raise BadFeedback(
                f"the plan was made for {{feedback}}, but {kind.value} feedback was told; "
                "plan for what is told, or without a word about feedback.",
                feedback=planned_for,
            )


def _rank_heats(record: Record, heats: Indices, kind: Kind | None, seen: Seen, keep: int | None = None) -> Indices:
    """Rank the arms of heats by what these said and by the record, which takes it in."""
    if record.ranks:
        record.add(heats, kind, seen)
        every = np.ones(heats.shape[:-1], dtype=bool)
        return rank(record.of(heats, every).reshape(heats.shape), lambda which: seen.scores[which], keep)
    ranks = rank(seen.scores, partial(record.of, heats), keep)
    record.add(heats, kind, seen)
    return ranks


def deal(
    roots: Words | np.uint64, round_number: int, arms: Indices, rested: int, heats: int, size: int
) -> tuple[Indices, Indices]:
    """Deal ``arms (reps, active)`` into heats ``(reps, heats, size)`` and byes ``(reps, byes)``.

    Arms come in a seeded shuffle. The last ``rested`` of them, which rested in the round before, are sure of a place,
    so nobody rests twice in a row while others wait; they are spread over the heats like everybody else.
    """
    active, playing = arms.shape[-1], heats * size
    bits = randomness.draw_bits(roots, Purpose.DEAL, round_number, arms)
    if not rested or playing == active:
        dealt = randomness.sort_along(bits, arms)
        return dealt[:, :playing].reshape(-1, heats, size), dealt[:, playing:]
    flagged = arms << 1
    flagged[:, active - rested :] |= 1
    shuffled = randomness.sort_along(bits, flagged)
    dealt, had_rested = shuffled >> 1, (shuffled & 1).astype(bool)
    turn = np.where(had_rested, had_rested.cumsum(axis=-1), rested + (~had_rested).cumsum(axis=-1))
    plays = turn <= playing  # those that rested come first, then the others, both as shuffled
    return dealt[plays].reshape(-1, heats, size), dealt[~plays].reshape(-1, active - playing)


def rank(scores: Array, tie_break: Callable[[Mask], Array], keep: int | None = None) -> Indices:
    """Return the rank of every arm in its heat ``(reps, heats, size)``, 0 for the best.

    Equal scores are decided by what ``tie_break`` returns for the heats that have some, then as dealt (a shuffle).
    With ``keep`` only those ties are decided that say who is among the first ``keep``.
    """
    size = scores.shape[-1]
    if size > LARGEST_SMALL_HEAT or scores.size < FEW_SCORES:
        return _sort(scores, tie_break)
    ranks = _count_ahead(scores)
    untied = size * (size - 1) // 2  # the sum of all ranks
    tied = ranks.sum(axis=0) < untied if keep is None else (ranks < keep).sum(axis=0) > keep
    if tied.any():
        ranks[:, tied] = _count_ahead(scores[tied], tie_break(tied))
    return np.moveaxis(ranks, 0, -1)


def _count_ahead(scores: Array, second: Array | None = None) -> AnyArray:
    """Count who of its heat is ahead of every arm, ``(size, ...)``; a second score and the place decide ties."""
    columns = np.ascontiguousarray(np.moveaxis(scores, -1, 0))
    seconds = None if second is None else np.ascontiguousarray(np.moveaxis(second, -1, 0))
    ahead = np.zeros(columns.shape, dtype=np.int8)
    for later, earlier in _pairs(len(columns)):
        overtakes = columns[later] > columns[earlier]
        if seconds is None:
            ahead[later] += columns[later] < columns[earlier]
        else:
            overtakes |= (columns[later] == columns[earlier]) & (seconds[later] > seconds[earlier])
            ahead[later] += ~overtakes
        ahead[earlier] += overtakes
    return ahead


def _pairs(size: int) -> Iterator[tuple[int, int]]:
    return ((later, earlier) for later in range(1, size) for earlier in range(later))


def _sort(scores: Array, tie_break: Callable[[Mask], Array]) -> Indices:
    """Rank large heats, likewise."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    tied = (ranked[..., 1:] == ranked[..., :-1]).any(axis=-1)
    if tied.any():
        order[tied] = np.lexsort((-tie_break(tied), -scores[tied]))
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(order.shape[-1]), order.shape), axis=-1)
    return ranks


def best_first(played: Played) -> Order:
    """Return the order of every heat of a finished round, the best arm first."""
    return np.argsort(played.ranks, axis=-1, kind="stable")
