"""A plan to be played by asking and telling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heats.base.arrays import AnyArray, Array, Mask
from heats.base.checks import true_or_false
from heats.engine.evidence.records import Leads
from heats.engine.feedback import Kind
from heats.engine.game import Said
from heats.engine.machine import Machine
from heats.engine.report import Report, RoundReport, Sureness, judge_heat
from heats.engine.scoring import see
from heats.engine.specs import TournamentSpec
from heats.engine.statistics import StatisticLike, mean
from heats.engine.tournament.elimination import Elimination, Played, best_first
from heats.errors import InvalidArgument
from heats.planning.plan import Plan


class Tournament(Machine, spec=TournamentSpec):
    """Play a plan: ask for pulls, tell what they said, until one arm is left.

    With ``early`` a heat ends with the first pull, in the order of the ids, after which nothing could change who stays:
    the same arms stay and the same one wins, with fewer pulls. It takes scores that are shares of wins or places, and
    a plan with ``record="off"``; see docs/guide.md.

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

    def __init__(self, plan: Plan, statistic: StatisticLike = mean, seed: int = 0, *, early: bool = False) -> None:
        if not isinstance(plan, Plan):
            raise InvalidArgument(
                "{plan} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).", plan=plan
            )
        self.plan = plan
        self._last_heat: Array | None = None  # observations of the final, best arm first
        super().__init__(TournamentSpec(plan, true_or_false("early", early)), statistic, seed)
        self._leads = self._find_leads()

    @property
    def leader(self) -> int | None:
        """The arm still in with the largest mean lead, this round's pulls so far included; None while nobody leads."""
        if self.done:
            return self.winner
        credit, pulled = (values[0].copy() for values in self._leads.credits())
        arms, observations = self._so_far()
        np.add.at(credit, arms, observations - observations.mean(axis=-1, keepdims=True))
        np.add.at(pulled, arms, 1)
        still_in = np.sort(self._elimination.arms[0])
        leads = (credit / np.maximum(pulled, 1))[still_in]
        return int(still_in[leads.argmax()]) if leads.any() else None

    @property
    def rounds(self) -> tuple[RoundReport, ...]:
        """The rounds that are over, as a report has them."""
        counted = {over.opened.round: over.counted for over in self._past}
        return tuple(_report(each, counted.get(number)) for number, each in enumerate(self._elimination.rounds))

    def report(self) -> Report:
        """Say at any time what has been found: winner, runner-up, rivals, every finished round, how sure."""
        rounds = self.rounds
        return Report(
            algorithm=self.plan.strategy,
            budget=self.plan.budget,
            sureness=self._judge_last_heat(),
            rounds=rounds,
            **self._state(rounds[-1].heats[0][1] if self.done else None),
        )

    def list_exits(self) -> list[int | None]:
        """Return of every arm the round it left in."""
        exits: list[int | None] = [None] * self.n_arms
        for number, played in enumerate(self._elimination.rounds, 1):
            for arm in played.heats[played.ranks >= played.round.keep].tolist():
                exits[arm] = number
        return exits

    @classmethod
    def _from_spec(cls, spec: TournamentSpec, statistic: StatisticLike, seed: int) -> Tournament:
        return cls(spec.plan, statistic, seed, early=spec.early)

    @property
    def _elimination(self) -> Elimination:
        assert isinstance(self.game, Elimination)
        return self.game

    def _find_leads(self) -> Leads:
        """Return by how much arms lead: the game's own record where it goes by that, else one beside it."""
        record = self._elimination.record
        return record if isinstance(record, Leads) else Leads(1, self.n_arms)

    def _finish(self, observations: Array, heard: Mask | None) -> None:
        seen = see(self.statistic, self._kind, observations, heard, show=True)
        game, before = self._elimination, self._elimination.round
        heats = self._stage.stage.heats  # type: ignore[union-attr]  # a stage is under way
        game.finish(self._kind, seen)
        if self._leads is not game.record:
            self._leads.add(heats, self._kind, seen)
        if before + 1 == self.n_rounds:
            self._look_at_last_heat(observations, heard)

    def _look_at_last_heat(self, observations: Array, heard: Mask | None) -> None:
        last = observations[0, 0] if heard is None else observations[0, 0][heard[0, 0]]
        self._last_heat = last[:, best_first(self._elimination.rounds[-1])[0, 0]]

    def _hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        game = self._elimination
        game.hear_again(kind, past)
        self._leads = self._find_leads()
        for number, said in past:
            if self._leads is not game.record:
                self._leads.add(game.rounds[number].heats, kind, see(self.statistic, kind, *said))
            if number + 1 == self.n_rounds:
                self._look_at_last_heat(*said)

    def _judge_last_heat(self) -> Sureness | None:
        """How sure the last heat is."""
        if self._kind is None or self._last_heat is None or not len(self._last_heat):
            return None
        return judge_heat(self._last_heat, self.statistic, self._kind, self._root)


def _report(played: Played, counted: tuple[int, ...] | None) -> RoundReport:
    """Return a finished round as plain data, the arms of each heat best first."""
    order = best_first(played)
    ranked = np.take_along_axis(played.heats, order, axis=-1)[0]
    scores = None
    if played.scores is not None:
        scores = _tuples(np.take_along_axis(played.scores, order, axis=-1)[0])
        silent = np.flatnonzero(np.broadcast_to(played.verdicts, played.heats.shape[:2])[0] == 0)
        if silent.size:
            scores = tuple(() if heat in silent else row for heat, row in enumerate(scores))
    return RoundReport(
        heats=_tuples(ranked),
        scores=scores,
        keep=played.round.keep,
        pulls=played.round.pulls,
        byes=tuple(played.byes[0].tolist()),
        counted=counted,
    )


def _tuples(rows: AnyArray) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, rows.tolist()))
