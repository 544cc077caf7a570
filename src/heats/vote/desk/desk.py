"""Who gets which pull, for how long, and whose answer counts. Nothing here knows of pages.

Nobody is asked about the same set of candidates twice. Pulls are handed out across heats, the ones most pulls are left
of first. A pull that was handed out is leased; a lease that ran out is lost as soon as somebody else gets the pull. If
all that is left for a voter was first handed out a while ago and is still out, they get it as well, however often it
was taken since: nobody can hold a pull up. A vote is on a set, not on a pull: it counts for any pull of the set that is
owed, whoever has that, and is late only if none is. To look at what one has changes nothing. What is open on pages is
kept beside the journal: after a restart everybody has what their page shows, and nobody else gets it for that.

What shows something else than at the beginning is withheld: it is not handed out, and votes on it are late, until it is
what it was. Nothing is closed for that by itself.

Where it is known who votes, and how often, nobody is handed what would leave something that nobody can answer, if that
can be helped. Once nobody can answer anything that is owed, ever, it is waited for no longer, and the journal says so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from heats.engine.feedback import Named
from heats.engine.machine import Query
from heats.errors import OutOfTurn
from heats.journal import Journal
from heats.vote.desk.leases import Leases
from heats.vote.desk.ledger import Ledger, note_shown
from heats.vote.desk.line import Group, Line
from heats.vote.desk.matching import Matching
from heats.vote.desk.pages import OpenPages

PATIENCE = 60.0  # seconds after a pull was handed out until one who has nothing else gets it as well; twice that: all

OVER = "the poll was over"
CLOSED = "it was waited for no longer"
SECOND = "somebody else had answered it"
VOID = "the voter’s votes are left out"
NEEDLESS = "it was not needed any more"
CHANGED = "a file of it was changed"
UNANSWERABLE = "everybody has seen what is owed, or has no votes left"  # why a stage is closed


class Outcome(Enum):
    """What became of an answer."""

    COUNTED = "counted"
    LATE = "late"  # kept, and does not count: the set owes nothing more
    REPEATED = (
        "repeated"  # answered before by the same voter: that counts, or counted; or nothing was left to give back
    )
    PAUSED = "paused"  # not kept


class Nothing(Enum):
    """Why there is nothing to do for somebody."""

    DONE = "done"  # the poll is over
    PAUSED = "paused"
    VOID = "void"  # their votes are
    ENOUGH = "enough"  # they have done their share
    WAIT = "wait"  # they have seen all that is owed now, or it is with others
    YET = "yet"  # it was not asked for: there is something


class Handed(NamedTuple):
    """A pull that somebody is asked about; with ``is_last`` its answer decides what comes next, and stays."""

    query: Query
    is_last: bool


class Desk:
    """Hands out the pulls of a journal's machine, takes answers, and tells them to the journal."""

    def __init__(
        self,
        journal: Journal,
        ledger: Ledger,
        *,
        lease: float = 600.0,
        votes_each: int | None = None,
        voters: Sequence[str] | None = None,
        is_changed: Callable[[int], bool] = lambda _: False,
        pages: OpenPages | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.journal, self.ledger = journal, ledger
        self.voters = voters  # who may vote, if that is known
        self._votes_each, self._leases = votes_each, Leases(lease, clock)
        self._pages = pages  # where it is kept who was handed what
        self._is_changed = is_changed  # whether a candidate shows something else by now
        self._changed: frozenset[int] = frozenset()  # those of which that is known
        self._withheld = 0  # pulls owed that are about them
        self._stage: tuple[object, ...] | None = None  # which one what follows is about, and who may answer it
        self._matching: Matching | None = None  # who could answer what, if it is known who may
        self._groups: dict[int, Group] = {}  # of all pulls owed, but for those withheld
        self._line = Line(self._groups)  # pulls that nobody has, or whose time ran out

    @property
    def is_paused(self) -> bool:
        """Whether nothing is handed out or taken."""
        return self.journal.log.is_paused

    @property
    def votes_each(self) -> int | None:
        """How many votes everybody has, if that is limited: as many as was said, or more if the poll was extended."""
        if self._votes_each is None or self.voters is None:
            return self._votes_each
        return max(self._votes_each, -(-self.journal.machine.total // len(self.voters)))

    def look(self, who: str) -> Handed | Nothing:
        """Return what somebody was handed, or why that is nothing; it stays as it is."""
        self._look()
        if (reason := self._refuse(who)) is not None:
            return reason
        if (number := self._pick(who)) is None:
            return Nothing.WAIT
        return self._describe(number) if number == self._leases.find(who) else Nothing.YET

    def hand_out(self, who: str) -> Handed | Nothing:
        """Return what somebody is asked about: what they have, or else a pull; it is theirs from now on."""
        self._look()
        if (reason := self._refuse(who)) is not None:
            return reason
        if (number := self._pick(who)) is None:
            return Nothing.WAIT
        self._give(who, number)
        self.journal.machine.ask_for([number])
        return self._describe(number)

    def peek(self, who: str) -> Query | None:
        """Return what somebody may be asked about next; it is nobody's yet."""
        held = self._leases.find(who)
        number = self._choose(who, None if held is None else self._groups[held])
        return None if number is None else self.journal.machine.query(number)

    def answer(self, who: str, number: int, feedback: Named, took: float | None = None) -> Outcome:
        """Take an answer to a pull that was shown to somebody; what cannot be the outcome of it is refused.

        ``took`` are the seconds since it was, if that is not said and they are known.
        """
        query = self.journal.machine.query(number)
        self._look(query.arms)
        if frozenset(query.arms) in self._list_seen(who):
            return Outcome.REPEATED
        took = self._leases.measure(who, number) if took is None else took
        owed = self._find_owed(who, query)
        if owed is None or who in self.journal.machine.voided:
            self.journal.take()
            self.journal.late(query, feedback, by=who, took=took, why=self._find_why_not(who, query))
            self._revise(who, query, 0)
            return Outcome.LATE
        if self.is_paused:
            return Outcome.PAUSED
        self.journal.tell(owed, feedback, by=who, took=took, notes=None if owed == number else note_shown(query))
        self._forget(owed)
        self._revise(who, query, -1)
        return Outcome.COUNTED

    def skip(self, who: str, number: int) -> Outcome:
        """Give back what somebody cannot say anything about: somebody else is asked."""
        machine = self.journal.machine
        query = machine.query(number)
        self._look(query.arms)
        owed = self._find_owed(who, query)
        if owed is None or frozenset(query.arms) in self._list_seen(who):
            return Outcome.REPEATED
        if self.is_paused:
            return Outcome.PAUSED
        machine.ask_for([owed])
        self.journal.requeue(owed, "cannot say", by=who)
        if self._leases.find(who) == owed:
            self._let_go(who)
        if self._leases.is_out(owed):
            machine.ask_for([owed])
        self._revise(who, query, 0)
        return Outcome.COUNTED

    def undo(self, who: str, number: int) -> None:
        """Take back somebody's last vote, which must be that one; it is asked again."""
        self._look()
        if number != self.find_last(who):
            raise OutOfTurn("only your last vote can be undone, and it is another one now.")
        if not self.can_undo(who):
            raise OutOfTurn("that vote cannot be undone any more: what comes next was decided by it.")
        if self.is_paused:
            raise OutOfTurn("voting is paused; nothing can be undone until it goes on.")
        query = self.journal.machine.query(number)
        self.journal.take_back(number)
        self._let_go(who)
        self._look(query.arms)
        if self._changed.intersection(query.arms):
            self._take_stock()
            return
        self._groups[number] = frozenset(query.arms)
        self._revise(who, query, 1)
        self._give(who, number)

    def restore_pages(self) -> None:
        """Let everybody have what they had when the desk before this one ended, as far as they can still answer it."""
        if self._pages is None:
            return
        self._look()
        voters = None if self.voters is None else frozenset(self.voters)
        for who, number, ago in sorted(self._pages.read(), key=lambda page: -page[2]):
            may_vote = (voters is None or who in voters) and self._count_left(who) > 0
            is_open = number in self._groups and self._groups[number] not in self._list_seen(who)
            if may_vote and is_open and ago < self._leases.seconds:
                self._give(who, number, ago)
                self.journal.machine.ask_for([number])
        self._pages.begin()

    def settle(self) -> None:
        """Close what nobody can answer, ever, if it is known who may: the poll goes on without it, or is over."""
        self._look()
        machine = self.journal.machine
        while self._matching is not None and not (
            self._matching.count or self._withheld or machine.done or self.is_paused
        ):
            self.journal.close_stage(UNANSWERABLE)
            self._look()

    def find_last(self, who: str) -> int | None:
        """Return the pull of somebody's last vote that counts."""
        person = self.ledger.people.get(who)
        return next(reversed(person.votes), None) if person is not None else None

    def can_undo(self, who: str) -> bool:
        """Whether somebody's last vote can be taken back: nothing was decided by it yet."""
        number = self.find_last(who)
        return number is not None and number >= self.journal.machine.first_id

    def needs(self, who: str) -> bool:
        """Whether there is something that somebody could be asked about now."""
        self._look()
        return self._refuse(who) is None and (self._leases.find(who) is not None or self._choose(who) is not None)

    def list_changed(self) -> list[int]:
        """Return the candidates that show something else than at the beginning."""
        self._look(range(self.journal.machine.n_arms))
        return sorted(self._changed)

    def list_holders(self) -> dict[int, tuple[str, ...]]:
        """Return which pulls are out, with whom."""
        self._look()
        return {number: tuple(holders) for number, holders in self._leases.list_out().items()}

    # How it is done.

    def _refuse(self, who: str) -> Nothing | None:
        machine = self.journal.machine
        if machine.done:
            return Nothing.DONE
        if who in machine.voided:
            return Nothing.VOID
        if not self._count_left(who):
            return Nothing.ENOUGH
        return Nothing.PAUSED if self.is_paused else None

    def _count_left(self, who: str) -> int:
        """Return how many votes somebody has left; where there is no limit, more than are owed."""
        person, each = self.ledger.people.get(who), self.votes_each
        if who in self.journal.machine.voided:
            return 0
        if each is None:
            return len(self._groups) + 1
        return each if person is None else max(0, each - person.answered)

    def _find_owed(self, who: str, query: Query) -> int | None:
        """Return the owed pull that an answer is for: of the same set, theirs, or one nobody has, or else anybody's."""
        held, group = self._leases.find(who), frozenset(query.arms)
        if held == query.id:
            return held
        owed = [number for number, each in self._groups.items() if each == group]
        return min(
            owed, key=lambda each: (each != held, self._leases.is_out(each), each != query.id, each), default=None
        )

    def _find_why_not(self, who: str, query: Query) -> str:
        """Say why an answer does not count."""
        machine = self.journal.machine
        if who in machine.voided:
            return VOID
        if machine.done:
            return OVER
        if not machine.counts(query):
            return NEEDLESS
        if query.id in self.ledger.voted:
            return SECOND
        return CHANGED if self._changed.intersection(query.arms) else CLOSED

    def _describe(self, number: int) -> Handed:
        machine = self.journal.machine
        left = machine.owed if self._matching is None else self._matching.count + self._withheld
        return Handed(machine.query(number), left <= 1)

    def _look(self, arms: Iterable[int] = ()) -> None:
        """Deal with all that happened: another stage, leases that ran out, changes of ``arms`` or of those changed."""
        machine = self.journal.machine
        self._changed = frozenset(arm for arm in {*arms, *self._changed} if self._is_changed(arm))
        stage = (machine.round, machine.next_id, machine.voided, self.voters, self.votes_each, self._changed)
        if stage != self._stage:
            self._stage = stage
            self._take_stock()
        for number in self._leases.list_ended():
            self._line.add(number)

    def _take_stock(self) -> None:
        """Sort the pulls of the stage under way by what they compare; what is out stays so."""
        machine, stage = self.journal.machine, self.journal.machine.stage
        owed = machine.list_owed()
        self._groups = {}
        if stage is not None and owed:
            heats = stage.heat_of(np.array(owed) - machine.first_id).tolist()
            groups = [frozenset(arms) for arms in stage.heats[0].tolist()]
            open_heats = {heat for heat, group in enumerate(groups) if not self._changed & group}
            self._groups = {
                number: groups[heat] for number, heat in zip(owed, heats, strict=True) if heat in open_heats
            }
        self._withheld = len(owed) - len(self._groups)
        self._leases.keep(self._groups)
        self._line = Line(self._groups)
        self._line.fill()
        for number in self._leases.list_out():
            self._line.remove(number)
        if self.voters is not None:
            left = {who: self._count_left(who) for who in self.voters}
            self._matching = Matching(Counter(self._groups.values()), left, self._list_seen, self._find_held)

    def _pick(self, who: str) -> int | None:
        """Return what somebody has or should be asked about next, all of which is still what it was."""
        while True:
            held = self._leases.find(who)
            number = self._choose(who) if held is None else held
            if number is None:
                return None
            self._look(self.journal.machine.query(number).arms)
            if number in self._groups:
                return number

    def _choose(self, who: str, besides: Group | None = None) -> int | None:
        """Return the pull that somebody should be asked about next, if there is one."""
        seen, matching = self._list_seen(who), self._matching
        among = None if matching is None or matching.can_spare(who) else matching.list_sets(who)
        number = self._line.find(seen, besides, among)
        return self._choose_shared(seen, besides) if number is None else number

    def _choose_shared(self, seen: Container[Group], besides: Group | None) -> int | None:
        """Return a pull that has been out for a while: one that the fewest have, and of these the longest."""
        found, can_waste = [], self._can_waste()
        for number, holders in self._leases.list_out().items():
            if self._groups[number] in seen or self._groups[number] == besides:
                continue
            out, n_voters = self._leases.measure_first(number), sum(self._refuse(name) is None for name in holders)
            if not n_voters or (can_waste and out >= _find_patience(n_voters)):  # the others have left
                found.append((n_voters, -out, number))
        return min(found)[2] if found else None

    def _can_waste(self) -> bool:
        """Whether a vote may come to nothing: as far as is known, all have more left than are owed, now and later."""
        machine, matching = self.journal.machine, self._matching
        return matching is None or self._votes_each is None or matching.left > machine.total - machine.spent

    def _list_seen(self, who: str) -> Container[Group]:
        """Return the sets that somebody was asked about and has dealt with."""
        person = self.ledger.people.get(who)
        if person is None:
            return ()
        for number in person.skipped[person.known_skipped :]:
            person.seen[frozenset(self.journal.machine.query(number).arms)] += 1
        person.known_skipped = len(person.skipped)
        return person.seen

    def _find_held(self, who: str) -> Group | None:
        """Return the set that somebody is asked about."""
        held = self._leases.find(who)
        return None if held is None else self._groups.get(held)

    def _give(self, who: str, number: int, ago: float = 0.0) -> None:
        self._line.remove(number)
        self._leases.give(who, number, ago)
        if self._pages is not None:
            self._pages.note(who, number, ago)
        if self._matching is not None:
            self._matching.reserve(who, self._groups[number])

    def _revise(self, who: str, query: Query, more: int) -> None:
        """Find out anew who could answer what: somebody dealt with a pull, and of its set so many more are owed."""
        if self._matching is not None:
            self._matching.revise(who, self._count_left(who), frozenset(query.arms), more)

    def _let_go(self, who: str) -> None:
        """Let somebody have nothing any more."""
        number = self._leases.take(who)
        if number is not None and not self._leases.is_out(number):
            self._line.add(number)

    def _forget(self, number: int) -> None:
        """Do away with a pull that was told: nobody has it any more."""
        if number in self._groups:
            self._line.remove(number)
            self._leases.drop(number)
            del self._groups[number]


def _find_patience(n_voters: int) -> float:
    """Return after how many seconds one more gets what so many have: each next one waits half as long as the last.

    So few votes are one too many, and all who wait have it after twice the time that the first one waits.
    """
    return PATIENCE * (2 - 0.5 ** (n_voters - 1))
