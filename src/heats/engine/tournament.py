"""A plan, played: Algorithm 1 as an ask/tell machine; the only place an arm is eliminated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heats.base.arrays import Array, Indices
from heats.engine.elimination import best_first, check_record, deal, in_pairs
from heats.engine.evidence import Fit
from heats.engine.feedback import Kind
from heats.engine.machine import Dealt, Machine
from heats.engine.report import Report, RoundReport, Sureness, judge
from heats.engine.statistics import StatisticLike, as_statistic, mean, score, settle
from heats.errors import InvalidArgument
from heats.planning.plan import Plan, Round


class Tournament(Machine):
    """Play a plan: ask for pulls, tell what they said, until one arm is left.

    Examples
    --------
    >>> import heats
    >>> t = Tournament(heats.plan(9, 3, 20), seed=7)
    >>> while not t.done:
    ...     query = t.ask()
    ...     t.tell(query, [float(arm) for arm in query.arms])
    >>> t.winner
    8
    """

    def __init__(self, plan: Plan, statistic: StatisticLike = mean, seed: int = 0) -> None:
        if not isinstance(plan, Plan):
            raise InvalidArgument(f"plan={plan!r} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).")
        self.plan = plan
        self._arms = np.arange(plan.n_arms)
        self._rested = np.zeros(plan.n_arms, dtype=bool)  # along _arms
        self._credit = np.zeros(plan.n_arms)
        self._pulled = np.zeros(plan.n_arms, dtype=np.int64)
        self._largest = 1.0  # magnitude of observations so far: what rounding errors of records are relative to
        self._fit = Fit(1, plan.n_arms) if plan.record == "fitted" else None
        self._rounds: list[_Played] = []
        self._last_heat: Array | None = None  # observations of the final, best arm first
        super().__init__(as_statistic(statistic, [each.size for each in plan.rounds]), seed)
        self._advance()

    @property
    def winner(self) -> int | None:
        """The arm that is left; None before the end."""
        return int(self._arms[0]) if self.done else None

    @property
    def round(self) -> int:
        """The round under way, from 0; the number of rounds once done."""
        return len(self._rounds)

    @property
    def leader(self) -> int | None:
        """The arm still in with the best record, this round's pulls so far included; None before the first pull."""
        if self.done:
            return self.winner
        if not self.spent:
            return None
        credit, pulled = self._credit.copy(), self._pulled.copy()
        heats, observations = self._so_far()
        np.add.at(credit, self._dealt[heats], observations - observations.mean(axis=-1, keepdims=True))
        np.add.at(pulled, self._dealt[heats], 1)
        return int(self._arms[np.argmax((credit / np.maximum(pulled, 1))[self._arms])])

    def report(self) -> Report:
        """Say at any time what has been found: winner, runner-up, rivals, every finished round, how sure."""
        sureness, rivals = self._judged()
        return Report(
            algorithm=self.plan.strategy,
            n_arms=self.plan.n_arms,
            budget=self.plan.budget,
            spent=self.spent,
            done=self.done,
            winner=self.winner,
            runner_up=int(self._rounds[-1].ranked[0, 1]) if self.done else None,
            rivals=rivals,
            sureness=sureness,
            rounds=tuple(each.report() for each in self._rounds),
        )

    def _advance(self) -> None:
        """Deal the next round and open it; a blind one is decided at once."""
        while self.round < len(self.plan.rounds):
            each = self.plan.rounds[self.round]
            self._dealt, self._byes = deal(self._root, self.round, self._arms, self._rested, each.heats, each.size)
            if each.pulls:
                self._open(Dealt(self.round, self._next_id, self._dealt, each.pulls))
                return
            self._eliminate(best_first(np.zeros(self._dealt.shape), lambda: self._records()[self._dealt]), None)

    def _finish(self, observations: Array) -> None:
        """Score, rank and eliminate (Algorithm 2)."""
        each = self.plan.rounds[self.round]
        observations = observations.reshape(each.heats, each.pulls, each.size)
        scores = score(self._adapted, self._known_kind, observations)
        means = scores if self._fit and self._known_kind is Kind.REWARDS else observations.mean(axis=-2)  # win rates
        if self.plan.record in ("pooled", "fitted"):
            self._credit_arms(means, each.pulls)
            order = best_first(self._records()[self._dealt], lambda: scores)
        else:
            order = best_first(scores, lambda: self._records()[self._dealt])
            self._credit_arms(means, each.pulls)
        if self.round + 1 == len(self.plan.rounds):
            self._last_heat = observations[0][:, order[0]]
        self._eliminate(order, scores)
        self._advance()

    def _credit_arms(self, means: Array, pulls: int) -> None:
        """Add to each arm's record its observations minus those of its heat: pulls × (mean − mean of the heat)."""
        self._credit[self._dealt] += pulls * (means - means.mean(axis=-1, keepdims=True))
        self._pulled[self._dealt] += pulls
        self._largest = max(self._largest, float(np.abs(means).max()))
        if self._fit is not None:
            self._fit.add(self._dealt[None], means[None], pulls, pairs=in_pairs(self._known_kind))

    def _records(self) -> Array:
        """Return each arm's record to compare: its fitted strength, or the mean of its credits; all equal if off."""
        if self.plan.record == "off":
            return np.zeros(self.plan.n_arms)
        if self._fit is not None:
            return settle(np.log(self._fit.strengths()[0]))
        return settle(self._credit / np.maximum(self._pulled, 1) / self._largest)

    def _check_kind(self, kind: Kind) -> None:
        check_record(self.plan.record, kind, self.statistic)
        super()._check_kind(kind)

    def _judged(self) -> tuple[Sureness | None, tuple[int, ...]]:
        """How sure the last heat is, and who cannot be told apart from its winner."""
        if not self.done:
            return None, ()
        arms = self._rounds[-1].ranked[0].tolist()
        if self._last_heat is None:
            return None, tuple(arms[1:])
        return judge(arms, self._last_heat, self._adapted, self._known_kind, self._root)

    def _eliminate(self, order: NDArray[np.intp], scores: Array | None) -> None:
        each = self.plan.rounds[self.round]
        ranked = np.take_along_axis(self._dealt, order, axis=-1)
        scores = None if scores is None else np.take_along_axis(scores, order, axis=-1)
        self._rounds.append(_Played(each, ranked, scores, self._byes))
        self._arms = np.sort(np.concatenate([ranked[:, : each.keep].ravel(), self._byes]))
        resting = np.zeros(self.plan.n_arms, dtype=bool)
        resting[self._byes] = True
        self._rested = resting[self._arms]


class _Played(NamedTuple):
    """A finished round as arrays, the arms of each heat best first."""

    plan: Round
    ranked: Indices
    scores: Array | None
    byes: Indices

    def report(self) -> RoundReport:
        return RoundReport(
            heats=_tuples(self.ranked),
            scores=None if self.scores is None else _tuples(self.scores),
            keep=self.plan.keep,
            pulls=self.plan.pulls,
            byes=tuple(self.byes.tolist()),
        )


def _tuples(rows: NDArray[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, rows.tolist()))
