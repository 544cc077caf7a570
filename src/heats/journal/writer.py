"""A run → its journal: every answer is told to the tournament and written down, or neither."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args

import msgspec

from heats.base.checks import one_of, whole
from heats.base.text import make_encodable
from heats.base.worker import name_this_worker
from heats.engine.feedback import Feedback, Named
from heats.engine.machine import Machine, Query
from heats.engine.machine.queries import check_known
from heats.errors import InvalidArgument, OutOfTurn
from heats.journal.appending import Sync
from heats.journal.changes import apply_change
from heats.journal.draft import write_whole
from heats.journal.events import (
    FORMAT,
    Chain,
    Change,
    Closed,
    Event,
    Finished,
    Header,
    Joined,
    Late,
    Paused,
    Reopened,
    Requeued,
    Resumed,
    Scoring,
    Stopped,
    TakenBack,
    Told,
    Voided,
    encode_anything,
    encode_feedback,
    now,
)
from heats.journal.fingerprint import Candidate, Challenger, take_fingerprints
from heats.journal.growth import find_free_name, grow, make_addition, make_extension, redeal
from heats.journal.notes import check_notes, check_seconds
from heats.journal.origin import Origin, write_origin
from heats.journal.pen import Pen
from heats.journal.reader import Log, resolve_path
from heats.journal.sameness import bring_up_to_date, check_same, goes_further, leave_out_growth, refuse_other_run

__all__ = ["Journal", "JournalFile", "Sync"]


@dataclass(frozen=True)
class JournalFile:
    """Where a run is kept, and how safely.

    ``sync="each"``: whatever was told is on disk before anything depends on it. ``"grouped"``: within a tenth of a
    second; a crash of the machine, not of the program, may lose that much, which is then compared again.
    ``"system"``: when the operating system sees fit. ``command`` is for programs that can go on with a run by its file
    alone: what a command that began it has to know, as a dict, or one of the origins of ``heats.journal.origin``.
    ``fingerprints`` are texts by name, of data for example: only who has the same goes on with the run.
    """

    path: str | os.PathLike[str]
    sync: Sync = "each"
    command: dict[str, Any] | Origin | None = None
    fingerprints: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        one_of("sync", self.sync, get_args(Sync))
        write_origin(self.command)
        texts = {} if self.fingerprints is None else self.fingerprints
        if not isinstance(texts, Mapping) or not all(isinstance(each, str) for pair in texts.items() for each in pair):
            raise InvalidArgument("{fingerprints} must be a dict of texts by name.", fingerprints=texts)


class Journal:
    """A machine and the file that keeps its run: begins the file, or brings the machine to where the file ends.

    ``tournament`` is any machine that nothing was told. One thread tells. After a write that failed, nothing more is
    taken; what was told before is in the file. ``log`` is what the file says of the run so far; one that was read
    before may be handed over, and then its machine goes on, where the other one only says what is asked for: if that is
    adaptive play with a larger budget, or with more candidates after the known ones, the run is extended, or added to;
    ``to_change``: it is not gone on with, but changed by one of the functions below.

    Examples
    --------
    >>> import heats, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "votes.jsonl")
    >>> tournament = heats.Tournament(heats.plan(4, 2, 9), seed=7)
    >>> with heats.Journal(path, tournament, names=["tea", "coffee", "milk", "water"]) as journal:
    ...     while query := tournament.ask():
    ...         journal.tell(query, heats.Winner(max(query.arms)), by="ann")
    >>> heats.Journal(path, heats.Tournament(heats.plan(4, 2, 9), seed=7)).machine.winner
    3
    """

    log: Log

    def __init__(
        self,
        file: str | os.PathLike[str] | JournalFile,
        tournament: Machine,
        names: Sequence[str] | None = None,
        candidates: tuple[Candidate, ...] | None = None,
        *,
        on_told: Callable[[Told], None] | None = None,
        log: Log | None = None,
        to_change: bool = False,
    ) -> None:
        if not isinstance(tournament, Machine) or not tournament.is_fresh:
            raise InvalidArgument(
                "{tournament} cannot be kept in a journal; give a machine that nothing was told.", tournament=tournament
            )
        self._choice = file if isinstance(file, JournalFile) else JournalFile(file)
        self._told = 0  # pulls settled by the lines of the file, and by those to be written
        self._cut: int | None = None  # bytes of a torn line, when the file was taken and nothing is written yet
        self.machine = tournament
        self.path = resolve_path(self._choice.path)
        self._pen = Pen(self.path, self._choice.sync)
        known = candidates or _by_name(names, tournament.n_arms)
        try:
            if log is None:
                self._open(known, on_told, exactly=candidates is not None)
            else:
                self._open_read(log, known, to_change=to_change)
        except OSError as error:
            self.close()
            raise _cannot_begin(self.path, error) from None
        except BaseException:
            self.close()
            raise

    @property
    def tournament(self) -> Machine:
        """The machine, by the name it had when all were tournaments."""
        return self.machine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def tell(
        self,
        query: Query | int,
        feedback: Feedback,
        *,
        by: str | None = None,
        took: float | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Tell the tournament and write it down. What it refuses is not written, what it was told before neither.

        An answer to a pull that was saved since it was handed out is noted as late: it does not count.
        ``took`` are seconds, ``notes`` a dict of whatever JSON holds; both are for people and reports only.
        """
        self._check_open()
        asked = query if isinstance(query, Query) else self.machine.query(query)
        check_known(asked)
        event = _make_event(asked, feedback, by, took, notes)
        before = self._told
        try:
            self.machine.tell(query, feedback, by=by if event.by is None else event.by)
            if self.machine.settled > before:
                self._told = self.machine.settled
                self._write(event)
                self._finish()
            elif not self.machine.counts(asked):
                self._write(Late(**msgspec.structs.asdict(event), why="it was not needed any more"))
        except BaseException as error:
            if not isinstance(error, Exception) or self.machine.settled > before:
                self._pen.fail(error)  # it may be told and not be written: no later line would be true
            raise

    def take(self) -> None:
        """Be the one that writes, also after a run that was over when it was read; ``log`` has all that is written."""
        pen = self._pen
        if not (pen.is_at_work or pen.failed or pen.is_closed):
            try:
                self._cut = self._take_file()
            except OSError as error:
                why = f"{self.path} cannot be written: {error.strerror}; once that is mended, do the same again."
                raise InvalidArgument(why) from None
        self._check_open()

    def extend(self, pulls: int, challengers: Sequence[Challenger] = ()) -> None:
        """Give the run so many more pulls, whether it is over or not, take new arms in, and write it down, or nothing.

        Every challenger has a name that no other arm has.
        """
        self.take()
        self._change(make_extension(self.machine, whole("pulls", pulls, 0), tuple(challengers)))

    def add(self, name: str | None = None, value: Any = None) -> int:
        """Take one more arm in, called so, write it down, and return its number.

        ``value`` is what it is: plain data that ``log.values`` gives back, or something else with a fingerprint.
        """
        self.take()
        if name is not None and (not isinstance(name, str) or make_encodable(name) in self.log.names):
            raise InvalidArgument("{name} must be a text of its own: no other arm may be called so.", name=name)
        arm = self.machine.n_arms
        called = find_free_name(f"arm {arm}", arm, self.log.names) if name is None else make_encodable(name)
        candidate = Candidate(called) if value is None else take_fingerprints([value], [called], named=True)[0]
        self._change(make_addition(self.machine, candidate))
        return arm

    def stop(self, chance: float | None = None) -> None:
        """End the run between two batches, and write it down with the chance that was found."""
        self._check_open()
        self._change(Stopped(now(), chance))

    def take_back(self, query: Query | int) -> None:
        """Forget what a pull of the round under way said, and write it down; it is out again, as after ``ask``."""
        self._check_open()
        self._change(TakenBack(self.machine.query(query).id, now()))

    def close_stage(self, why: str = "") -> None:
        """End the round under way, and write down why; what it still owes comes to no verdict."""
        self._check_open()
        owed = {number: self.machine.query(number).arms for number in self.machine.list_owed()}
        self._change(Closed(make_encodable(why), now(), owed))

    def void(self, who: str) -> None:
        """Let all answers by ``who`` be no verdicts, whether the run is over or not, and write it down."""
        name = make_encodable(who) if isinstance(who, str) else who  # the machine refuses the rest
        if name in self.machine.voided:
            return
        self.take()
        self._change(Voided(name, now()))

    def pause(self) -> None:
        """Write down that the run pauses, or nothing if it does; whoever hands out pulls looks at ``log.is_paused``."""
        if not self.log.is_paused:
            self._check_open()
            self._write(Paused(now()))

    def reopen(self) -> None:
        """Write down that a pause is over."""
        if self.log.is_paused:
            self._check_open()
            self._write(Reopened(now()))

    def join(self, voters: Mapping[str, str]) -> None:
        """Write down who else may answer: names, and hashes of what they are known by; ``log.joined`` has them."""
        self.take()
        self._write(Joined({make_encodable(name): digest for name, digest in voters.items()}, now()))

    def requeue(
        self, query: Query | int, why: str = "", *, by: str | None = None, notes: dict[str, Any] | None = None
    ) -> None:
        """Give up a pull that will never be told, and write down why, and who gave it back; it is handed out again.

        ``notes`` are those of an answer that is not told, because another one is asked for.
        """
        self._check_open()
        if notes is not None:
            check_notes(notes)
        event = Requeued(self.machine.query(query).id, make_encodable(why), now(), by and make_encodable(by), notes)
        self.machine.requeue(query)
        self._write(event)

    def late(
        self, query: Query, answer: Any, *, by: str | None = None, took: float | None = None, why: str = ""
    ) -> None:
        """Note an answer to a pull that came too late, and why it does not count."""
        self._check_open()
        told, who = encode_anything(answer, query.arms), by and make_encodable(by)
        self._write(Late(query.id, query.arms, told, now(), who, check_seconds(took), why=make_encodable(why)))

    def together(self) -> AbstractContextManager[None]:
        """Write all that is told within at once, at the end; until then nothing may be asked."""
        return self._pen.together()

    def close(self) -> None:
        """Bring everything to the disk and let others write."""
        self._pen.close()

    # How it is done.

    def _open(
        self, known: tuple[Candidate, ...] | None, on_told: Callable[[Told], None] | None, *, exactly: bool
    ) -> None:
        """Begin the file, or bring the machine to where it ends; a finished run needs no more than reading."""
        begun = False
        if not self.path.exists():
            self._pen.lock()
            if begun := not self.path.exists():
                _create(self.path, self._header(known))
        self.log = Log(self.path, self.machine, on_told)
        check_same(self.log.header, self._header(known), self.path, candidates=known is not None)
        self.log.advance()
        if exactly and len(self.log.candidates) != len(known or ()):  # all of them must be at hand
            raise refuse_other_run(self.path, f"its n_arms is {len(self.log.candidates)}, not {len(known or ())}")
        if not self.log.is_over:
            cut = self._take_file()
            self._go_on(redeal(self.machine), cut, begun=begun)

    def _open_read(self, log: Log, known: tuple[Candidate, ...] | None, *, to_change: bool) -> None:
        """Go on with what a log has read, as far as is asked for."""
        self.log, asked = log, self._header(known)
        log.advance()
        check_same(bring_up_to_date(log), leave_out_growth(asked, log), self.path, candidates=known is not None)
        self.machine = log.machine
        if not to_change and (not log.is_over or goes_further(asked, log)):
            cut = self._take_file()
            changes = [*redeal(self.machine), *grow(log, asked), *redeal(self.machine)]  # which may open a batch
            self._go_on(changes, cut)  # what cannot grow is refused before anything is written

    def _take_file(self) -> int:
        """Be the one that writes; return how many bytes of a torn line were cut off."""
        try:
            self.machine.check_rule()
        except InvalidArgument as error:
            raise InvalidArgument(f"{self.path}: {error.message}") from None
        cut = self._pen.take(self.log)
        self._told = self.machine.settled
        return cut

    def _go_on(self, changes: Sequence[Change], cut: int, *, begun: bool = False) -> None:
        """Write down that the run goes on, and how it was changed for that."""
        if self.log.finished is not None and not changes:
            return
        with self.together():
            is_same_session = begun or (self.log.is_ours and not cut)
            if not is_same_session and not self.machine.done:
                self._write(Resumed(name_this_worker(), now(), cut))
            for change in changes:
                self._write(change)
            self._finish()

    def _change(self, change: Change) -> None:
        """Change the machine and write it down; what it refuses is not written."""
        try:
            apply_change(self.machine, change)
            self._told = self.machine.settled
            if self._cut is not None:
                self._write(Resumed(name_this_worker(), now(), self._cut, to_change=True))
                self._cut = None
            for each in (change, *redeal(self.machine)):
                self._write(each)
            self._finish()
        except BaseException as error:
            if not isinstance(error, Exception):
                self._pen.fail(error)  # the machine may have changed: no later line would be true
            raise

    def _header(self, known: tuple[Candidate, ...] | None) -> Header:
        seed = int(self.machine.seed)
        return Header(
            format=FORMAT,
            at=now(),
            seed=seed if seed < 2**63 else str(seed),
            statistic=Scoring.of(self.machine.statistic),
            machine=self.machine.spec,
            candidates=known or tuple(Candidate(f"arm {arm}") for arm in range(self.machine.n_arms)),
            command=write_origin(self._choice.command),
            fingerprints=dict(self._choice.fingerprints) if self._choice.fingerprints else msgspec.UNSET,
        )

    def _check_open(self) -> None:
        if self._pen.failed is not None:
            raise self._pen.failed
        if not self._pen.is_at_work:
            raise OutOfTurn(f"{self.path} is closed: the run is over, or another journal must be opened.")
        if self.machine.settled != self._told:
            raise OutOfTurn(
                f"{self.machine.settled} pulls were told, but {self._told} to the journal {self.path}; "
                "tell all of them to the journal, which tells the tournament."
            )

    def _write(self, event: Event) -> None:
        self._pen.write(event, self.log)

    def _finish(self) -> None:
        if self.machine.winner is not None:
            self._write(Finished(self.machine.winner, now()))


