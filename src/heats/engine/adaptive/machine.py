"""The machine that plays winner stays, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.checks import between, whole
from heats.engine.adaptive.batches import BATCHES
from heats.engine.adaptive.dealing.repeats import check_repeats
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.feedback import Arms, Kind
from heats.engine.game import Said, Stage
from heats.engine.machine import Machine
from heats.engine.machine.stages import Over
from heats.engine.report import Report, Stop
from heats.engine.specs import AdaptiveSpec, Spec
from heats.engine.statistics import StatisticLike, mean
from heats.errors import InvalidArgument, OutOfTurn
from heats.planning.plan import check_problem

MOST_BUDGET = 3_000_000  # pulls: dealing a batch of a fifth of them takes seconds
ENOUGH_PULLS = 6  # of an arm, on average: by fewer, winners told, nine in ten that seem to have 95 % are the best
LEAST_LEAD = 0.5  # standard errors, or log-likelihood
UNKNOWN = -1  # stands for the arms of heats that are not dealt, or that an older rule dealt


class Adaptive(Machine, spec=AdaptiveSpec):
    """Go on with whoever looks best: the winner stays, losers make room, batch by batch.

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
        self._reopened: int | None = None  # the first id of a batch that an extension opened
        self._told_winner: int | None = None  # as a journal says it
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
        least, why = (1, "more of nothing changes nothing") if self.stopped is None else (0, "0 spends what was saved")
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
        """End the run between two batches: the arm that looks best wins, with that ``chance`` if one was found.

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

    @property
    def is_reopened(self) -> bool:
        """Whether the batch under way is the first one after an extension of a run that was over."""
        return self._stage is not None and self._stage.first == self._reopened

    def find_chance(self) -> float | None:
        """Return the chance to be the best of the arm that would win if the run were stopped now.

        None where it cannot be large enough to stop at, or be trusted: before the first batch is over, while an arm
        that was added was not seen, and, but for rewards, before arms had six pulls on average, or where the first has
        hardly a lead over the second.
        """
        if not self.round or self._game.new:
            return None
        pulls_each = (self.spent - self.no_verdicts) * self._game.spec.heat_size / self.n_arms
        if self._kind is not Kind.REWARDS and (pulls_each < ENOUGH_PULLS or self._game.lead < LEAST_LEAD):
            return None
        return self.standings().of(int(self._game.winners[0])).chance

    @property
    def winner(self) -> int | None:
        """The best arm, or whom a journal says that an earlier rule named; None before the end."""
        return self._told_winner if self.done and self._told_winner is not None else super().winner

    @property
    def stage(self) -> Stage | None:
        """The batch under way; arms are -1 in heats that an older rule dealt and a journal does not tell."""
        self._deal_rest()
        return super().stage

    def close_stage(self, why: str = "") -> None:
        """End the batch under way: all that it still owes is told as ``NoVerdict(why)``."""
        self._deal_rest()
        super().close_stage(why)

    def void(self, who: str) -> None:
        """Let all answers by ``who`` be no verdicts, those to come included; what is dealt stays."""
        self._deal_rest()
        super().void(who)

    # What a journal says: heats and winners are taken from it, so a later rule reads what an earlier one played.

    def take_rule(self, spec: Spec) -> None:
        """Be dealt by the rule of a journal's spec, which may be another one than that of this version."""
        if isinstance(spec, AdaptiveSpec):
            self.spec = msgspec.structs.replace(self.spec, rule=spec.rule)

    def check_rule(self) -> None:
        """Refuse to go on with a run that a newer version deals."""
        if self.spec.rule > self._game.rule:
            raise InvalidArgument(
                f"the run is dealt by rule {self.spec.rule} of adaptive play, and this version knows rules up to "
                f"{self._game.rule}: update heats. Reports can be made of it as it is."
            )

    def give(self, numbers: Sequence[int], arms: Sequence[Arms]) -> None:
        """Take what pulls of the batch under way compare, as shown; those that were told stay."""
        opened = self._stage
        new = [
            (number - self._first, shown)
            for number, shown in zip(numbers, arms, strict=True)
            if self._first <= number < self.next_id and self._rows[number - self._first] is None
        ]
        if opened is None or not new:
            return
        for pull, shown in new:
            is_heat = len(shown) == len(set(shown)) == opened.size
            if not is_heat or not 0 <= min(shown) <= max(shown) < self.n_arms:
                raise OutOfTurn(f"pull {pull + self._first} cannot compare the arms {shown}")
        pulls = np.array([pull for pull, _ in new])
        heats = self._queries.restore(opened, pulls, np.array([shown for _, shown in new]))
        dealt = opened.stage.heats[0]
        self._fits &= bool(((dealt[pulls] == heats) | (dealt[pulls] < 0)).all())
        dealt[pulls] = heats

    def confirm_winner(self, arm: int) -> None:
        """Take from a journal who won, whoever would win by the rule of this version."""
        if not self.done or not 0 <= arm < self.n_arms:
            raise OutOfTurn(f"it says that arm {arm} won, which cannot be")
        self._told_winner = arm

    @property
    def must_redeal(self) -> bool:
        """Whether the batch under way was dealt otherwise than it would be by the rule of this version."""
        self._deal_rest()
        return not self.done and not (self._is_ours and self._fits)

    def redeal(self, rule: int | None = None) -> int:
        """End the batch under way with what was told of it; the rest of the budget is divided and dealt anew.

        So goes on a run that an earlier rule dealt. What was told is evidence. Pulls that are owed do not count any
        more, and their ids are not given to others, so an answer that still comes is never taken for another's.
        Without ``rule`` that is the rule of this version; returns its number.
        """
        opened, told = self._stage, np.array([row is not None for row in self._rows])
        if opened is None:
            raise OutOfTurn("the run is over; there is nothing left to deal anew.")
        is_reopened = self.is_reopened
        opened.stage.heats[0, ~told] = UNKNOWN
        if told.any():
            self._game.cut(int(told.sum()))
            self._dropped = ~told
            self._conclude()
        else:
            nothing = np.empty((0, opened.size)), np.empty(0, dtype=np.int64)
            self._past.append(Over(opened, *nothing, ~told, None))
            self._game.take_back()
            self._open(self._next_stage())
            self._reopened = self._first if is_reopened else None
        self.spec = msgspec.structs.replace(self.spec, rule=self._game.rule if rule is None else rule)
        return int(self.spec.rule)

    @property
    def leader(self) -> int | None:
        """The arm with the best score of the batches that are over; None before the first is."""
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
        """Say that nobody leaves for good."""
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

    # How it is done. A batch is dealt when somebody asks for a pull of it, or before what it follows from changes.

    @property
    def _is_ours(self) -> bool:
        """Whether the batch under way is dealt by the rule of this version."""
        return bool(self.spec.rule == self._game.rule)

    def _open(self, stage: Stage | None) -> None:
        self._fits = True  # what the journal says of the batch under way, and what is dealt here
        super()._open(stage)

    def _next_stage(self) -> Stage | None:
        """Return the next batch, none of whose heats is known yet."""
        game = self._game
        if game.round == len(game.sizes):
            return None
        return Stage(np.full((1, game.sizes[game.round], game.spec.heat_size), UNKNOWN), pulls=1)

    def _deal(self, pulls: Indices) -> None:
        """Know the heats of these pulls of the batch under way: deal all, unless they are known."""
        assert self._stage is not None
        if (self._stage.stage.heats[0, pulls, 0] < 0).any():
            if not self._is_ours:
                raise OutOfTurn(
                    f"the batch under way was dealt by rule {self.spec.rule} of adaptive play, which this version does "
                    "not deal by; go on with the run by its journal."
                )
            self._deal_rest()

    def _deal_rest(self) -> None:
        """Deal what is not known of the batch under way, unless an older rule dealt the rest of it."""
        if self._stage is None or not self._is_ours:
            return
        heats = self._stage.stage.heats
        if (unknown := heats[0, :, 0] < 0).any():
            stage = self._game.stage()
            assert stage is not None
            self._fits &= bool((stage.heats[0, ~unknown] == heats[0, ~unknown]).all())
            heats[0, unknown] = stage.heats[0, unknown]

    def _finish(self, observations: Array, heard: Mask | None) -> None:
        """Let the game hear the batch, without pulls that do not count, or of which it is not known what they were."""
        assert self._stage is not None
        heats = self._stage.stage.heats
        left_out = heats[0, :, 0] < 0
        if self._dropped is not None:
            left_out |= self._dropped
        if left_out.any():
            self._dropped = left_out
        kept = ~left_out
        self._game.give(heats[:, kept])
        super()._finish(*_keep_heats((observations, heard), kept))

    def _hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Let the game take in what is left of batches, as far as it heard them."""
        heard = [
            (number, said if over.dropped is None else _keep_heats(said, ~over.dropped))
            for over, (number, said) in zip(self._past, past, strict=True)
            if over.dropped is None or not over.dropped.all()
        ]
        super()._hear_again(kind, heard)
        self._told_winner = None

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

    @property
    def _game(self) -> WinnerStays:
        assert isinstance(self.game, WinnerStays)
        return self.game


def _keep_heats(said: Said, kept: Mask) -> Said:
    """Return what some of the heats of a batch said."""
    observations, heard = said
    return observations[:, kept], None if heard is None else heard[:, kept]


def _check_problem(n_arms: int, heat_size: int, budget: int) -> tuple[int, int, int]:
    """Return the three numbers, or refuse them; a batch is dealt at once, so there is a limit to budgets."""
    n, size, pulls = check_problem(n_arms, heat_size, budget)
    if pulls > MOST_BUDGET:
        raise InvalidArgument(
            f"{{budget}} is more than adaptive play can deal, up to {MOST_BUDGET:,} pulls; play a plan, which can.",
            budget=budget,
        )
    return n, size, pulls
