"""A journal and its desk in one thread: what many voters do at once goes to the disk together, then each is answered.

While one group is brought to the disk, the next one gathers. A group that could not be written was not counted: all of
it is refused, and the journal is read again, so that the desk knows what is on the disk and nothing else.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.errors import BrokenFile, HeatsError, InvalidArgument, JournalFailed
from heats.journal import Journal, JournalFile, Log
from heats.journal.fingerprint import Candidate, take_fingerprints
from heats.journal.origin import VoteOrigin
from heats.journal.reader import read_header
from heats.vote.candidates import Shown, add_text
from heats.vote.desk import Desk
from heats.vote.ledger import Ledger
from heats.vote.people import ORGANISER, Roster, hash_token, make_token
from heats.vote.scenario import Poll

T = TypeVar("T")


class Office:
    """A poll under way: everything that looks at it or changes it is done one after the other, by ``do``."""

    def __init__(self, poll: Poll, journal: str | os.PathLike[str]) -> None:
        self.poll = poll
        self.path = Path(journal).absolute()
        self.links = Path(f"{self.path}.links.csv")
        if read_header(self.path) is None:
            self._begin()
        self.desk = self._open()
        self.roster, self.tokens = self._read_tokens()
        self._thread = ThreadPoolExecutor(1, "heats vote")
        self._lock = threading.Lock()
        self._jobs: list[tuple[Callable[[Desk], Any], Future[Any]]] = []
        self._is_working = False
        self._is_open = True

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
        with contextlib.suppress(HeatsError):
            self.desk.journal.close()

    def show(self, arm: int) -> Shown:
        """Return what a candidate shows, one included that came in later."""
        known = self.poll.candidates
        return known[arm] if arm < len(known) else add_text(self.desk.journal.log.names[arm])

    # How it is done.

    def _work(self) -> None:
        while True:
            with self._lock:
                jobs, self._jobs = self._jobs, []
                if not jobs:
                    self._is_working = False
                    return
            self._do_together(jobs)

    def _do_together(self, jobs: list[tuple[Callable[[Desk], Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            self._mend()
            with self.desk.journal.together():
                done.extend((future, *_try(job, self.desk)) for job, future in jobs)
        except BaseException as error:  # nothing of the group is on the disk
            self._is_open = False
            done = [(future, None, error) for _, future in jobs]
        if any(isinstance(failure, JournalFailed) for _, _, failure in done):
            self._is_open = False
        for future, result, failure in done:
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(result)

    def _mend(self) -> None:
        """Read the journal again if it could not be written: what it says is all that counts."""
        if self._is_open:
            return
        is_paused = self.desk.is_paused
        with contextlib.suppress(HeatsError, OSError):
            self.desk.journal.close()
        try:
            self.desk = self._open()
        except HeatsError as error:
            raise JournalFailed(str(error)) from error
        self.desk.is_paused = is_paused
        self._is_open = True

    def _open(self) -> Desk:
        poll, ledger = self.poll, Ledger()
        log = Log(self.path, on_event=ledger.note)
        self._check_origin(log)
        log.advance()
        machine, known = poll.make_machine(), _identify(poll)
        if isinstance(machine.spec, AdaptiveSpec) and len(known) == log.header.machine.n_arms:  # others came in since
            known += tuple(log.candidates[len(known) :])
            machine = Machine.from_spec(msgspec.structs.replace(machine.spec, n_arms=len(known)), seed=machine.seed)
        journal = Journal(JournalFile(self.path), machine, candidates=known, log=log)
        return Desk(journal, ledger, lease=poll.table.lease, votes_each=poll.table.votes_each)

    def _begin(self) -> None:
        """Begin the journal, and write all secret links into a file beside it that only its owner can read."""
        names = self.poll.people or ()
        tokens = {name: make_token() for name in names}
        organiser = make_token()
        origin = VoteOrigin(
            scenario=str(self.poll.source),
            organiser=hash_token(organiser),
            voters=None if self.poll.people is None else {name: hash_token(token) for name, token in tokens.items()},
        )
        _write_links(self.links, [(ORGANISER, "", organiser), *(("voter", *pair) for pair in tokens.items())])
        machine, known = self.poll.make_machine(), _identify(self.poll)
        Journal(JournalFile(self.path, command=origin), machine, candidates=known).close()

    def _check_origin(self, log: Log) -> None:
        origin, people = log.origin, self.poll.people
        if not isinstance(origin, VoteOrigin):
            raise InvalidArgument(f"{self.path} is not the journal of a poll; give another one.")
        listed = None if origin.voters is None else tuple(origin.voters)
        if listed != people:
            raise InvalidArgument(
                f"{self.path} holds a poll of other voters; who may vote cannot change once it began. Give the same "
                "list again, or another journal."
            )

    def _read_tokens(self) -> tuple[Roster, dict[str, str]]:
        """Return whose token it is, and the tokens themselves, by name, as far as the file with the links is there."""
        origin = self.desk.journal.log.origin
        assert isinstance(origin, VoteOrigin)
        roster = Roster(origin.organiser, origin.voters)
        try:
            rows = list(csv.reader(io.StringIO(self.links.read_text(encoding="utf-8"))))[1:]
        except (OSError, UnicodeDecodeError):
            rows = []
        tokens = {}
        for kind, name, token in (row for row in rows if len(row) == 3):
            if kind == ORGANISER and roster.is_organiser(token):
                tokens[""] = token
            elif roster.find_voter(token) == name:
                tokens[name] = token
        return roster, tokens


def _try(job: Callable[[Desk], Any], desk: Desk) -> tuple[Any, BaseException | None]:
    try:
        return job(desk), None
    except Exception as error:  # whatever it was, whoever asked hears of it
        return None, error


def _identify(poll: Poll) -> tuple[Candidate, ...]:
    known = [each.known_by for each in poll.candidates]
    return take_fingerprints(known, [each.name for each in poll.candidates], named=True)


def _write_links(path: Path, rows: list[tuple[str, str, str]]) -> None:
    """Write tokens to a new file that nobody else can read."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("who", "name", "token"), *rows])
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BrokenFile(f"the secret links cannot be written to {path}: {error.strerror}.") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text.getvalue())
