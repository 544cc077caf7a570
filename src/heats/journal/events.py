r"""The lines of a journal: one JSON object each, readable by eye, ending in a checksum of all that stands before it.

``{"event":"told","id":3,"arms":[4,1],"feedback":[0.5,2.0],"at":"2026-01-01T12:00:00Z",…,"crc":"0a1b2c3d"}``

Since format 2 a line's checksum goes on from that of the line before, so that a line that is missing, doubled or out of
place is found as well as one that is changed. In format 1 every line stood for itself. Since format 3 the lines say
which rule of adaptive play dealt, and tell all that it compared, also where a batch was closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, get_args
from zlib import crc32

import msgspec

from heats.base.text import make_encodable
from heats.engine.feedback import Arms, BestWorst, Feedback, Named, NoVerdict, Race, Ranking, Winner, rewards
from heats.engine.specs import Spec, TournamentSpec
from heats.engine.statistics import Statistic
from heats.errors import show_value
from heats.journal.fingerprint import Candidate, Challenger
from heats.planning.plan import Plan

FORMAT = 3
SEAL_BYTES = len(',"crc":"01234567"}')


class Scoring(msgspec.Struct, frozen=True):
    """A statistic as written down; one that is not ``ours`` is a user's function, of which only the name is known."""

    name: str
    parameters: msgspec.Raw
    ours: bool

    @classmethod
    def of(cls, statistic: Statistic) -> Scoring:
        """Write a statistic down."""
        encoded = msgspec.json.encode(statistic.parameters, enc_hook=float)
        return cls(statistic.name, msgspec.Raw(encoded), statistic.ours)

    def __str__(self) -> str:
        if not self.ours:
            return f"a function called {self.name}"
        return f"{self.name} {bytes(self.parameters).decode()}" if bytes(self.parameters) != b"{}" else self.name


class Header(msgspec.Struct, frozen=True, tag_field="event", tag="journal"):
    """The first line: all that a run is, before anything was told.

    ``command`` says how the command line goes on with a run it began (see ``origin``); None where a script does.
    ``fingerprints`` are of what else its results depend on, by name, where whoever began it said so.
    """

    format: int
    at: datetime
    seed: int | str  # as text where it is beyond 64 bits
    statistic: Scoring
    machine: Spec
    candidates: tuple[Candidate, ...]
    command: dict[str, Any] | None = None
    fingerprints: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class HeaderOfFormat1(msgspec.Struct, frozen=True, tag_field="event", tag="journal"):
    """As it was written when all runs were tournaments."""

    format: int
    at: datetime
    seed: int | str
    statistic: Scoring
    plan: Plan
    candidates: tuple[Candidate, ...]
    command: dict[str, Any] | None = None

    def brought_up_to_date(self) -> Header:
        """Return the same as it is written now; the format stays, it says how lines are sealed."""
        machine = TournamentSpec(self.plan)
        return Header(self.format, self.at, self.seed, self.statistic, machine, self.candidates, self.command)


class Told(msgspec.Struct, frozen=True, tag_field="event", tag="told", omit_defaults=True, gc=False):
    """What a pull said: ``arms`` as shown, when, by whom, after how many seconds, and notes for people."""

    id: int
    arms: Arms
    feedback: list[float] | dict[str, Any]
    at: datetime
    by: str | None = None
    took: float | None = None
    notes: dict[str, Any] | None = None


class Late(Told, frozen=True, tag="late", omit_defaults=True, gc=False):
    """An answer that came too late, and ``why`` that was so, where it was said: noted, not counted."""

    why: str = ""


class Requeued(msgspec.Struct, frozen=True, tag_field="event", tag="requeued", omit_defaults=True):
    """A pull that is handed out again, and why; ``by``: who gave it back, if somebody did; notes of an answer."""

    id: int
    why: str
    at: datetime
    by: str | None = None
    notes: dict[str, Any] | None = None


class Resumed(msgspec.Struct, frozen=True, tag_field="event", tag="resumed", omit_defaults=True):
    """A session began, in another process perhaps, after ``cut`` bytes of a torn line were removed.

    ``to_change``: not to go on with the run, but to extend it, say; whoever does may then go on.
    """

    by: str
    at: datetime
    cut: int = 0
    to_change: bool = False


class Extended(msgspec.Struct, frozen=True, tag_field="event", tag="extended", omit_defaults=True):
    """The run got so many more ``pulls``; ``begun`` if a pull of the round under way was told or out with somebody.

    New candidates may come in with it, as the next arms: in one line, so that all of them are there or none.
    """

    pulls: int
    at: datetime
    begun: bool = False
    added: tuple[Challenger, ...] = ()


class Added(msgspec.Struct, frozen=True, tag_field="event", tag="added", omit_defaults=True):
    """A candidate came in as ``arm``; ``begun`` as of an extension."""

    arm: int
    candidate: Candidate
    at: datetime
    begun: bool = False


class Stopped(msgspec.Struct, frozen=True, tag_field="event", tag="stopped", omit_defaults=True):
    """The run was ended before its budget was spent, with that chance of its winner to be the best, if one was found.

    It is replayed, not recomputed.
    """

    at: datetime
    chance: float | None = None


class TakenBack(msgspec.Struct, frozen=True, tag_field="event", tag="taken back"):
    """What a pull said is forgotten: it is owed again."""

    id: int
    at: datetime