def _create(path: Path, header: Header) -> None:
    """Let a journal appear with its whole first line, or not at all."""
    write_whole(path, Chain().seal(header))
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _by_name(names: Sequence[str] | None, n_arms: int) -> tuple[Candidate, ...] | None:
    if names is None:
        return None
    if isinstance(names, str) or len(names) != n_arms or not all(isinstance(name, str) for name in names):
        raise InvalidArgument(f"names={names!r} must be one string per arm, {n_arms} in all.")
    return tuple(Candidate(make_encodable(name)) for name in names)


def _make_event(
    query: Query, feedback: Feedback, by: str | None, took: float | None, notes: dict[str, Any] | None
) -> Told:
    """Return what to write of a pull, or refuse what could not be read again."""
    took = check_seconds(took)
    if notes is not None:
        check_notes(notes)
    if isinstance(feedback, Named):
        feedback.row(query.arms)
    who = make_encodable(by) if isinstance(by, str) else None  # the machine refuses the rest
    return Told(query.id, query.arms, encode_feedback(feedback, query.arms), now(), who, took, notes)


def _cannot_begin(path: Path, error: OSError) -> InvalidArgument:
    if isinstance(error, FileNotFoundError):
        return InvalidArgument(f"{path} cannot be written: there is no folder {path.parent}; make it first.")
    return InvalidArgument(f"{path} cannot be written: {error.strerror}; choose another place for the journal.")
