"""Ask and tell: which pulls are owed, out with someone, or told. No rule of any algorithm lives here.

All pulls of a stage are independent: they may be asked by many workers and told in any order, by id. When the last one
is told, the game hears the observations in the order of the ids, never in that of the telling, decides what they mean,
and deals the next stage.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Any, NamedTuple, overload

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.checks import as_list, whole
from heats.base.randomness import fold_seed
from heats.engine.feedback import KINDS, Arms, Feedback, Kind, NoVerdict, Row, rewards
from heats.engine.game import Game, Stage, Watch
from heats.engine.machine.answerers import Answerers
from heats.engine.machine.queries import Queries, Query, check_known, number_of, read_rows
from heats.engine.machine.stages import NOTHING, PACK, Opened, Over
from heats.engine.report import Stop
from heats.engine.scoring import adapt_to_kind
from heats.engine.specs import Spec
from heats.engine.statistics import Statistic, StatisticLike
from heats.errors import BadFeedback, InvalidArgument, OutOfTurn, show_value

MOST_PULLS = 100_000_000  # of a run: a row of each is kept
READY_QUERIES = 1024  # are made at a time

_REWARDS = Kind.REWARDS  # an enum's member is slow to look up


class Asking:
    """A game of one repetition that is asked and told, stage by stage."""

    def __init__(self, spec: Spec, statistic: StatisticLike, seed: int) -> None:
        if spec.budget > MOST_PULLS:
            raise InvalidArgument(
                f"{{budget}} is more than a run can hold, up to {MOST_PULLS:,} pulls; give a smaller one.",
                budget=spec.budget,
            )
        self.spec = spec  # the algorithm as data: Machine.from_spec makes it again
        self.stopped: Stop | None = None  # how it ended, if that was before the budget was spent
        self.seed = seed
        self._replayed: Replayed | None = None  # a change that is replayed, if one is
        self.spent = 0  # pulls told that count
        self.saved = 0  # pulls that do not: their heats were decided before them
        self.no_verdicts = 0  # of these, how many said nothing
        self._answerers = Answerers()
        self._root = fold_seed(seed)
        self._queries = Queries(self._root)
        self.game = Game.of(spec, statistic, np.array([self._root]))
        self._kind: Kind | None = None
        self._past: list[Over] = []
        self._stage: Opened | None = None
        self._first = 0
        self._open(self._next_stage())

    def __repr__(self) -> str:
        state = f"winner {self.winner}" if self.done else f"{self._owed} owed"
        return f"<{type(self).__name__}: {self.spent} pulls told, {state}>"

    @property
    def statistic(self) -> Statistic:
        """How the pulls of a heat become scores."""
        return self.game.statistic

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return self.game.n_arms

    @property
    def total(self) -> int:
        """How many pulls will be made in all; where some may be saved, at most."""
        return self.game.total - self.saved

    @property
    def settled(self) -> int:
        """How many pulls are told or saved: nothing more is needed of them."""
        return self.spent + self.saved

    @property
    def winner(self) -> int | None:
        """The best arm; None before the end."""
        return int(self.game.winners[0]) if self.done else None

    @property
    def round(self) -> int:
        """The round (stage) under way, from 0; the number of rounds once done."""
        return self.game.round

    @property
    def stage(self) -> Stage | None:
        """The heats under way, with one repetition; None once done."""
        return self._stage.stage if self._stage else None

    @property
    def owed(self) -> int:
        """How many pulls of the round under way are not told yet."""
        return self._owed

    def list_owed(self) -> list[int]:
        """Return the ids of the pulls of the round under way that are not told yet, out with somebody or not."""
        return [self._first + pull for pull, row in enumerate(self._rows) if row is None]

    @property
    def done(self) -> bool:
        """Whether the winner is known."""
        return self._stage is None

    @property
    def is_fresh(self) -> bool:
        """Whether nothing happened yet: its spec, statistic and seed are all there is to know."""
        is_changed = self._answerers.void or self.n_arms != self.game.spec.n_arms
        return not (self.spent or self._out or is_changed)

    @property
    def is_begun(self) -> bool:
        """Whether a pull of the round under way was told, or is out."""
        return self._owed < len(self._rows) or bool(self._out) or (self._replayed is not None and self._replayed.begun)

    @overload
    def ask(self) -> Query | None: ...
    @overload
    def ask(self, n: int) -> list[Query]: ...
    def ask(self, n: int | None = None) -> Query | list[Query] | None:
        """Hand out a pull that is owed, or up to ``n``; None, or a short list, while all that is owed is out."""
        if n is not None:
            return list(islice(iter(self.ask, None), min(whole("n", n, 1), self._owed)))
        while self._again:
            number = heapq.heappop(self._again)
            if self._waits(number):  # else an answer came after all
                self._out[number] = query = self._query(number)
                return query
        for query in self._fresh:
            if self._waits(query.id):  # else it was asked for, or told, by its id
                self._out[query.id] = query
                return query
        return None

    def ask_for(self, numbers: Sequence[int]) -> list[Query]:
        """Hand out these very pulls, by id, all of the round under way: how a run is replayed fast."""
        stage = self._stage
        numbers = [whole("numbers", number, -(2**63)) for number in as_list("numbers", numbers)]
        if stage is None or not numbers or not stage.first <= min(numbers) <= max(numbers) < stage.first + stage.total:
            raise OutOfTurn(f"not all of the pulls {list(numbers)[:9]} are of the round under way.")
        queries = list(self._make_queries(stage, np.array(numbers) - stage.first))
        self._out.update((query.id, query) for query in queries if self._rows[query.id - self._first] is None)
        return queries

    def query(self, query: Query | int) -> Query:
        """Return any query of the rounds so far by its id, whether it is owed, out or told.

        One told by value (from another process, say) must be a query of this run. Of a pull that does not count it may
        be forgotten which arms it compared (see ``Adaptive.redeal``): then it has none.
        """
        number = number_of(query)
        mine = self._out.get(number) or self._query(number)
        if not isinstance(query, Query) or query == mine:
            return mine
        if not mine.arms and query == msgspec.structs.replace(mine, arms=query.arms):
            return query  # nobody else knows what it compared
        raise OutOfTurn(f"{query} is of another run: here pull {number} compares {mine.arms}.")

    def told(self, query: Query | int) -> bool:
        """Whether that pull was told already, or was saved: nothing more is needed of it."""
        number = number_of(query)
        return number < self._first or (number < self.next_id and self._rows[number - self._first] is not None)

    def counts(self, query: Query | int) -> bool:
        """Whether that pull counts, or would; not if its heat was decided by those before it."""
        number = number_of(query)
        if number >= self.next_id:
            return True
        if number >= self._first:
            return self._dropped is None or not self._dropped[number - self._first]
        over = self._find_finished(number)
        return over.dropped is None or not over.dropped[number - over.opened.first]

    @property
    def first_id(self) -> int:
        """The smallest id of the round under way; once done, that after all of them."""
        return self._first

    @property
    def next_id(self) -> int:
        """The id after those of all rounds so far."""
        return self._stage.first + self._stage.total if self._stage else self._first

    def tell(self, query: Query | int, feedback: Feedback, *, by: str | None = None) -> None:
        """Record what a pull said, by its Query or its id; the last pull of a stage decides it.

        Refused feedback raises and changes nothing. Telling the same again is a no-op. Any pull that is owed may be
        told, asked for or not: that is how a run is replayed from what was written down. A pull that was saved may be
        told, too, since somebody may have been at it; it does not count. What somebody says whose answers are void is
        no verdict.
        """
        number = query.id if type(query) is Query else number_of(query)
        mine = self._out.get(number)
        if mine is not query or mine is None:
            mine = self.query(query)
            check_known(mine)
        if by is not None and not isinstance(by, str):
            raise InvalidArgument("{by} must be the name of who answered, as text.", by=by)
        kind = KINDS.get(type(feedback), _REWARDS)
        packed = self._pack(kind, feedback, mine.arms)
        if by is not None and self._answerers.is_void(by):
            packed = NOTHING
        index = number - self._first
        if index < 0 or self._rows[index] is not None:
            self._check_told_before(number, packed)
            return
        before = self._kind
        if packed:
            self._kind = kind
        self._rows[index] = packed
        self._owed -= 1
        if by is not None:
            self._answerers.sign(index, by, len(self._rows))
        if self._watch is not None:
            self._follow(self._heat_of(index))
        if not self._owed:
            try:
                self._conclude()
            except Exception:  # whatever it was, it is raised again, once the pull counts as not told
                self._forget(index)
                self._kind = before
                raise
        self._out.pop(number, None)
        self.spent += 1
        if not packed:
            self.no_verdicts += 1

    def requeue(self, query: Query | int) -> None:
        """Give up a pull that will never be told (a worker died, a voter left): ``ask`` hands it out again.

        One that was saved since it was handed out is not needed any more: nothing happens.
        """
        number = number_of(query)
        if not self.counts(number):
            self.query(query)
            self._let_go(number)
            return
        if number not in self._out:
            raise OutOfTurn(f"pull {show_value(number)} is not out with anyone, so it cannot be requeued.")
        self.query(query)
        del self._out[number]
        heapq.heappush(self._again, number)

    @property
    def kind(self) -> Kind | None:
        """The kind of feedback that is told; None before anything was."""
        return self._kind

    # How it is done.

    def _next_stage(self) -> Stage | None:
        """Return what is to be pulled next; None once the winner is known."""
        return self.game.stage()

    def _deal(self, pulls: Indices) -> None:
        """Know the heats of these pulls of the stage under way; most games deal them when it begins."""

    def _make_queries(self, stage: Opened, pulls: Indices) -> Iterator[Query]:
        """Return the queries of pulls of a stage."""
        if stage is self._stage:
            self._deal(pulls)
        return self._queries.make(stage, pulls)

    def _pack(self, kind: Kind, feedback: Any, arms: Arms) -> bytes:
        """Return the observations of a pull as bytes, none if it had no verdict; or refuse what cannot be told."""
        if kind is _REWARDS:
            if type(feedback) is NoVerdict:
                return NOTHING
            row = rewards(feedback, arms)
            if kind is not self._kind:
                self._check_kind(kind)
        else:
            if kind is not self._kind:
                self._check_kind(kind)
            row = feedback.row(arms)
        if self._needs:
            self._check_needs(row)
        packed: bytes = PACK[len(row)](*row)
        return packed

    def _waits(self, number: int) -> bool:
        """Whether a pull of this stage is neither told nor out."""
        return self._rows[number - self._first] is None and number not in self._out

    def _open(self, stage: Stage | None) -> None:
        """Owe all pulls of a stage; none at the end."""
        first = self.next_id
        self._stage = None if stage is None else Opened(stage, self.game.round, first, stage.total, stage.size)
        self._first = first
        self._rows: list[bytes | None] = [None] * (stage.total if stage else 0)
        self._owed = len(self._rows)
        self._out: dict[int, Query] = {}
        self._again: list[int] = []  # requeued ids, smallest first
        self._aside: dict[int, Aside] = {}  # pulls that do not count
        self._answerers.signed = None
        self._watch: Watch | None = self.game.watch()
        self._dropped: Mask | None = None  # pulls that do not count
        if self._watch is not None and stage is not None:
            self._dropped = np.zeros(stage.total, dtype=bool)
            self._left = [stage.pulls_of(heat) for heat in range(stage.count)]  # pulls the watch has not heard
        self._fresh = self._make_ready(self._stage) if self._stage else iter(())
        self._needs = self.statistic.needs

    def _grow(self, stage: Stage) -> None:
        """Owe more pulls of the stage under way; those it had are the first of them."""
        assert self._stage is not None
        self._stage = self._stage._replace(stage=stage, total=stage.total)
        more = stage.total - len(self._rows)
        self._rows.extend([None] * more)
        self._owed += more
        self._fresh = self._make_ready(self._stage)

    def _close(self) -> None:
        """Owe nothing of the stage under way, of which nothing was told: its ids are free again."""
        assert self._stage is not None
        self._first, self._stage = self._stage.first, None
        self._open(None)

    def _make_ready(self, stage: Opened) -> Iterator[Query]:
        """Make the queries of a stage; where heats may end early, one of each in turn, so few are made in vain."""
        rows = self._rows
        order = iter(range(stage.total)) if self._watch is None else stage.stage.take_turns()
        while chunk := list(islice(order, READY_QUERIES)):
            untold = [pull for pull in chunk if rows[pull] is None]
            if untold:
                yield from self._make_queries(stage, np.array(untold))

    def _query(self, number: int) -> Query:
        """Return any query, handed out or not, of the stage under way or of a finished one."""
        stage = self._stage
        if stage is None or number < stage.first:
            stage = self._find_finished(number).opened
        elif number >= stage.first + stage.total:
            raise _not_owed(number)
        query = next(self._make_queries(stage, np.array([number - stage.first])))
        return query if query.arms[0] >= 0 else msgspec.structs.replace(query, arms=())

    def _find_finished(self, number: int) -> Over:
        position = bisect_right(self._past, number, key=lambda over: over.opened.first) - 1
        if position < 0 or number >= self._past[position].opened.first + self._past[position].opened.total:
            raise _not_owed(number)
        return self._past[position]

    def _check_kind(self, kind: Kind) -> None:
        if self._kind is not None:
            raise BadFeedback(
                f"{kind.value} feedback was told in a run of {self._kind.value} feedback; "
                "tell one kind only, the scores would not compare."
            )
        self.game.check_kind(kind)
        adapt_to_kind(self.statistic, kind)

    def _check_needs(self, row: Row) -> None:
        if not np.isfinite(self.statistic(np.array([row]))).all():
            raise BadFeedback(f"{self.statistic!r} needs {self.statistic.needs}, but {row} was told.")

    def _check_told_before(self, number: int, packed: bytes) -> None:
        """Pass over a pull told again, unless it says something else now; and over one that does not count."""
        if not self.counts(number):
            self._let_go(number)
            return
        if number >= self._first:
            same = self._rows[number - self._first] == packed
        else:
            over = self._find_finished(number)
            said = over.recall(number - over.opened.first)
            same = said == packed[-len(said) :] if said else not packed
        if not same:
            raise OutOfTurn(f"pull {number} was told before, and differently; the first answer counts.")

    def _conclude(self) -> None:
        """Hand a full stage to the game."""
        assert self._stage is not None
        opened, signed = self._stage, self._answerers.signed
        pulls, raw = read_rows(self._kind, opened, self._rows)
        self._finish(*self._queries.arrange(self._kind, opened, pulls, raw))
        self._past.append(Over(opened, raw, None if pulls.size == opened.total else pulls, self._dropped, signed))
        self._open(self._next_stage())

    def _forget(self, index: int) -> None:
        """Owe a pull of the stage under way as if it had not been told."""
        self._rows[index] = None
        self._owed += 1
        self._answerers.strike(index)

    def _let_go(self, number: int) -> None:
        """Take note that nobody is at work any more on a pull that does not count."""
        if (aside := self._aside.get(number - self._first)) is not None:
            self._aside[number - self._first] = aside._replace(out=None)

    def _heat_of(self, index: int) -> int:
        assert self._stage is not None
        return int(self._stage.stage.heat_of(np.array(index)))

    def _follow(self, heat: int) -> None:
        """Let the game hear a heat as far as it was told without a gap; pulls after its end are saved."""
        assert self._stage is not None
        assert self._watch is not None
        told = list(takewhile(lambda each: self._rows[each] is not None, self._left[heat]))
        if not told:
            return
        spoke, raw = read_rows(self._kind, self._stage, [self._rows[each] for each in told])
        observations = self._queries.observe(self._kind, self._stage, np.array(told)[spoke], raw)
        seen = dict(zip(spoke.tolist(), observations, strict=True))
        for number in range(len(told)):
            self._left[heat] = self._left[heat][1:]
            if self._watch.hear(heat, self._kind, seen.get(number)):
                self._save(self._left[heat])
                self._left[heat] = range(0)
                return

    def _save(self, pulls: range) -> None:
        """Do without these pulls; answers that came nevertheless do not count."""
        assert self._dropped is not None
        for pull in pulls:
            row, self._rows[pull] = self._rows[pull], NOTHING
            self._aside[pull] = Aside(row, self._out.pop(self._first + pull, None))
            self._owed -= row is None
            self.spent -= row is not None
            self.no_verdicts -= row == NOTHING
            self._dropped[pull] = True
        self.saved += len(pulls)

    def _finish(self, observations: Array, heard: Mask | None) -> None:
        """Let the game judge the stage ``(1, heats, pulls, size)``."""
        self.game.hear(self._kind, observations, heard)


class Replayed(NamedTuple):
    """A change that a journal tells of: it was allowed when it was made, whatever is known of it here."""

    begun: bool  # whether a pull of the round under way had been told, or was out


class Aside(NamedTuple):
    """A pull that does not count: what it had said, packed, and who it is out with, if with anybody."""

    said: bytes | None
    out: Query | None


def _not_owed(number: int) -> OutOfTurn:
    return OutOfTurn(f"pull {show_value(number)} is not owed now; tell what ask() handed out.")
