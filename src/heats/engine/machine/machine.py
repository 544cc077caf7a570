"""A machine: an algorithm as data (its *spec*), a seed, a statistic, and what it was told; its one face for everybody.

How it is asked and told is in ``asking``. Here is what else may be done with it: answers may be taken back, rounds be
closed, and somebody's answers be void, as if they had never been given; and what all that was told comes to.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.evidence.told import Told
from heats.engine.feedback import Arms, Kind, NoVerdict, share_by_times
from heats.engine.game import Said
from heats.engine.machine.asking import Aside, Asking, Replayed
from heats.engine.machine.queries import Query, number_of, read_rows
from heats.engine.machine.stages import NOTHING, Opened, Over
from heats.engine.report import Report, report_batches
from heats.engine.specs import AdaptiveSpec, Spec, parse_spec
from heats.engine.standings import Standings, count_meetings, make_standings
from heats.engine.statistics import StatisticLike, mean
from heats.errors import InvalidArgument, OutOfTurn


class Machine(Asking, ABC):
    """The common face of every algorithm. Not thread-safe: one thread asks and tells, workers compare."""

    _by_spec: ClassVar[dict[type, type[Machine]]] = {}  # the machines there are, by the type of their spec

    def __init_subclass__(cls, *, spec: type | None = None) -> None:
        if spec is not None:
            Machine._by_spec[spec] = cls

    # What an algorithm has to say.

    @property
    @abstractmethod
    def leader(self) -> int | None:
        """The arm that looks best so far; None while nothing is known."""

    @abstractmethod
    def report(self) -> Report:
        """Say at any time what has been found, and how."""

    @abstractmethod
    def list_exits(self) -> list[int | None]:
        """Return of every arm the round it left in, from 1; None for those that never did."""

    @staticmethod
    def from_spec(
        spec: Spec | str | bytes | dict[str, object], statistic: StatisticLike = mean, seed: int = 0
    ) -> Machine:
        """Return a fresh machine: of a ``spec``, which may also be given as JSON, a statistic and a seed."""
        parsed = parse_spec(spec)
        return Machine._by_spec[type(parsed)]._from_spec(parsed, statistic, seed)

    @classmethod
    @abstractmethod
    def _from_spec(cls, spec: Any, statistic: StatisticLike, seed: int) -> Machine:
        """Return a machine of this kind."""

    # What a user says.

    @property
    def stage_sizes(self) -> tuple[int, ...]:
        """How many pulls every round or batch has, at most, those to come included."""
        return self.game.sizes

    @property
    def n_rounds(self) -> int:
        """How many rounds or batches there are in all."""
        return len(self.stage_sizes)

    @property
    def answered(self) -> Counter[str]:
        """Answers by whom, where it was said."""
        return self._answerers.counts

    @property
    def voided(self) -> tuple[str, ...]:
        """Whose answers are void."""
        return self._answerers.void

    @property
    def overturned(self) -> tuple[int, ...]:
        """The rounds, from 1, that would have ended with others without the answers that were voided since."""
        return tuple(number + 1 for number in self.game.overturned)

    def take_back(self, query: Query | int) -> None:
        """Forget what a pull of the round under way said; it is out again, as after ``ask``, to be told or requeued.

        The pull that ended a round cannot be taken back: others depend on it. One that does not count is forgotten,
        too; nothing more is needed of it.

        Examples
        --------
        >>> import heats
        >>> machine = heats.RoundRobin(4, 2, 6)
        >>> query = machine.ask()
        >>> machine.tell(query, [1.0, 0.0])
        >>> machine.take_back(query)
        >>> machine.spent
        0
        """
        number = number_of(query)
        mine, index = self.query(query), number - self._first
        if index < 0:
            raise OutOfTurn(f"pull {number} cannot be taken back: what it decided stays.")
        said = self._aside[index].said if index in self._aside else self._rows[index]
        if said is None:
            raise OutOfTurn(f"pull {number} was not told, so there is nothing to take back; requeue it instead.")
        if index in self._aside:
            self._answerers.strike(index)
            self._aside[index] = Aside(None, mine)
            return
        if self._watch is not None:
            self._hear_heats_again([self._heat_of(index)], without=index)
        else:
            self._forget(index)
        self.spent -= 1
        self.no_verdicts -= not said
        self._out[number] = mine
        self._kind = self._find_kind(self._past)

    def close_stage(self, why: str = "") -> None:
        """End the round or batch under way: all that it still owes is told as ``NoVerdict(why)``."""
        if self._stage is None:
            raise OutOfTurn("the run is over; there is nothing left to close.")
        nothing = NoVerdict(why)
        owed, out = np.array(self.list_owed()), set(self._out)
        told = []
        try:
            for query in self._queries.make(self._stage, owed - self._first):  # dealt or not
                if not self.told(query):  # else it was saved meanwhile
                    self.tell(self._out.setdefault(query.id, query), nothing)
                    told.append(query.id)
        except Exception:  # the game refused the stage as it is: nothing was closed
            for number in told:
                self.take_back(number)
            for number in self._out.keys() - out:
                self.requeue(number)
            raise

    def void(self, who: str) -> None:
        """Let all answers by ``who`` be no verdicts, those to come included.

        In the round under way at once. Rounds that are over stay as they were played; standings, reports and all that
        is decided later leave these answers out, and ``overturned`` says which rounds would have ended otherwise.
        """
        if not isinstance(who, str):
            raise InvalidArgument("{who} must be the name of who answered, as text.", who=who)
        if self._answerers.is_void(who):
            return
        self._answerers.set_void(who, void=True)
        try:
            past = [over.silence(self._answerers.find_void(over.signed)) for over in self._past]
            mine = set(self._answerers.find_void(self._answerers.signed).tolist())
            kind = self._find_kind(past, without=mine)
            if any(now is not then for now, then in zip(past, self._past, strict=True)):
                arrange = partial(self._queries.arrange, self._kind)
                self._hear_again(kind, [(over.opened.round, arrange(over.opened, *over.said)) for over in past])
        except Exception:  # the game cannot do without these answers
            self._answerers.set_void(who, void=False)
            raise
        self.no_verdicts += sum(len(then.rows) - len(now.rows) for now, then in zip(past, self._past, strict=True))
        self._past, self._kind = past, kind
        self._silence(mine)

    def count_voided(self) -> int:
        """Return how many pulls count for nothing because of who answered them."""
        stages = [(over.signed, over.dropped) for over in self._past]
        stages += [(self._answerers.signed, self._dropped)]
        found = ((self._answerers.find_void(signed), dropped) for signed, dropped in stages)
        return sum(int(pulls.size if dropped is None else (~dropped[pulls]).sum()) for pulls, dropped in found)

    def evidence(self) -> list[Told]:
        """Return all that was told so far, stage by stage, pulls without a verdict left out."""
        stages = [(over.opened, *over.said) for over in self._past]
        if self._stage is not None and self._owed < len(self._rows):
            stages.append((self._stage, *read_rows(self._kind, self._stage, self._rows)))
        is_race = self._kind is Kind.RACE
        return [
            self._recall(opened, pulls, share_by_times(said) if is_race else said)
            for opened, pulls, said in stages
            if pulls.size
        ]

    def silence(self) -> list[Told]:
        """Return the pulls told so far that had no verdict, stage by stage; their observations are NaN."""
        if not self.no_verdicts:
            return []
        stages = [(over.opened, over.silent) for over in self._past]
        if self._stage is not None:
            silent = np.array([pull for pull, row in enumerate(self._rows) if row == NOTHING], dtype=np.int64)
            stages.append((self._stage, silent if self._dropped is None else silent[~self._dropped[silent]]))
        unknown = (np.full((pulls.size, opened.size), np.nan) for opened, pulls in stages)
        return [self._recall(*each, nothing) for each, nothing in zip(stages, unknown, strict=True) if nothing.size]

    def give(self, numbers: Sequence[int], arms: Sequence[Arms]) -> None:
        """Take from a journal what pulls compare, as shown; where the spec fixes that, there is nothing to do."""

    def take_rule(self, spec: Spec) -> None:
        """Be dealt by the rule of a journal's spec, which may be another one than that of this version."""

    def check_rule(self) -> None:
        """Refuse to go on with a run that a newer version deals."""

    def confirm_winner(self, arm: int) -> None:
        """Take from a journal who won; or refuse it, where the rules of the game have another winner."""
        if arm != self.winner:
            raise OutOfTurn(f"it says that arm {arm} won, what was told does not")

    @property
    def must_redeal(self) -> bool:
        """Whether the stage under way was dealt by a rule that is not the one of this version."""
        return False

    def redeal(self, rule: int | None = None) -> int:
        """Deal what is left of the budget anew, and return by which rule; only ``Adaptive`` can."""
        raise self._refuse_to("dealt anew")

    @contextmanager
    def replay(self, *, begun: bool = False) -> Iterator[None]:
        """Within, make a change that a journal tells of, when the round under way had ``begun``, or not."""
        self._replayed = Replayed(begun)
        try:
            yield
        finally:
            self._replayed = None

    def extend(self, pulls: int, arms: int = 0) -> None:
        """Go on with so many more pulls, and new arms; only ``Adaptive`` can."""
        raise self._refuse_to("extended")

    def add(self) -> int:
        """Take one more arm in, and return its number; only ``Adaptive`` can."""
        raise self._refuse_to("added to")

    def stop(self, chance: float | None = None) -> None:
        """End the run before its budget is spent; only ``Adaptive`` can."""
        raise self._refuse_to("stopped early")

    def standings(self) -> Standings:
        """Say at any time where every arm stands by all that was told: best first, with its chance to be the best."""
        return self._stand(self.evidence())

    # How it is done.

    def _refuse_to(self, be: str) -> InvalidArgument:
        what = type(self).__name__
        return InvalidArgument(
            f"a {what} cannot be {be}: it decides before the first pull how many there are, and of which arms. Make a "
            "new one, or play heats.Adaptive, which can."
        )

    def _find_kind(self, past: Sequence[Over], without: Iterable[int] = ()) -> Kind | None:
        """Return the kind of feedback, None if no verdict is left, be it one set aside."""
        said = {index: row for index, row in enumerate(self._rows) if row}
        said |= {index: aside.said for index, aside in self._aside.items() if aside.said}
        return self._kind if said.keys() - set(without) or any(over.rows.size for over in past) else None

    def _silence(self, pulls: Iterable[int]) -> None:
        """Let pulls of the stage under way have no verdict."""
        said = [pull for pull in pulls if self._rows[pull]]
        for pull in said:
            self._rows[pull] = NOTHING
        self.no_verdicts += len(said)
        for pull in pulls:
            if pull in self._aside and self._aside[pull].said is not None:
                self._aside[pull] = self._aside[pull]._replace(said=NOTHING)
        if self._watch is not None and said:
            self._hear_heats_again(sorted({self._heat_of(pull) for pull in said}))
            if not self._owed:
                self._conclude()

    def _hear_heats_again(self, heats: Sequence[int], without: int | None = None) -> None:
        """Let the game hear heats of the stage under way from their beginning; perhaps they are not decided now."""
        assert self._stage is not None
        assert self._watch is not None
        for heat in heats:
            pulls = self._stage.stage.pulls_of(heat)
            self._need_again([pull for pull in pulls if pull in self._aside])
            self._left[heat] = pulls
            self._watch.forget(heat)
        if without is not None:
            self._forget(without)
        for heat in heats:
            self._follow(heat)

    def _need_again(self, pulls: Sequence[int]) -> None:
        """Let pulls count that did not; what they had said is told again, the others are owed."""
        assert self._dropped is not None
        for pull in pulls:
            said, out = self._aside.pop(pull)
            self._rows[pull], self._dropped[pull] = said, False
            self.spent += said is not None
            self.no_verdicts += said == NOTHING
            if said is None:
                self._owed += 1
            if out is not None:
                self._out[out.id] = out
            elif said is None:
                heapq.heappush(self._again, self._first + pull)
        self.saved -= len(pulls)

    def _hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Let the game take in what is left of stages that are over, each with its round."""
        self.game.hear_again(kind, past)

    def _recall(self, opened: Opened, pulls: Indices, observations: Array) -> Told:
        """Return what pulls of a stage observed, as evidence."""
        return Told(opened.round, pulls + opened.first, *self._queries.show(opened, pulls), observations)

    def _so_far(self) -> tuple[Indices, Array]:
        """Return arms, as dealt, and observations of the pulls told in the stage under way."""
        assert self._stage is not None
        opened, stage = self._stage, self._stage.stage
        pulls, said = read_rows(self._kind, opened, self._rows)
        return stage.heats[0, stage.heat_of(pulls)], self._queries.observe(self._kind, opened, pulls, said)

    def _stand(self, told: list[Told]) -> Standings:
        """Return the standings by what was told; they remember it, but that is no part of their JSON."""
        made = make_standings(told, self._kind, self.statistic, self.list_exits(), self.winner, self._root)
        made.remember([*told, *self.silence()])
        return made

    def _state(self, runner_up: int | None, standings: Standings | None = None) -> dict[str, Any]:
        """Return what the reports of all machines say alike; ``standings`` where they were made before."""
        winner, told = self.winner, self.evidence()
        standings = standings or self._stand(told)
        both = winner is not None and runner_up is not None
        over = [each for each in [*told, *self.silence()] if each.round < self.round]
        return {
            "n_arms": self.n_arms,
            "spent": self.spent,
            "no_verdicts": self.no_verdicts,
            "saved": self.saved,
            "voided": self.count_voided(),
            "overturned": self.overturned,
            "done": self.done,
            "winner": winner,
            "runner_up": runner_up,
            "rivals": standings.rivals if self.done else (),
            "head_to_head": count_meetings(told, winner, runner_up) if both else None,  # type: ignore[arg-type]
            "standings": standings,
            "by_lot": winner is not None and standings.method == "none",
            "batches": report_batches(over) if isinstance(self.spec, AdaptiveSpec) else (),  # others report rounds
        }
