"""A journal and its desk in one thread: what many voters do at once goes to the disk together, then each is answered.

While one group is brought to the disk, the next one gathers; a group is at most a hundredth of a second of work. A
group that could not be written was not counted: all of it is refused, and the journal is read again, so that the desk
knows what is on the disk and nothing else.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from heats.base.text import count_things
from heats.engine.adaptive.dealing.repeats import MOST_BUDGET as MOST_LIMITED
from heats.engine.adaptive.machine import MOST_BUDGET
from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.errors import HeatsError, InvalidArgument, JournalFailed
from heats.journal import Journal, JournalFile, Log
from heats.journal.fingerprint import Candidate, take_fingerprints
from heats.journal.origin import VoteOrigin
from heats.journal.reader import read_header
from heats.vote.desk.desk import Desk
from heats.vote.desk.ledger import Ledger
from heats.vote.desk.pages import OpenPages
from heats.vote.desk.reading import Reading, read_in_thread
from heats.vote.poll.candidates import Shown, check_different, read_candidate, restore_candidate
from heats.vote.poll.identities import Identities, open_key
from heats.vote.poll.originals import Originals
from heats.vote.poll.people import (
    ORGANISER,
    Link,
    Roster,
    check_newcomer,
    hash_token,
    list_links,
    make_token,
    read_links,
    write_links,
)
from heats.vote.poll.scenario import Poll

T = TypeVar("T")
Job: TypeAlias = "tuple[Callable[[Desk], Any], Future[Any]]"
Done: TypeAlias = "tuple[Future[Any], Any, BaseException | None]"

GROUP_SECONDS = 0.01


class Office:
    """A poll under way: everything that looks at it or changes it is done one after the other, by ``do``."""

    def __init__(
        self,
        poll: Poll,
        journal: str | os.PathLike[str],
        *,
        address: str = "/",
        clock: Callable[[], float] = time.monotonic,
        reader: Callable[[], Executor] = read_in_thread,
    ) -> None:
        self.poll, self._clock, self._address = poll, clock, address
        self.path = Path(journal).absolute()
        self.links, self.key = Path(f"{self.path}.links.csv"), Path(f"{self.path}.key")
        self.shown: list[Shown] = list(poll.candidates)  # in the order of the arms
        self._originals = Originals()
        self._pages = OpenPages(Path(f"{self.path}.open"))
        if read_header(self.path) is None:
            self._begin()
        self.desk = self._open()
        try:
            self.roster, self.tokens = self._meet_people()
            self.identities = self._open_identities()
            self._let_in([name for name in poll.people or () if name not in (self.roster.names or ())])
            self.desk.restore_pages()
            self.desk.settle()
        except BaseException:
            self.desk.journal.close()
            raise
        self.reading = Reading(self.path, reader)
        self._thread = ThreadPoolExecutor(1, "heats vote")
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._is_working = False
        self._is_open = True

    @property
    def origin(self) -> VoteOrigin:
        """What the journal says of the poll's beginning."""
        return _find_origin(self.desk.journal.log)

    @property
    def share(self) -> int | None:
        """How many votes are asked of everybody, if it is known of how many people."""
        return self.desk.votes_each or self.poll.share

    def do(self, job: Callable[[Desk], T]) -> Future[T]:
        """Have something done at the desk; its result comes once all that it told is on the disk."""
        future: Future[T] = Future()
        with self._lock:
            self._jobs.append((job, future))
            if not self._is_working:
                self._is_working = True
                self._thread.submit(self._work)
        return future

    def close(self) -> None:
        """Finish what is under way, and let others write."""
        self._thread.shutdown()
        self.reading.close()
        with contextlib.suppress(HeatsError):
            self.desk.journal.close()

    def show(self, arm: int) -> Shown:
        """Return what a candidate shows, one included that came in later."""
        return self.shown[arm]

    def is_changed(self, arm: int) -> bool:
        """Whether the file of a candidate is another one by now, or gone; it may have to be read for that."""
        shown = self.shown[arm]
        if shown.path is None or shown.signature is None:
            return False
        return self._originals.is_changed(shown.path, shown.sha256, shown.signature)

    def add(self, desk: Desk, said: str) -> None:
        """Take a candidate in: a text, or the name of a file in the poll's folder if its candidates are files."""
        new = read_candidate(said, self.poll.folder, is_file=self.poll.has_files)
        check_different([*self.shown, new])
        try:
            desk.journal.add(new.name, new.found_by)
        except InvalidArgument as error:
            if error.argument != "budget":
                raise
            raise InvalidArgument(
                "no batch is left that a new candidate could be compared in; give the poll more votes first, and add "
                "it then."
            ) from None
        self.shown.append(new)

    def extend(self, desk: Desk, votes: int) -> None:
        """Let the poll go on for so many more votes, or say how many it can be."""
        machine = desk.journal.machine
        if isinstance(machine.spec, AdaptiveSpec):
            most, why = _count_most(machine.spec, machine.n_arms)
            room = most - machine.total
            if not 1 <= votes <= room:
                can = f"from 1 to {room:,}" if room else "none"
                raise InvalidArgument(
                    f"{votes:,} more votes cannot be had: there are {machine.total:,}, and {can} can be added; {why}."
                )
        desk.journal.extend(votes)

    def join(self, desk: Desk, name: str) -> None:
        """Let one more person vote, who gets a secret link, too."""
        if self.roster.names is None:
            raise InvalidArgument("everybody may vote here; nobody has to be let in.")
        self._let_in([check_newcomer(name, self.roster.names)])

    # How it is done.

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._is_working = False
                    return
            self._do_together()

    def _do_together(self) -> None:
        """Do what waits, for a while; bring it to the disk; then answer."""
        done: list[Done] = []
        try:
            self._mend()
            with self.desk.journal.together():
                self._do_some(done)
                self.desk.settle()
            self._pages.write()
        except BaseException as error:  # nothing of the group is on the disk
            self._is_open = False
            futures = [future for future, _, _ in done] or self._take_all()  # if it cannot even be read, nobody waits
            done = [(future, None, error) for future in futures]
        if any(isinstance(failure, JournalFailed) for _, _, failure in done):
            self._is_open = False
        for future, result, failure in done:
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(result)

    def _do_some(self, done: list[Done]) -> None:
        """Do what waits, as much as goes into a group, and note what came of it."""
        begun = time.monotonic()
        while self._jobs and (not done or time.monotonic() - begun < GROUP_SECONDS):
            job, future = self._jobs.popleft()
            if future.set_running_or_notify_cancel():  # else whoever asked is gone
                done.append((future, *_try(job, self.desk)))

    def _take_all(self) -> list[Future[Any]]:
        """Return everything that waits, to be answered without being done."""
        with self._lock:
            jobs, self._jobs = self._jobs, deque()
        return [future for _, future in jobs if future.set_running_or_notify_cancel()]

    def _mend(self) -> None:
        """Read the journal again if it could not be written: what it says is all that counts."""
        if self._is_open:
            return
        with contextlib.suppress(HeatsError, OSError):
            self.desk.journal.close()
        try:
            self.desk = self._open()
            self.roster, self.tokens = self._meet_people()
            self.desk.restore_pages()
        except HeatsError as error:
            raise JournalFailed(str(error)) from error
        self._is_open = True

    def _open(self) -> Desk:
        poll, ledger = self.poll, Ledger()
        log = Log(self.path, on_event=ledger.note)
        self._check_origin(log)
        log.advance()
        self.shown, known = _arrange(poll, log)
        journal = Journal(JournalFile(self.path), _ask_for(poll, log, len(known)), candidates=known, log=log)
        return Desk(
            journal,
            ledger,
            lease=poll.table.lease,
            votes_each=poll.table.votes_each,
            is_changed=self.is_changed,
            pages=self._pages,
            clock=self._clock,
        )

    def _begin(self) -> None:
        """Begin the journal, and write all secret links into a file beside it that only its owner can read.

        What was signed and opened in a poll whose journal is gone is of no use in the new one.
        """
        self.key.unlink(missing_ok=True)
        self._pages.remove()
        names = self.poll.people or ()
        tokens = {name: make_token() for name in names}
        organiser = make_token()
        origin = VoteOrigin(
            scenario=str(self.poll.source),
            organiser=hash_token(organiser),
            voters=None if self.poll.people is None else {name: hash_token(token) for name, token in tokens.items()},
        )
        write_links(self.links, self._list_links({"": organiser} | tokens, self.poll.people))
        machine, known = self.poll.make_machine(), _identify(self.poll.candidates)
        Journal(JournalFile(self.path, command=origin), machine, candidates=known).close()

    def _open_identities(self) -> Identities | None:
        """Return who is who in an open poll; with a new key nobody is who they were, so nobody has anything."""
        if self.poll.people is not None:
            return None
        if not self.key.exists():
            self._pages.remove()
        return Identities(open_key(self.key))

    def _let_in(self, names: Sequence[str]) -> None:
        """Let more people vote; their links are written before the journal knows of them, so none is ever lost."""
        if not names:
            return
        tokens = {name: make_token() for name in names}
        write_links(self.links, self._list_links(self.tokens | tokens, [*(self.roster.names or ()), *names]))
        self.desk.journal.join({name: hash_token(token) for name, token in tokens.items()})
        self.roster, self.tokens = self._meet_people()

    def _check_origin(self, log: Log) -> None:
        origin, people = log.origin, self.poll.people
        if not isinstance(origin, VoteOrigin):
            raise InvalidArgument(f"{self.path} is not the journal of a poll; give another one.")
        if (origin.voters is None) != (people is None):
            was = "an open poll" if origin.voters is None else "a poll of listed voters"
            raise InvalidArgument(f"{self.path} holds {was}, which it has to stay; or give another journal.")
        gone = sorted(set(origin.voters or ()).difference(people or ()))
        if gone:
            raise InvalidArgument(
                f"{self.path} holds a poll of other voters: {gone[0]!r} is not listed any more. Others may be added to "
                "the list, but nobody can be left out; void their votes on the organiser's page instead."
            )

    def _meet_people(self) -> tuple[Roster, dict[str, str]]:
        """Tell the desk who may vote; return whose token it is, and all tokens that the file with the links has.

        The file says how voters reach the poll now, and is its owner's alone, whatever it was before.
        """
        origin, joined = self.origin, self.desk.journal.log.joined
        roster = Roster(origin.organiser, None if origin.voters is None else origin.voters | joined)
        self.desk.voters = roster.names
        tokens, found = {}, read_links(self.links)
        for name, _, token in found:
            if roster.is_organiser(token):
                tokens[""] = token
            elif roster.find_voter(token) == name:
                tokens[name] = token
        links = self._list_links(tokens, roster.names)
        if tokens and (links != found or self.links.stat().st_mode & 0o077):
            write_links(self.links, links)
        return roster, tokens

    def _list_links(self, tokens: Mapping[str, str], names: Sequence[str] | None) -> list[Link]:
        """Return all links whose tokens are known; the organiser's is that of nobody."""
        voters = list_links(self._address, names, tokens)
        return [Link(ORGANISER, f"{self._address}o/{tokens['']}", tokens[""]), *voters] if "" in tokens else voters


