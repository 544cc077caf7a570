"""The guardian's end of the socket to heats: messages as lines of JSON, sent without ever waiting for a reader."""

from __future__ import annotations

import json
import socket
from typing import Any

STOP = b"stop"  # all that is ever said to a guardian during a heat
PIECE_BYTES = 1 << 16


class Gone(Exception):
    """Nobody is at the other end any more, or nobody wants anything of us."""


class Channel:
    """A socket, what came in and is not a whole line yet, and what is to go out."""

    def __init__(self, control: socket.socket) -> None:
        self._socket = control
        self._socket.setblocking(False)
        self._inbox = b""
        self._outbox = bytearray()

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._socket.fileno()

    @property
    def pending(self) -> bool:
        """Whether something is still to go out."""
        return bool(self._outbox)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, or as much of it as there is room for now."""
        self._outbox += json.dumps(message).encode() + b"\n"
        self.flush()

    def flush(self) -> None:
        """Send what is still to go out, as far as there is room for it."""
        try:
            while self._outbox:
                del self._outbox[: self._socket.send(memoryview(self._outbox)[:PIECE_BYTES])]
        except BlockingIOError:
            pass
        except OSError:
            raise Gone from None

    def receive(self) -> list[bytes]:
        """Return the lines that have come in."""
        try:
            piece = self._socket.recv(PIECE_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            raise Gone from None
        if not piece:
            raise Gone
        *lines, self._inbox = (self._inbox + piece).split(b"\n")
        return lines
