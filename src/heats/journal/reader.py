"""A journal's file → the run, as it was: needs no lock, and works while the run goes on."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from heats.base.text import end_sentence
from heats.engine.evidence.pulls import Answer
from heats.engine.kinds import Machine
from heats.engine.machine import READY_QUERIES
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import Statistic, make_statistic
from heats.errors import BrokenFile, HeatsError, InvalidArgument, OutOfTurn
from heats.journal.changes import apply_change
from heats.journal.events import (
    FORMAT,
    Added,
    Chain,
    Change,
    Event,
    Extended,
    Finished,
    Header,
    HeaderOfFormat1,
    Joined,
    Late,
    Paused,
    Redealt,
    Reopened,
    Requeued,
    Resumed,
    Scoring,
    TakenBack,
    Told,
    Voided,
    decode_event,
    decode_feedback,
)
from heats.journal.fingerprint import Candidate, Challenger
from heats.journal.judged import JudgeCounts
from heats.journal.origin import Origin, VoteOrigin, parse_origin

BLOCK_BYTES = 1 << 20  # are read at a time
OPENING = b'{"event":"journal"'


class Log:
    """A journal read so far: its header, the machine it gives back, and what it says about time and trouble.

    ``advance`` reads what was appended since. Without a ``machine`` to replay into, one is made from the header.
    ``on_told`` is called with every answer, in the order of the file; ``on_event`` with every event, after it was
    taken in, answers in their order, too.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        machine: Machine | None = None,
        on_told: Callable[[Told], None] | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self.path = resolve_path(path)
        self.chain = Chain()
        with _open_file(self.path) as file:
            self.header = _read_header(file, self.path, self.chain)
            self.size = file.tell()  # bytes that are whole lines
        self.origin: Origin | None = parse_origin(self.header.command)
        self.machine = machine or _make_machine(self.header, self.path)
        self.candidates: list[Candidate] = list(self.header.candidates)  # those that were added included
        self.lines = 1
        self.finished: Finished | None = None
        self.extended: Extended | None = None  # the last time
        self.requeued = 0  # pulls handed out again
        self.late = 0  # answers that came too late to count
        self.taken_back = 0  # answers that were
        self.resumed = 0  # times that a run went on which had begun and was not over
        self.extensions = 0  # times that it got more pulls or, with them, candidates
        self.most_workers = 0  # who answered within one session, the most of any; of those who said who they are
        self.is_paused = False
        self.joined: dict[str, str] = {}  # who may answer since it began, and hashes of what they are known by
        self.compared_seconds = 0.0  # of comparing, as far as they were measured
        self.judged = JudgeCounts()  # what the notes of judges come to
        self.last = self.header.at  # when something happened last
        self._on_told = on_told
        self._on_event = on_event
        self.is_ours = False  # the last line was written by whoever holds this log
        self._is_begun = False  # something was told
        self._workers: set[str] = set()  # who answered in the present session
        self._seconds_before = 0.0  # of sessions that ended
        self._session = self._latest = self.header.at  # when the present one began, and its latest event
        self._batch: list[tuple[int, Told]] = []

    @property
    def names(self) -> tuple[str, ...]:
        """What the candidates are called."""
        return tuple(each.name for each in self.candidates)

    @property
    def challengers(self) -> dict[int, Challenger]:
        """The arms that were drawn while the run went on."""
        return {arm: each for arm, each in enumerate(self.candidates) if isinstance(each, Challenger)}

    @property
    def values(self) -> tuple[Any, ...]:
        """The candidates as plain data; None for each of which only a name or a hash is known.

        Those of a poll are texts, if these are more than their names; a file has a hash, which says nothing to people.
        """
        values = tuple(each.value for each in self.candidates)
        if not isinstance(self.origin, VoteOrigin):
            return values
        texts = [value.get("text") if isinstance(value, dict) else None for value in values]
        return tuple(
            None if text is None or text == each.name else {"text": text}
            for text, each in zip(texts, self.candidates, strict=True)
        )

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, and nothing lets it go on: not even a line that lacks its end only."""
        return self.finished is not None and not self.chain.find_sound_line(self.tail())

    @property
    def elapsed_seconds(self) -> float:
        """Seconds from begin to end, without the pauses between a stop and a resumption."""
        return self._seconds_before + (self._latest - self._session).total_seconds()

    def advance(self) -> int:
        """Replay what was appended since the last time; return how many lines that was."""
        before = self.lines
        if before == 1:
            self.machine.take_rule(self.header.machine)
        for event in self.events():
            if type(event) is Told:
                if event.id >= self.machine.next_id:  # the round ended early: its last pulls were saved
                    self._replay()
                self._batch.append((self.lines, event))
                if len(self._batch) >= min(READY_QUERIES, self.machine.owed):
                    self._replay()
            else:
                if isinstance(event, Change):
                    self._change(event)
                elif type(event) is Resumed:  # what was told before belongs to another session
                    self._replay()
                self.note(event)
        self._replay()
        return self.lines - before

    def note(self, event: Event) -> None:
        """Count an event: one that was read, or one that was just written."""
        match event:
            case Late():
                self.late += 1
            case Told():
                self._is_begun = True
                if event.by is not None:
                    self._workers.add(event.by)
                    self.most_workers = max(self.most_workers, len(self._workers))
                self.compared_seconds += event.took or 0.0
                self.judged.add(event.notes)
                if self._on_told is not None:
                    self._on_told(event)
            case Requeued():
                self.requeued += 1
                self.judged.add_given_up(event.notes)
            case Resumed():
                self.resumed += self._is_begun and self.finished is None and not event.to_change
                self._workers.clear()
                self._seconds_before = self.elapsed_seconds
                self._session = self._latest = event.at
            case TakenBack():
                self.taken_back += 1
            case Paused() | Reopened():
                self.is_paused = isinstance(event, Paused)
            case Joined():
                self.joined.update(event.voters)
            case Voided():
                self.finished = None
            case Extended():
                self.finished, self.extended = None, event
                self.extensions += bool(event.pulls or event.added)
                self.candidates += event.added
            case Added():
                self.candidates.append(event.candidate)
            case Finished():
                self._replay()
                try:
                    self.machine.confirm_winner(event.winner)
                except OutOfTurn as error:
                    raise self._misfit(self.lines, str(error)) from None
                self.finished = event
        self.last, self._latest = max(self.last, event.at), max(self._latest, event.at)  # clocks may be set back
        if self._on_event is not None:
            self._on_event(event)

    def note_written(self, event: Event, size: int) -> None:
        """Take note of an event that was written to the end of the file, as ``size`` bytes."""
        self.lines += 1
        self.size += size
        self.is_ours = True
        self.note(event)

    def tail(self) -> bytes:
        """Return what stands after the whole lines read so far."""
        with _open_file(self.path) as file:
            file.seek(self.size)
            return file.read()

    def events(self) -> Iterator[Event]:
        """Yield the events of all whole lines from here on; what stands after the last of them is not whole yet."""
        rest = b""
        with _open_file(self.path) as file:
            file.seek(self.size)
            while block := file.read(BLOCK_BYTES):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    event = self._event(line)
                    self.is_ours = False
                    self.size += len(line) + 1
                    self.lines += 1
                    yield event

    def _replay(self) -> None:
        """Tell a batch of pulls; their queries are made together, which is what makes it fast."""
        machine, batch, number = self.machine, self._batch, self.lines
        self._batch = []
        self._give(batch)
        try:
            queries = machine.ask_for([event.id for _, event in batch]) if batch else []
            for query, (number, event) in zip(queries, batch, strict=True):  # noqa: B007  # the line, for the message
                if query.arms != event.arms:
                    raise OutOfTurn(f"pull {query.id} compares the arms {query.arms} here, not {event.arms}")
                machine.tell(query, decode_feedback(event.feedback), by=event.by)
                self.note(event)
        except (HeatsError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._misfit(number, str(error)) from error

    def _give(self, batch: Sequence[tuple[int, Told]]) -> None:
        """Let the machine know what a batch of pulls compared."""
        try:
            self.machine.give([event.id for _, event in batch], [event.arms for _, event in batch])
        except HeatsError as error:
            if len(batch) == 1:
                raise self._misfit(batch[0][0], str(error)) from error
            for each in batch:  # which of them is it?
                self._give([each])

    def _change(self, event: Change) -> None:
        """Change the run as it was changed then."""
        self._replay()
        machine = self.machine
        try:
            with machine.replay(begun=isinstance(event, Extended | Added) and event.begun):
                apply_change(machine, event)
            if isinstance(event, TakenBack):
                machine.requeue(event.id)  # whoever had it again is not here
        except HeatsError as error:
            raise self._misfit(self.lines, str(error)) from error

    def _misfit(self, line: int, why: str) -> BrokenFile:
        return BrokenFile(f"line {line} of {self.path} does not fit the run: {why.rstrip('.')}.")

    def _event(self, line: bytes) -> Event:
        if self.chain.accept(line):
            try:
                event: Event = decode_event(line)
                return event
            except msgspec.MsgspecError as error:
                raise BrokenFile(
                    f"line {self.lines + 1} of {self.path} is not an event: {end_sentence(error)}"
                ) from None
        raise BrokenFile(
            f"line {self.lines + 1} of {self.path} is damaged, or one before it is missing: its checksum does not "
            f"match. The {self.lines} lines before it are sound; to go on from there, cut the file after them: what "
            "was told later is compared again."
        )


def read_answers(path: str | os.PathLike[str], machine: Machine) -> dict[int, Answer]:
    """Return who answered each pull of a machine's run and after how many seconds, as far as its journal says it."""
    log = Log(path, machine)
    answers, spec = {}, log.header.machine
    for event in log.events():
        if type(event) is Told:
            answers[event.id] = Answer(event.by, event.took)
        elif isinstance(event, TakenBack):
            answers.pop(event.id, None)
        elif isinstance(event, Extended | Added) and isinstance(spec, AdaptiveSpec):
            spec = _grow(spec, event)
        elif isinstance(event, Redealt) and isinstance(spec, AdaptiveSpec):
            spec = msgspec.structs.replace(spec, rule=event.rule)
    is_same = spec == machine.spec and int(log.header.seed) == machine.seed
    return answers if is_same else {}  # another run is kept there now


