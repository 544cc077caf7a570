"""Which pulls are open on whose page, kept beside the journal: a desk that was killed goes on with them.

A file to which a line is added whenever somebody is handed something, in groups as votes are, and without waiting for
the disk: ``kill -9`` loses nothing of it, a power cut may lose the last seconds. What cannot be read or written is as
good as not there, since a vote that comes without it counts as long as its set is owed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from heats.journal.draft import write_whole


class OpenPage(NamedTuple):
    """Who was handed which pull, and when, by the clock on the wall."""

    who: str
    number: int
    at: float


_decoder = msgspec.json.Decoder(OpenPage)


class OpenPages:
    """The file of open pages."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lines = b""

    def note(self, who: str, number: int, seconds: float) -> None:
        """Remember that somebody was handed a pull so many seconds ago."""
        self._lines += msgspec.json.encode(OpenPage(who, number, self._clock() - seconds)) + b"\n"

    def write(self) -> None:
        """Write what was remembered since the last time."""
        lines, self._lines = self._lines, b""
        if lines:
            with contextlib.suppress(OSError), self._path.open("ab") as file:
                file.write(lines)

    def read(self) -> list[tuple[str, int, float]]:
        """Return what everybody was handed last, and for how many seconds they have had it."""
        pages: dict[str, OpenPage] = {}
        self._lines = b""  # of what could not be answered
        with contextlib.suppress(OSError):
            for line in self._path.read_bytes().splitlines():
                with contextlib.suppress(msgspec.DecodeError):
                    page = _decoder.decode(line)
                    pages[page.who] = page
        now = self._clock()
        return [(page.who, page.number, max(0.0, now - page.at)) for page in pages.values()]

    def remove(self) -> None:
        """Forget everything: another poll begins."""
        self._path.unlink(missing_ok=True)

    def begin(self) -> None:
        """Forget what the file had: all that is still open is noted again."""
        lines, self._lines = self._lines, b""
        with contextlib.suppress(OSError):
            write_whole(self._path, lines)
