"""A machine whose batches are dealt when somebody asks for them, or taken from a journal that tells what they were.

So a journal is read without dealing, whatever rule dealt what it tells. A batch is dealt, as far as it is not known,
when somebody asks for a pull of it, and before anything changes that it follows from. What a journal tells of it
stands; where that is not what this version would deal, the run goes on after ``redeal``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.feedback import Arms, Kind
from heats.engine.game import Said, Stage
from heats.engine.machine import Machine
from heats.engine.machine.stages import Over
from heats.engine.specs import AdaptiveSpec, Spec
from heats.engine.statistics import StatisticLike
from heats.errors import InvalidArgument, OutOfTurn

UNKNOWN = -1  # stands for the arms of heats that are not dealt, or that an older rule dealt


class BatchMachine(Machine):
    """Deals batches as late as it can, and takes them from journals."""

    def __init__(self, spec: AdaptiveSpec, statistic: StatisticLike, seed: int) -> None:
        self._reopened: int | None = None  # the first id of a batch that an extension opened
        self._told_winner: int | None = None  # as a journal says it
        self._rule = spec.rule  # that deals the batch under way
        super().__init__(spec, statistic, seed)

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

    def take_rule(self, spec: Spec) -> None:
        """Be dealt by the rule of a journal's spec, which may be another one than that of this version."""
        if isinstance(spec, AdaptiveSpec):
            self._follow_rule(spec.rule)

    def check_rule(self) -> None:
        """Refuse to go on with a run that a newer version deals."""
        if self._rule > self._game.rule:
            raise InvalidArgument(
                f"the run is dealt by rule {self._rule} of adaptive play, and this version knows rules up to "
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
        self._follow_rule(self._game.rule if rule is None else rule)
        return self._rule

    @property
    def is_reopened(self) -> bool:
        """Whether the batch under way is the first one after an extension of a run that was over."""
        return self._stage is not None and self._stage.first == self._reopened

    # How it is done.

    @property
    def _game(self) -> WinnerStays:
        assert isinstance(self.game, WinnerStays)
        return self.game

    @property
    def _is_ours(self) -> bool:
        """Whether the batch under way is dealt by the rule of this version."""
        return self._rule == self._game.rule

    def _follow_rule(self, rule: int) -> None:
        self._rule = rule
        self.spec = msgspec.structs.replace(self.spec, rule=rule)

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
                    f"the batch under way was dealt by rule {self._rule} of adaptive play, which this version does "
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


def _keep_heats(said: Said, kept: Mask) -> Said:
    """Return what some of the heats of a batch said."""
    observations, heard = said
    return observations[:, kept], None if heard is None else heard[:, kept]