def _grow(spec: AdaptiveSpec, event: Extended | Added) -> AdaptiveSpec:
    if isinstance(event, Extended):
        return msgspec.structs.replace(spec, budget=spec.budget + event.pulls, n_arms=spec.n_arms + len(event.added))
    return msgspec.structs.replace(spec, n_arms=spec.n_arms + 1)


def read_header(path: str | os.PathLike[str]) -> Header | None:
    """Return the first line of a journal; None where there is none."""
    resolved = resolve_path(path)
    if not resolved.exists():
        return None
    with _open_file(resolved) as file:
        return _read_header(file, resolved, Chain())


def resolve_path(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads from here, for good: it stays valid when the program changes its folder."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, TypeError, ValueError) as error:
        raise InvalidArgument(f"journal={path!r} leads nowhere: {end_sentence(error)}") from None


def _open_file(path: Path) -> BinaryIO:
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # opening a pipe would wait for its writer
            raise InvalidArgument(f"{path} is a pipe or a device; a journal is a file, give the path of one.")
        return path.open("rb")
    except OSError as error:
        raise _no_file(path, error) from None


def _no_file(path: Path, error: OSError) -> InvalidArgument:
    if isinstance(error, FileNotFoundError):
        return InvalidArgument(f"{path} does not exist; give the journal of a run.")
    if isinstance(error, IsADirectoryError):
        return InvalidArgument(f"{path} is a folder; give the path of a journal in it.")
    return InvalidArgument(f"{path} cannot be read: {error.strerror}.")


def _read_header(file: BinaryIO, path: Path, chain: Chain) -> Header:
    """Read the first line, and refuse whatever is not a journal of ours."""
    opening = file.read(len(OPENING))
    if not opening:
        raise BrokenFile(f"{path} is empty, so it is not a journal; remove it to begin a run there.")
    if not OPENING.startswith(opening):
        raise BrokenFile(f"{path} is not a journal of heats; give another path, nothing was changed.")
    line = opening + file.readline()
    if not line.endswith(b"\n"):
        raise BrokenFile(f"{path} ends within its first line, so nothing is known of its run; remove it to begin anew.")
    if line.endswith(b"\r\n"):
        raise BrokenFile(
            f"the lines of {path} end as on Windows (CRLF), so no checksum matches: an editor or a transfer did that. "
            "Copy it anew as it was, or turn the line ends back, with dos2unix say."
        )
    if not chain.accept(line[:-1]):
        raise BrokenFile(
            f"line 1 of {path} is damaged: its checksum does not match, so its run cannot be known; take a copy of it, "
            "or begin a new run in another file."
        )
    try:
        header = _decode_header(line, path)
    except msgspec.MsgspecError as error:
        raise BrokenFile(f"line 1 of {path} is not a header: {end_sentence(error)}") from None
    chain.is_linked = header.format > 1
    if len(header.candidates) != header.machine.n_arms:
        raise BrokenFile(f"line 1 of {path} names {len(header.candidates)} candidates of {header.machine.n_arms}.")
    return header


class _Version(msgspec.Struct):
    format: int


def _decode_header(line: bytes, path: Path) -> Header:
    version = msgspec.json.decode(line, type=_Version).format
    if version > FORMAT:
        raise BrokenFile(
            f"{path} has format {version}, which a newer heats wrote; this one reads up to {FORMAT}: update heats."
        )
    if version < 1:
        raise BrokenFile(f"line 1 of {path} has format {version}, which no heats ever wrote.")
    if version == 1:
        return msgspec.json.decode(line, type=HeaderOfFormat1).brought_up_to_date()
    return msgspec.json.decode(line, type=Header)


def _make_machine(header: Header, path: Path) -> Machine:
    try:
        statistic = _make_statistic(header.statistic)
        if statistic is not None:
            return Machine.from_spec(header.machine, statistic, int(header.seed))
    except (HeatsError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise BrokenFile(f"line 1 of {path} describes no run: {end_sentence(error)}") from error
    raise InvalidArgument(
        f"{path} was scored by {header.statistic}, which belongs to the program that wrote it and cannot be in the "
        "file; run that program again, it resumes the run and has the report."
    )


def _make_statistic(scoring: Scoring) -> Statistic | None:
    return make_statistic(scoring.name, msgspec.json.decode(scoring.parameters)) if scoring.ours else None
