"""The machine that plays winner stays, batch by batch."""

from __future__ import annotations

from heats.base.checks import whole
from heats.engine.machine import Machine
from heats.engine.report import Report
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import StatisticLike, mean
from heats.engine.winner_stays import WinnerStays
from heats.planning.plan import check_problem

BATCHES = 15


class Adaptive(Machine, spec=AdaptiveSpec):
    """Go on with whoever looks best: the winner stays, losers make room, batch by batch.

    All pulls of a batch are independent. More batches than there is budget for are dropped; fewer cost accuracy.

    Examples
    --------
    >>> import heats
    >>> machine = Adaptive(20, 4, 60, seed=7)
    >>> while not machine.done:
    ...     query = machine.ask()
    ...     machine.tell(query, heats.Winner(max(query.arms)))
    >>> machine.winner
    19
    """

    def __init__(
        self,
        n_arms: int,
        heat_size: int,
        budget: int,
        *,
        batches: int = BATCHES,
        statistic: StatisticLike | None = None,
        seed: int = 0,
    ) -> None:
        n, size, self.budget = check_problem(n_arms, heat_size, budget)
        spec = AdaptiveSpec(n, size, self.budget, whole("batches", batches, 1))
        super().__init__(spec, mean if statistic is None else statistic, seed)

    @property
    def n_rounds(self) -> int:
        """How many batches there are."""
        return len(self._game.sizes)

    @property
    def leader(self) -> int | None:
        """The arm with the best score of the batches that are over; None before the first is."""
        if self.done:
            return self.winner
        return self._game.leader if self.round else None

    def report(self) -> Report:
        """Say at any time what has been found."""
        return Report(
            algorithm="adaptive",
            budget=self.budget,
            sureness=None,
            rounds=(),
            **self._state(int(self._game.ranking[0, 1]) if self.done else None),
        )

    def list_exits(self) -> list[int | None]:
        """Say that nobody leaves for good."""
        return [None] * self.n_arms

    @classmethod
    def _from_spec(cls, spec: AdaptiveSpec, statistic: StatisticLike, seed: int) -> Adaptive:
        return cls(spec.n_arms, spec.heat_size, spec.budget, batches=spec.batches, statistic=statistic, seed=seed)

    @property
    def _game(self) -> WinnerStays:
        assert isinstance(self.game, WinnerStays)
        return self.game
