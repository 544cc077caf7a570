r"""The lines of a journal: one JSON object each, readable by eye, ending in a checksum of what stands before it.

``{"event":"told","id":3,"arms":[4,1],"feedback":[0.5,2.0],"at":"2026-01-01T12:00:00Z",…,"crc":"0a1b2c3d"}``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias
from zlib import crc32

import msgspec

from heats.engine.feedback import Arms, BestWorst, Feedback, Named, Race, Ranking, Winner, rewards
from heats.engine.statistics import Statistic
from heats.errors import show_value
from heats.journal.fingerprint import Candidate
from heats.planning.plan import Plan

FORMAT = 1
SEAL = len(',"crc":"01234567"}')


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

    ``command`` says how the command line goes on with a run it began; None where a script of the user does.
    """

    format: int
    at: datetime
    seed: int | str  # as text where it is beyond 64 bits
    statistic: Scoring
    plan: Plan
    candidates: tuple[Candidate, ...]
    command: dict[str, Any] | None = None


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
    """An answer to a pull that had been told: noted, not counted."""


class Requeued(msgspec.Struct, frozen=True, tag_field="event", tag="requeued"):
    """A pull that was taken back, and why."""

    id: int
    why: str
    at: datetime


class Resumed(msgspec.Struct, frozen=True, tag_field="event", tag="resumed", omit_defaults=True):
    """The run went on, in another process perhaps, after so many bytes of a torn line were ``cut``."""

    by: str
    at: datetime
    cut: int = 0


class Finished(msgspec.Struct, frozen=True, tag_field="event", tag="finished"):
    """The run is over."""

    winner: int
    at: datetime


Event: TypeAlias = Told | Late | Requeued | Resumed | Finished

_encode = msgspec.json.Encoder().encode
decode_header = msgspec.json.Decoder(Header).decode
decode_event = msgspec.json.Decoder(Event).decode

_OPENINGS = [b'{"event":"%b"' % each.encode() for each in ("told", "late", "requeued", "resumed", "finished")]


def seal(event: Header | Event) -> bytes:
    """Return the line of an event, its checksum included."""
    text = _encode(event)[:-1]
    return b'%b,"crc":"%08x"}\n' % (text, crc32(text))


def is_sound(line: bytes) -> bool:
    """Say whether a line, without its end, is as it was written."""
    return line[-SEAL:] == b',"crc":"%08x"}' % crc32(line[:-SEAL])


def is_torn(tail: bytes) -> bool:
    """Say whether this may be what a crash leaves of a line: its beginning, or zeros, or one after the other."""
    begun = tail.rstrip(b"\0")
    return any(begun.startswith(opening[: len(begun)]) for opening in _OPENINGS)


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
    return list(rewards(feedback, arms))


def decode_feedback(plain: list[float] | Mapping[str, Any]) -> Feedback:
    """Return the feedback that was written."""
    if isinstance(plain, list):
        return plain
    return _READ[tuple(plain)](*plain.values())


_READ: dict[tuple[str, ...], Callable[..., Named]] = {
    ("winner",): lambda arms: Winner(*arms or (None,)),
    ("ranking",): Ranking,
    ("best", "worst"): BestWorst,
    ("race",): Race,
}


def copy_feedback(feedback: Any, arms: Arms) -> Any:
    """Return feedback that was not told, and may be anything, as far as it can be written."""
    try:
        if isinstance(feedback, Named):
            feedback.row(arms)
        return encode_feedback(feedback, arms)
    except Exception:  # whatever somebody else's answer may hold
        return {"said": show_value(feedback)[:200]}
