"""What heats and a guardian speak about: a command to run, and how it ended."""

from __future__ import annotations

import msgspec


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A command to start, and when to stop it."""

    argv: tuple[str, ...]
    cwd: str
    limit: float  # seconds of its clock
    wall_limit: float
    clock: str
    keep: int  # bytes of output
    patterns: tuple[str, ...] = ()  # lines that match are kept as well
    memory: int | None = None  # bytes it may address
    cores: tuple[int, ...] | None = None  # it is pinned to


class End(msgspec.Struct, kw_only=True):
    """How a command ended, as measured by the guardian; times are of the monotonic clock."""

    code: int  # negative: by that signal
    stopped: str | None  # "race", "best", "limit", "wall limit": why it was killed, if it was
    started: float
    ended: float
    output: str
    printed: int  # bytes, of which output keeps the beginning, the end, and between them lines that match
    cpu: float = 0.0  # of all it started
    memory: int = 0  # peak, as getrusage counts

    @property
    def wall(self) -> float:
        """Seconds from start to end."""
        return self.ended - self.started