class Closed(msgspec.Struct, frozen=True, tag_field="event", tag="closed", omit_defaults=True):
    """The round under way was ended: all that it still owed came to no verdict, and why.

    ``owed`` are the arms that each of these pulls would have compared, as shown; before format 3 they are not told.
    """

    why: str
    at: datetime
    owed: dict[int, Arms] = {}


class Voided(msgspec.Struct, frozen=True, tag_field="event", tag="voided"):
    """From here on the answers of somebody, those above and those below, are no verdicts; what is over stays."""

    who: str
    at: datetime


class Redealt(msgspec.Struct, frozen=True, tag_field="event", tag="redealt"):
    """Another rule than before deals from here on: its number, and the first pull that it deals.

    What the batch under way still owed is owed no more.
    """

    rule: int
    first: int
    at: datetime


class Paused(msgspec.Struct, frozen=True, tag_field="event", tag="paused"):
    """From here on nothing is handed out or taken, until the run is reopened."""

    at: datetime


class Reopened(msgspec.Struct, frozen=True, tag_field="event", tag="reopened"):
    """A pause is over."""

    at: datetime


class Joined(msgspec.Struct, frozen=True, tag_field="event", tag="joined"):
    """More people may answer: their names, and hashes of what they are known by."""

    voters: dict[str, str]
    at: datetime


class Finished(msgspec.Struct, frozen=True, tag_field="event", tag="finished"):
    """The run is over."""

    winner: int
    at: datetime


Change: TypeAlias = Extended | Added | Stopped | TakenBack | Closed | Voided | Redealt  # of the run itself
Event: TypeAlias = Told | Late | Requeued | Resumed | Change | Paused | Reopened | Joined | Finished

_encode = msgspec.json.Encoder().encode
decode_event = msgspec.json.Decoder(Event).decode

_SEAL = re.compile(rb',"crc":"[0-9a-f]{8}"}')
_OPENINGS = [b'{"event":"%b"' % str(each.__struct_config__.tag).encode() for each in get_args(Event)]


class Chain:
    """Seals lines one after the other, and checks them in the same order."""

    def __init__(self) -> None:
        self.is_linked = True  # whether a checksum goes on from the one before: not in format 1
        self._last = 0

    def seal(self, event: msgspec.Struct) -> bytes:
        """Return the line of an event, its checksum included; it is the next one."""
        text = _encode(event)[:-1]
        self._last = crc32(text, self._last if self.is_linked else 0)
        return b'%b,"crc":"%08x"}\n' % (text, self._last)

    def is_sound(self, line: bytes) -> bool:
        """Say whether a line, without its end, is as it was written, and where it was written."""
        return line[-SEAL_BYTES:] == b',"crc":"%08x"}' % self._sum(line)

    def accept(self, line: bytes) -> bool:
        """Say the same, and go on from there."""
        found = self._sum(line)
        if line[-SEAL_BYTES:] != b',"crc":"%08x"}' % found:
            return False
        self._last = found
        return True

    def find_sound_line(self, tail: bytes) -> bytes:
        """Return the line at the beginning of what stands after the last one, if only its end is lost or damaged.

        Its end is one byte, which may be another one now; a crash may leave zeros behind it.
        """
        for line in (tail.rstrip(b"\0"), tail[:-1]):
            if self.is_sound(line):
                return line
        return b""

    def is_torn(self, tail: bytes) -> bool:
        """Say whether this may be what a crash leaves of the next line: its beginning, or zeros, or one after another.

        A whole sound line that something else than zeros follows is damage, not a crash.
        """
        begun = tail.rstrip(b"\0")
        if any(self.is_sound(begun[: seal.end()]) for seal in _SEAL.finditer(begun) if seal.end() < len(begun)):
            return False
        return any(begun.startswith(opening[: len(begun)]) for opening in _OPENINGS)

    def _sum(self, line: bytes) -> int:
        return crc32(line[:-SEAL_BYTES], self._last if self.is_linked else 0)


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def encode_feedback(feedback: Feedback, arms: Arms) -> list[float] | dict[str, Any]:
    """Return feedback, which must be right, as plain data."""
    match feedback:
        case Winner():
            return {"winner": [int(arm) for arm in feedback.arms]}
        case Ranking():
            return {"ranking": [int(arm) for arm in feedback.order]}
        case BestWorst():
            return {"best": int(feedback.best), "worst": int(feedback.worst)}
        case Race():
            return {"race": [[int(arm), float(seconds)] for arm, seconds in feedback.finished]}
        case NoVerdict():
            return {"no_verdict": make_encodable(feedback.why)}
    return list(rewards(feedback, arms))


def decode_feedback(plain: list[float] | Mapping[str, Any]) -> Feedback:
    """Return the feedback that was written."""
    if isinstance(plain, list):
        return plain
    return _DECODE[tuple(plain)](*plain.values())


_DECODE: dict[tuple[str, ...], Callable[..., Named]] = {
    ("winner",): lambda arms: Winner(*arms or (None,)),
    ("ranking",): Ranking,
    ("best", "worst"): BestWorst,
    ("race",): Race,
    ("no_verdict",): NoVerdict,
}


def encode_anything(feedback: Any, arms: Arms) -> Any:
    """Return feedback that was not told, and may be anything, as far as it can be written."""
    try:
        if isinstance(feedback, Named):
            feedback.row(arms)
        return encode_feedback(feedback, arms)
    except Exception:  # whatever somebody else's answer may hold
        return {"said": show_value(feedback)}
