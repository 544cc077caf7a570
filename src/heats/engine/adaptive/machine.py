"""The machine that plays winner stays, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heats.base.checks import between, whole
from heats.engine.adaptive.batch_machine import BatchMachine
from heats.engine.adaptive.batches import BATCHES
from heats.engine.adaptive.dealing.repeats import check_repeats
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.report import Report, Stop
from heats.engine.specs import AdaptiveSpec
from heats.engine.standings import settle_value
from heats.engine.statistics import StatisticLike, mean
from heats.errors import InvalidArgument, OutOfTurn
from heats.planning.plan import check_problem

MOST_BUDGET = 3_000_000  # pulls: dealing a batch of a fifth of them takes seconds


class Adaptive(BatchMachine, spec=AdaptiveSpec):
    """Compare next the arms that may well be the best: the winner stays, losers make room, batch by batch.

    All pulls of a batch are independent. More batches than there is budget for are dropped; few cost accuracy.
    With ``most_per_set`` no set of arms is dealt more often than that, say because so many people vote and nobody shall
    see the same twice; the next best arm then takes the place of the last one.

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
        most_per_set: int | None = None,
    ) -> None:
        n, size, pulls = _check_problem(n_arms, heat_size, budget)
        most = None if most_per_set is None else whole("most_per_set", most_per_set, 1)
        spec = AdaptiveSpec(n, size, pulls, whole("batches", batches, 1), most, WinnerStays.rule)
        super().__init__(spec, mean if statistic is None else statistic, seed)

    @property
    def budget(self) -> int:
        """How many pulls it may make in all."""
        return int(self.spec.budget)

    def extend(self, pulls: int, arms: int = 0) -> None:
        """Go on with so many more pulls, and with so many new arms; no comparison is made again.

        The run may be over or not. New arms come in as by ``add``, all or, where there is no room for them, none.

        In the first batch that is the run that had the larger budget from the beginning. Later the batch under way
        stays as it is, and what comes after it is divided anew. A run that was stopped goes on; then ``pulls`` may be
        0: what was saved is left to spend.

        Examples
        --------
        >>> import heats
        >>> machine = Adaptive(9, 3, 20, seed=7)
        >>> machine.extend(10)
        >>> machine.total
        30
        """
        least, why = (1, "add at least one pull") if self.stopped is None else (0, "0 spends what was saved")
        more = whole("pulls", pulls, least, why=why)
        new, game = whole("arms", arms, 0), self._game
        _, _, budget = _check_problem(self.n_arms + new, game.spec.heat_size, self.budget + more)
        check_repeats(self.n_arms + new, game.spec.heat_size, budget, game.spec.most_per_set)
        if new:
            self._check_room(new, game.divide_anew(budget, is_under_way=not self.done), budget)
        self._leave_batch()
        game.lengthen(budget, is_under_way=not self.done)
        self.stopped = None
        self.spec = msgspec.structs.replace(self.spec, budget=budget)
        self._take_in(new)

    def add(self) -> int:
        """Take one more arm in, and return its number; the next batch deals it first, whatever the scores.

        Several new ones fill the first pulls of the next batch, in the order of adding. The batch under way stays.
        """
        _check_problem(self.n_arms + 1, self._game.spec.heat_size, self.budget)
        self._check_room(1, self._game.sizes, self.budget)
        self._leave_batch()
        self._take_in(1)
        return self.n_arms - 1

    def count_room(self, pulls: int) -> int:
        """Return how many new arms there would be room for with so many more pulls: ``extend`` takes no more.

        The batch under way takes none, so a run that has no other has no room until it is over.
        """
        size, more = self._game.spec.heat_size, whole("pulls", pulls, 0)
        _, _, budget = _check_problem(self.n_arms, size, self.budget + more)
        places, waiting = self._count_places(self._game.divide_anew(budget, is_under_way=not self.done))
        return max(0, places - waiting)

    def stop(self, chance: float | None = None) -> None:
        """End the run between two batches: the arm with the largest chance wins; ``chance`` is that, if it was found.

        What is left of the budget is saved; ``extend`` goes on.
        """
        if chance is not None:
            chance = between("chance", chance, 0, 1, why="that the winner is the best")
        if self.done:
            raise OutOfTurn("the run is over; there is nothing left to stop.")
        if not self.round or self.is_begun:
            raise OutOfTurn("a run can be stopped between two batches only; tell what the one under way owes first.")
        self._close()
        self._game.end()
        self.stopped = Stop(saved=self.budget - self.spent, chance=chance)

    def find_chance(self) -> float | None:
        """Return the chance to be the best of the arm that would win if the run were stopped now.

        None where it cannot be trusted: before the first batch is over, and while an arm that was added was not seen.
        """
        if not self.round or self._game.new or self._game.posterior is None:
            return None
        return settle_value(float(self._game.posterior.chances[0, self._game.winners[0]]))

    @property
    def leader(self) -> int | None:
        """The arm that is likeliest the best by the batches that are over; None before the first is."""
        if self.done:
            return self.winner
        return self._game.leader if self.round else None

    def report(self) -> Report:
        """Say at any time what has been found; the runner-up is whom the standings put first of all others."""
        standings, winner = self.standings(), self.winner
        return Report(
            algorithm="adaptive",
            budget=self.budget,
            sureness=None,
            rounds=(),
            stopped=self.stopped,
            **self._state(None if winner is None else standings.find_next(winner), standings),
        )

    def list_exits(self) -> list[int | None]:
        """Say that no arm is eliminated."""
        return [None] * self.n_arms

    @classmethod
    def _from_spec(cls, spec: AdaptiveSpec, statistic: StatisticLike, seed: int) -> Adaptive:
        return cls(
            *(spec.n_arms, spec.heat_size, spec.budget),
            batches=spec.batches,
            statistic=statistic,
            seed=seed,
            most_per_set=spec.most_per_set,
        )

    # How it is done.

    @property
    def _is_untouched(self) -> bool:
        """Whether the batch under way was opened by an extension, and nothing of it was handed out or told."""
        return self.is_reopened and not self.is_begun

    def _check_room(self, arms: int, sizes: Sequence[int], budget: int) -> None:
        """Refuse new arms that the batches of a budget, which have these sizes, cannot all compare."""
        if self._replayed is not None:
            return
        places, waiting = self._count_places(sizes)
        if places < waiting + arms:
            room = f"room for {places}" if not waiting else f"room for {places}, of which {waiting} wait already,"
            left = "no batch" if not places else f"no more {room}"
            new = "a new arm" if arms == 1 else f"{arms} new arms"
            has = f"with a budget of {budget:,} {left} is left to compare {new} in"
            raise InvalidArgument(f"{has}; give the run a larger one.", budget=budget)

    def _count_places(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Return how many places such batches have, but for the one under way, and how many arms wait for one."""
        game, is_under_way, waiting = self._game, not self.done and not self._is_untouched, self._game.new
        if is_under_way and (stage := self.stage) is not None:
            waiting = [arm for arm in waiting if arm not in stage.heats]
        return sum(sizes[game.round + is_under_way :]) * game.spec.heat_size, len(waiting)

    def _take_in(self, arms: int) -> None:
        """Have so many more arms, and deal what comes next anew."""
        if arms:
            self._game.add_arms(arms)
        self.spec = msgspec.structs.replace(self.spec, n_arms=self.n_arms)
        self._told_winner = None
        self._deal_again()

    def _leave_batch(self) -> None:
        """Let the batch under way be as it is, whatever comes; one that nobody knows of may change."""
        if self._is_untouched:
            self._close()
            self._game.take_back()
        elif self.round:
            self._deal_rest()

    def _deal_again(self) -> None:
        """Open the next batch of a run that was over, and let a first one that is under way grow."""
        stage = self._next_stage()
        if self._stage is None:
            self._open(stage)
            self._reopened = self._first
        elif not self.round and stage is not None:
            before = self._stage.stage.heats
            stage.heats[:, : before.shape[1]] = before
            self._grow(stage)


def _check_problem(n_arms: int, heat_size: int, budget: int) -> tuple[int, int, int]:
    """Return the three numbers, or refuse them; a batch is dealt at once, so there is a limit to budgets."""
    n, size, pulls = check_problem(n_arms, heat_size, budget)
    if pulls > MOST_BUDGET:
        raise InvalidArgument(
            f"{{budget}} is more than adaptive play can deal, up to {MOST_BUDGET:,} pulls; play a plan, which can.",
            budget=budget,
        )
    return n, size, pulls