def _try(job: Callable[[Desk], Any], desk: Desk) -> tuple[Any, BaseException | None]:
    try:
        return job(desk), None
    except Exception as error:  # whatever it was, whoever asked hears of it
        return None, error


def _find_origin(log: Log) -> VoteOrigin:
    assert isinstance(log.origin, VoteOrigin)
    return log.origin


def _count_most(spec: AdaptiveSpec, n_arms: int) -> tuple[int, str]:
    """Return how many votes a poll can have in all, and why no more."""
    if spec.most_per_set is None:
        return MOST_BUDGET, f"a poll takes up to {MOST_BUDGET:,}"
    sets = math.comb(n_arms, spec.heat_size)
    most = min(sets * spec.most_per_set, MOST_LIMITED)
    made = f"{n_arms:,} candidates make {count_things(sets, 'set')} of {spec.heat_size}"
    often = f"each is shown {count_things(spec.most_per_set, 'time')} at most"
    return most, f"a poll of so many voters takes up to {most:,}" if most == MOST_LIMITED else f"{made}, and {often}"


def _identify(shown: Sequence[Shown]) -> tuple[Candidate, ...]:
    return take_fingerprints([each.known_by for each in shown], [each.name for each in shown], named=True)


def _arrange(poll: Poll, log: Log) -> tuple[list[Shown], tuple[Candidate, ...]]:
    """Return the candidates in the order of the journal, whatever their order is now, and what they are known by.

    Those that came in while the poll went on may be among the poll's by now, or not; those that are new come last. If
    one of the first ones is not there any more, they stay as they are, to be refused.
    """
    listed = poll.candidates
    found = {known.fingerprint: shown for known, shown in zip(_identify(listed), listed, strict=True)}
    where = take_fingerprints([each.found_by for each in listed], [each.name for each in listed], named=True)
    found |= {known.fingerprint: shown for known, shown in zip(where, listed, strict=True)}
    first = len(log.header.candidates)
    if not all(known.fingerprint in found for known in log.candidates[:first]):
        return list(listed), _identify(listed)
    placed = [found.get(known.fingerprint) or restore_candidate(known, poll.folder) for known in log.candidates]
    there = {(each.name, each.text, each.sha256) for each in placed}
    new = [each for each in listed if (each.name, each.text, each.sha256) not in there]
    return [*placed, *new], (*log.candidates, *_identify(new))


def _ask_for(poll: Poll, log: Log, n_arms: int) -> Machine:
    """Return the machine that is asked for, with as many candidates as there are by now.

    A set may be dealt as often as there were voters when the poll began, however many there are since.
    """
    first, now, voters = log.header.machine, log.machine.spec, _find_origin(log).voters
    spec = poll.make_machine().spec if isinstance(first, AdaptiveSpec) else None
    if isinstance(first, AdaptiveSpec) and isinstance(now, AdaptiveSpec) and isinstance(spec, AdaptiveSpec):
        most = first.most_per_set if voters is not None else spec.most_per_set
        budget = spec.budget if spec.budget <= first.budget else max(spec.budget, now.budget)
        spec = msgspec.structs.replace(spec, n_arms=n_arms, most_per_set=most, budget=budget)
        return Machine.from_spec(spec, seed=poll.table.seed)
    return (poll if voters is None else poll.begun_with(len(voters))).make_machine()
