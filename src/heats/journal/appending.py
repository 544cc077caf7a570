"""Lines → the end of a file that nobody else writes to: whole ones or none, and as safe as was asked for."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Literal, TypeAlias

from heats.journal.sync import GROUP_SECONDS, NotOurs, Syncer, bring_to_disk, check_there, open_to_append

Sync: TypeAlias = Literal["each", "grouped", "system"]


class Appender:
    """The end of a file, after ``size`` bytes of whole lines; whoever has one holds the lock of the file.

    ``sync``: when what is written gets to the disk: ``"each"`` at once, ``"grouped"`` within a tenth of a second,
    ``"system"`` when the operating system sees fit.
    """

    def __init__(self, path: Path, size: int, sync: Sync = "each") -> None:
        self.path = path
        self.size = size
        self._sync = sync
        self._handle = open_to_append(path)
        self._syncer = Syncer(self._handle, path) if sync == "grouped" else None
        self._looked = 0.0  # when the file was last seen in its place, if nobody syncs it

    def cut(self) -> None:
        """Remove what stands after the whole lines, for good."""
        os.ftruncate(self._handle, self.size)
        os.fsync(self._handle)

    def end_line(self, line: bytes) -> None:
        """Let a line that stands after the others, but for its end, be one of them, and nothing follow it, for good."""
        os.ftruncate(self._handle, self.size + len(line))
        os.write(self._handle, b"\n")
        os.fsync(self._handle)
        self.size += len(line) + 1

    def write(self, lines: bytes) -> None:
        """Append whole lines; of those that do not get through, nothing stays."""
        self._append(lines)
        if self._sync == "each":
            bring_to_disk(self._handle, self.path)
        elif self._syncer is not None:
            self._syncer.soon()  # and hear what went wrong with the group before
        elif time.monotonic() - self._looked >= GROUP_SECONDS:
            check_there(self._handle, self.path)
            self._looked = time.monotonic()

    def close(self, *, is_sound: bool = True) -> None:
        """Bring everything to the disk and close the file; if all is sound so far, it must still be in its place."""
        try:
            if self._syncer is not None:
                self._syncer.stop()
            elif is_sound:
                check_there(self._handle, self.path)
        finally:
            os.close(self._handle)

    def _append(self, lines: bytes) -> None:
        there = os.fstat(self._handle).st_size
        if there != self.size:
            raise NotOurs(
                f"was changed by somebody else: it has {there} bytes, not {self.size}. Nothing more is written to it; "
                "a journal has one writer at a time. Once nobody else writes, do the same again and the run goes on."
            )
        done = 0
        try:
            while done < len(lines):
                done += os.write(self._handle, memoryview(lines)[done:])
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self.size + lines.rfind(b"\n", 0, done) + 1)
            raise
        self.size += done
