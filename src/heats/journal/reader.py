"""A journal's file → the run, as it was: needs no lock, and works while the run goes on."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from heats.engine.machine import READY
from heats.engine.statistics import Statistic, make_statistic
from heats.engine.tournament import Tournament
from heats.errors import BrokenFile, HeatsError, InvalidArgument, OutOfTurn
from heats.journal.events import (
    FORMAT,
    Event,
    Finished,
    Header,
    Late,
    Requeued,
    Resumed,
    Scoring,
    Told,
    decode_event,
    decode_feedback,
    decode_header,
    is_sound,
)

BLOCK = 1 << 20  # bytes read at a time
OPENING = b'{"event":"journal"'


class Log:
    """A journal read so far: its header, the tournament it gives back, and what it says about time and trouble.

    ``advance`` reads what was appended since. Without a ``tournament`` to replay into, one is made from the header.
    """

    def __init__(self, path: str | os.PathLike[str], tournament: Tournament | None = None) -> None:
        self.path = resolve_path(path)
        with _opened(self.path) as file:
            self.header = _header(file, self.path)
            self.size = file.tell()  # bytes that are whole lines
        self.tournament = tournament or _tournament(self.header, self.path)
        self.lines = 1
        self.finished: Finished | None = None
        self.requeued = 0  # pulls taken back
        self.late = 0  # answers that came too late to count
        self.compared = 0.0  # seconds of comparing, as far as they were measured
        self.last = self.header.at  # when something happened last
        self._before = 0.0  # seconds of sessions that ended
        self._session = self.header.at  # when the present one began
        self._batch: list[tuple[int, Told]] = []

    @property
    def names(self) -> tuple[str, ...]:
        """What the candidates are called."""
        return tuple(each.name for each in self.header.candidates)

    @property
    def elapsed(self) -> float:
        """Seconds from begin to end, without the pauses between a stop and a resumption."""
        return self._before + (self.last - self._session).total_seconds()

    def advance(self) -> int:
        """Replay what was appended since the last time; return how many lines that was."""
        before = self.lines
        for event in self._events():
            if type(event) is Told:
                self._tell(event)
            else:
                self._note(event)
        self._replay()
        return self.lines - before

    def tail(self) -> bytes:
        """Return what stands after the whole lines read so far."""
        with _opened(self.path) as file:
            file.seek(self.size)
            return file.read()

    def _tell(self, event: Told) -> None:
        self._batch.append((self.lines, event))
        self.compared += event.took or 0.0
        self.last = event.at
        if len(self._batch) >= min(READY, self.tournament.owed):
            self._replay()

    def _replay(self) -> None:
        """Tell a batch of pulls; their queries are made together, which is what makes it fast."""
        tournament, batch, number = self.tournament, self._batch, self.lines
        self._batch = []
        try:
            queries = tournament.ask_for([event.id for _, event in batch]) if batch else []
            for query, (number, event) in zip(queries, batch, strict=True):  # noqa: B007  # the line, for the message
                if query.arms != event.arms:
                    raise OutOfTurn(f"pull {query.id} compares the arms {query.arms} here, not {event.arms}")
                tournament.tell(query, decode_feedback(event.feedback), by=event.by)
        except (HeatsError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._misfit(number, str(error)) from error

    def _misfit(self, line: int, why: str) -> BrokenFile:
        return BrokenFile(f"line {line} of {self.path} does not fit the run: {why.rstrip('.')}.")

    def _note(self, event: Event) -> None:
        match event:
            case Requeued():
                self.requeued += 1
            case Late():
                self.late += 1
            case Resumed():
                self._before = self.elapsed
                self._session = event.at
            case Finished():
                if event.winner != self.tournament.winner:
                    raise self._misfit(self.lines, f"it says that arm {event.winner} won, what was told does not")
                self.finished = event
        self.last = event.at

    def _events(self) -> Iterator[Event]:
        """Yield the events of all whole lines from here on; what stands after the last of them is not whole yet."""
        rest = b""
        with _opened(self.path) as file:
            file.seek(self.size)
            while block := file.read(BLOCK):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    event = self._event(line)
                    self.size += len(line) + 1
                    self.lines += 1
                    yield event

    def _event(self, line: bytes) -> Event:
        if is_sound(line):
            try:
                event: Event = decode_event(line)
                return event
            except msgspec.MsgspecError as error:
                raise BrokenFile(f"line {self.lines + 1} of {self.path} is no event: {error}.") from None
        raise BrokenFile(
            f"line {self.lines + 1} of {self.path} is damaged: its checksum does not match. The {self.lines} lines "
            "before it are sound; to go on from there, cut the file after them: what was told later is compared again."
        )


def resolve_path(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads from here, for good: it stays valid when the program changes its folder."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, TypeError, ValueError) as error:
        raise InvalidArgument(f"journal={path!r} leads nowhere: {error}.") from None


def _opened(path: Path) -> BinaryIO:
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


def _header(file: BinaryIO, path: Path) -> Header:
    """Read the first line, and refuse whatever is no journal of ours."""
    opening = file.read(len(OPENING))
    if not opening:
        raise BrokenFile(f"{path} is empty, so it is no journal; remove it to begin a run there.")
    if not OPENING.startswith(opening):
        raise BrokenFile(f"{path} is no journal of heats; give another path, nothing was changed.")
    line = opening + file.readline()
    if not line.endswith(b"\n"):
        raise BrokenFile(f"{path} ends within its first line, so nothing is known of its run; remove it to begin anew.")
    if not is_sound(line[:-1]):
        raise BrokenFile(f"line 1 of {path} is damaged: its checksum does not match, so its run cannot be known.")
    try:
        version = msgspec.json.decode(line, type=_Version).format
        if version > FORMAT:
            raise BrokenFile(
                f"{path} has format {version}, which a newer heats wrote; this one reads up to {FORMAT}: update heats."
            )
        if version < 1:
            raise BrokenFile(f"line 1 of {path} has format {version}, which no heats ever wrote.")
        header: Header = decode_header(line)
        if len(header.candidates) != header.plan.n_arms:
            raise BrokenFile(f"line 1 of {path} names {len(header.candidates)} candidates of {header.plan.n_arms}.")
        return header
    except msgspec.MsgspecError as error:
        raise BrokenFile(f"line 1 of {path} is no header: {error}.") from None


class _Version(msgspec.Struct):
    format: int


def _tournament(header: Header, path: Path) -> Tournament:
    try:
        statistic = _statistic(header.statistic)
        if statistic is not None:
            return Tournament(header.plan, statistic, int(header.seed))
    except (HeatsError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise BrokenFile(f"line 1 of {path} describes no run: {error}") from error
    raise InvalidArgument(
        f"{path} was scored by {header.statistic}, which belongs to the program that wrote it and cannot be in the "
        "file; run that program again, it resumes the run and has the report."
    )


def _statistic(scoring: Scoring) -> Statistic | None:
    return make_statistic(scoring.name, msgspec.json.decode(scoring.parameters)) if scoring.ours else None
