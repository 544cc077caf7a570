"""Our end of a guardian: one heat at a time runs on a lane, and threads share the lanes of a race."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

import msgspec

from heats.errors import HeatsError
from heats.race.processes import guardian

GONE = "the guardian of the running programs is gone, and what it ran is ended; the race can be resumed."
MARK = "HEATS_LANE"  # a variable that all a guardian starts inherits
PATIENCE = guardian.PATIENCE + 5  # seconds for a guardian to end what it started, and itself


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A command to start, and when to stop it."""

    argv: tuple[str, ...]
    cwd: str
    limit: float  # seconds of its clock
    wall_limit: float
    clock: str
    keep: int  # bytes of output
    sought: tuple[str, ...] = ()  # patterns: lines that match are kept as well
    memory: int | None = None  # bytes it may address
    cores: tuple[int, ...] | None = None  # it is pinned to


class End(msgspec.Struct, kw_only=True):
    """How a command ended, as measured by the guardian; times are of the monotonic clock."""

    code: int  # negative: by that signal
    stopped: str | None  # "race", "best", "limit", "wall limit": why it was killed, if it was
    started: float
    ended: float
    output: str
    printed: int  # bytes, of which output keeps the beginning, the end, and between them lines that were sought
    cpu: float = 0.0  # of all it started
    memory: int = 0  # peak, as getrusage counts

    @property
    def wall(self) -> float:
        """Seconds from start to end."""
        return self.ended - self.started


class LaneClosed(HeatsError):
    """The guardian of this lane is gone, or the race was stopped."""


class Lane:
    """A guardian process and the socket to it; ``number`` tells the lanes of this process apart."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._mark = f"{MARK}={uuid.uuid4()}"
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=os.environ | dict([self._mark.split("=")]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us to deal with
            )
        self._said = self._socket.makefile("rb")

    def run(self, jobs: Sequence[Job], enough: Callable[[End], bool] = lambda end: False) -> list[End]:
        """Start the jobs together and return how they ended; the first end that is ``enough`` stops the rest."""
        self._say(json.dumps([msgspec.structs.asdict(job) for job in jobs]).encode() + b"\n")
        ends: dict[int, End] = {}
        stopped = False
        while "used" not in (message := self._hear()):
            end = msgspec.convert(message, End)
            ends[message["place"]] = end
            if not stopped and len(ends) < len(jobs) and enough(end):
                self._say(guardian.STOP)
                stopped = True
        for place, used in enumerate(message["used"]):
            ends[place].cpu, ends[place].memory = used["cpu"], used["memory"]
        return [ends[place] for place in range(len(jobs))]

    def _say(self, message: bytes) -> None:
        try:
            self._socket.sendall(message)
        except OSError:
            raise LaneClosed(GONE) from None

    def _hear(self) -> dict[str, Any]:
        try:
            line = self._said.readline()
        except OSError:  # it died with something unread
            line = b""
        if not line.endswith(b"\n"):
            raise LaneClosed(GONE)
        message: dict[str, Any] = json.loads(line)
        if "error" in message:
            raise HeatsError(f"a command could not be run: {message['error']}.")
        return message

    @property
    def works(self) -> bool:
        """Whether the guardian is still there."""
        return self._guardian.poll() is None

    def hang_up(self) -> None:
        """Let the guardian know, from any thread, that it is over: it kills all it started and exits."""
        with suppress(OSError):  # it was gone already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up, and wait until nothing is left."""
        self.hang_up()
        if self._guardian.wait(PATIENCE) != 0:  # it was killed, and did not end what it started
            _end_marked(self._mark.encode())
        self._said.close()
        self._socket.close()


def _end_marked(mark: bytes) -> None:
    """Kill whoever has the mark in its environment; this needs the /proc of Linux."""
    deadline = time.monotonic() + PATIENCE
    while (marked := _marked(mark)) and time.monotonic() < deadline:
        for pid in marked:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _marked(mark: bytes) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if mark in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
    return found


class Lanes:
    """Lanes for any number of threads, each of which borrows one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Lane] = []
        self._busy: set[Lane] = set()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def borrow(self) -> Iterator[Lane]:
        """Yield a lane nobody else uses; one that ends in an error is not used again."""
        lane = self._free()
        try:
            yield lane
        except BaseException:
            lane.close()
            with self._lock:
                self._busy.discard(lane)
            raise
        with self._lock:
            self._busy.discard(lane)
            if not self._closed:
                self._idle.append(lane)
                return
        lane.close()

    def close(self) -> None:
        """End all lanes, for good: heats under way fail with ``LaneClosed`` in the threads that run them."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for lane in self._busy:
                lane.hang_up()
        for lane in idle:
            lane.close()

    def _free(self) -> Lane:
        """Return a lane that works, a new one if there is none, and count it as busy."""
        with self._lock:
            if self._closed:
                raise LaneClosed("the race is over.")
            while self._idle:
                lane = self._idle.pop()
                if lane.works:
                    break
                lane.close()
            else:
                taken = {lane.number for lane in self._busy}
                lane = Lane(next(number for number in range(len(taken) + 1) if number not in taken))
            self._busy.add(lane)
            return lane


@cache
def lanes_of(process: int) -> Lanes:
    """Return the lanes of this process, which a worker of a cluster shares among its heats and keeps to its end."""
    lanes = Lanes()
    atexit.register(lanes.close)
    return lanes
