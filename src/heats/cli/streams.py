"""Standard output and error of a command: a terminal that lacks a letter is shown its number; a reader may go away.

A run is not lost because nobody reads about it any more, as in ``heats race … | head``: it goes on, unheard, and the
exit code says how it ended.
"""

from __future__ import annotations

import io
import sys
from typing import Any


class Unread(io.FileIO):
    """A stream that takes what nobody reads any more for read."""

    def write(self, data: Any) -> int:
        """Write to whoever reads."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def settle_streams() -> None:
    """Replace both, unless one is closed, or somebody else's."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            at_once = stream.line_buffering or stream.write_through
            raw = io.BufferedWriter(Unread(stream.fileno(), "w", closefd=False))
            settled = io.TextIOWrapper(raw, stream.encoding, "backslashreplace", line_buffering=at_once)
            setattr(sys, name, settled)
