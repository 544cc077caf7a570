"""The file beside a journal that keeps what its winner did on held-out instances: ``run.validation.jsonl``.

Its lines are sealed like those of a journal. Every pair is on disk before it counts, so a validation that was killed
goes on after the last one; a line that was torn off is made again. What was asked for last is what reports speak of.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Self, TypeAlias

import msgspec

from heats.base.files import read_regular_file
from heats.base.text import end_sentence
from heats.errors import BrokenFile, JournalFailed
from heats.journal import Log
from heats.journal.appending import Appender
from heats.journal.draft import write_whole
from heats.journal.events import Chain, now
from heats.journal.lock import Lock
from heats.race.outcome import Run

FORMAT = 1
MOST_RECORD_BYTES = 1 << 30


class Begun(msgspec.Struct, frozen=True, tag_field="event", tag="validation"):
    """The first line: which race this belongs to, by when that began."""

    format: int
    race: datetime
    at: datetime


class Asked(msgspec.Struct, frozen=True, tag_field="event", tag="asked", omit_defaults=True):
    """Whom to run on which instances, from here on; ``called`` is what the opponent is called, if not by its name."""

    winner: int
    against: int
    instances: tuple[str, ...]
    at: datetime
    called: str = ""

    def asks_the_same(self, other: Asked) -> bool:
        """Whether only the time differs."""
        return msgspec.structs.replace(other, at=self.at) == self


class Paired(msgspec.Struct, frozen=True, tag_field="event", tag="paired"):
    """Both on one instance, in the order in which they ran."""

    winner: int
    against: int
    instance: str
    runs: tuple[Run, Run]
    at: datetime

    def get_run(self, arm: int) -> Run:
        """Return the run of one of them."""
        return next(run for run in self.runs if run.arm == arm)


Entry: TypeAlias = Asked | Paired
_decode_first = msgspec.json.Decoder(Begun).decode
_decode = msgspec.json.Decoder(Entry).decode


class Kept:
    """What a record says: what was asked for last, and the pairs made of it."""

    def __init__(self) -> None:
        self.asked: Asked | None = None
        self._pairs: dict[tuple[int, int, str], Paired] = {}

    def note(self, entry: Entry) -> None:
        """Take in one more line."""
        if isinstance(entry, Asked):
            self.asked = entry
        else:
            self._pairs[entry.winner, entry.against, entry.instance] = entry

    def list_pairs(self) -> list[Paired]:
        """Return the pairs of what was asked for last, in the order of its instances."""
        asked = self.asked
        if asked is None:
            return []
        found = (self._pairs.get((asked.winner, asked.against, instance)) for instance in asked.instances)
        return [pair for pair in found if pair is not None]

    def list_owed(self) -> list[tuple[int, str]]:
        """Return the instances, with their numbers, that are still to be run on."""
        asked = self.asked
        if asked is None:
            return []
        done = {pair.instance for pair in self.list_pairs()}
        return [(number, each) for number, each in enumerate(asked.instances) if each not in done]


def find_record(journal: Path) -> Path:
    """Return where the record of a journal stands."""
    return journal.with_name(f"{journal.name.removesuffix('.jsonl')}.validation.jsonl")


def read_record(log: Log) -> Kept:
    """Return what the record of a race says; nothing, if there is none."""
    kept, path = Kept(), find_record(log.path)
    if path.exists():
        _read(path, log, kept, Chain())
    return kept


class Record:
    """The record of a race, to write to: it begins the file, or goes on where it ends. One process writes."""

    def __init__(self, log: Log) -> None:
        self.path = find_record(log.path)
        self.kept = Kept()
        self._chain = Chain()
        self._end: Appender | None = None
        self._lock = Lock(self.path)
        try:
            if not self.path.exists():
                write_whole(self.path, Chain().seal(Begun(FORMAT, log.header.at, now())))
            self._end = Appender(self.path, _read(self.path, log, self.kept, self._chain))
            self._end.cut()  # what a crash left of a line
        except OSError as error:
            self.close()
            raise JournalFailed(f"{self.path} cannot be written: {error.strerror}.") from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        end, self._end = self._end, None
        if end is not None:
            end.close(is_sound=False)  # all of it is on disk
        self._lock.release()

    def add(self, entry: Entry) -> None:
        """Bring one more line to the disk; of one that does not get there nothing stays."""
        assert self._end is not None
        try:
            self._end.write(self._chain.seal(entry))
        except OSError as error:
            raise JournalFailed(
                f"{self.path} cannot be written: {error.strerror or error}. What was run before is in it; once that "
                "is mended, do the same again and the validation goes on."
            ) from error
        self.kept.note(entry)


def _read(path: Path, log: Log, kept: Kept, chain: Chain) -> int:
    """Take in the whole lines of a file; return how many bytes they are. What has no end was torn off by a crash."""
    content = read_regular_file(path, MOST_RECORD_BYTES)
    size = content.rfind(b"\n") + 1
    for number, line in enumerate(content[:size].split(b"\n")[:-1], 1):
        if not chain.accept(line):
            raise BrokenFile(f"line {number} of {path} was changed or is not where it was written; {_WAY_OUT}")
        try:
            if number == 1:
                _check_race(_decode_first(line), path, log)
            else:
                kept.note(_check_entry(_decode(line), log))
        except (msgspec.DecodeError, ValueError) as error:
            if isinstance(error, BrokenFile):
                raise
            raise BrokenFile(f"line {number} of {path} is not one of a validation: {end_sentence(error)}") from None
    if not size:
        raise BrokenFile(f"{path} is not the validation of a race; {_WAY_OUT}")
    return size


_WAY_OUT = "move it away, and validate again."


def _check_race(begun: Begun, path: Path, log: Log) -> None:
    if begun.format != FORMAT:
        raise BrokenFile(f"{path} has format {begun.format}, which this version does not know; update heats.")
    if begun.race != log.header.at:
        raise BrokenFile(f"{path} belongs to another race than {log.path}; {_WAY_OUT}")


def _check_entry(entry: Entry, log: Log) -> Entry:
    arms = {entry.winner, entry.against}
    if len(arms) < 2 or not arms <= set(range(len(log.candidates))):
        raise ValueError(f"candidates #{entry.winner} and #{entry.against} are not two of the {len(log.candidates)}")
    if isinstance(entry, Paired) and {run.arm for run in entry.runs} != arms:
        raise ValueError("the runs are not those of the two candidates")
    return entry
