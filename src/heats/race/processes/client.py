"""Our end of a guardian, which runs one heat at a time: jobs → ends, or the reason why there are none."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from heats.errors import HeatsError
from heats.race.processes import launch
from heats.race.processes.channel import PIECE_BYTES, STOP
from heats.race.processes.guardian import PATIENCE_SECONDS
from heats.race.processes.jobs import End, Job
from heats.race.processes.process_table import list_processes, list_variables
from heats.race.processes.watcher import MOST_STOPS, STOPPED

CLOSING_SECONDS = PATIENCE_SECONDS + 5  # for a guardian to end what it started, and itself
LOOK_SECONDS = 1.0  # between two looks at a guardian that says nothing

CLOSED = "the race is over."
KILLED = "the guardian of the running programs was killed, and all they started is ended; the race can be resumed."
HALTED = (
    "the guardian of the running programs was stopped (SIGSTOP) again and again, maybe by one of them; all they "
    "started is ended, and the race can be resumed."
)
SURVIVED = "the guardian of the running programs is gone, but processes {} that they started cannot be ended."


class GuardianGone(HeatsError):
    """A guardian has ended before its heat has, or the race was stopped."""


class Guardian:
    """A guardian, its watcher and the socket to it; ``number`` tells the guardians of a pool apart.

    Commands see no processes but their own if they may be isolated (``isolate``) and the system allows it.
    """

    def __init__(self, number: int, *, isolate: bool = True) -> None:
        self.number = number
        self.isolate = isolate
        self._mark = f"HEATS_{secrets.token_hex(16)}"  # a variable that all it starts has in its environment
        self._stops = 0
        self._socket, theirs = socket.socketpair()
        isolation = "isolate" if isolate else "share"
        with theirs:
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", "-W", "ignore", launch.__file__, str(theirs.fileno()), isolation],
                pass_fds=[theirs.fileno()],
                env=os.environ | {self._mark: ""},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us to deal with
            )
        self._socket.settimeout(LOOK_SECONDS)
        self._inbox = bytearray()
        self._closing = False

    def run(self, jobs: Sequence[Job], is_enough: Callable[[End], bool] = lambda end: False) -> list[End]:
        """Start the jobs together and return how they ended; the first end that is enough stops the rest."""
        self._send(json.dumps([msgspec.structs.asdict(job) for job in jobs]).encode())
        ends: dict[int, End] = {}
        stopped = False
        while "used" not in (message := self._receive()):
            end = msgspec.convert(message, End)
            ends[message["place"]] = end
            if not stopped and len(ends) < len(jobs) and is_enough(end):
                self._send(STOP)
                stopped = True
        for place, used in enumerate(message["used"]):
            ends[place].cpu, ends[place].memory = used["cpu"], used["memory"]
        return [ends[place] for place in range(len(jobs))]

    def _send(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except TimeoutError:
                self._continue_watcher()
            except OSError:
                raise self._explain_end() from None

    def _receive(self) -> dict[str, Any]:
        """Return the next message."""
        searched = 0
        while (end := self._inbox.find(b"\n", searched)) < 0:
            searched = len(self._inbox)
            self._inbox += self._receive_piece()
        message: dict[str, Any] = json.loads(self._inbox[:end])
        del self._inbox[: end + 1]
        if "error" in message:
            raise HeatsError(f"a command could not be run: {message['error']}.")
        return message

    def _receive_piece(self) -> bytes:
        while True:
            try:
                piece = self._socket.recv(PIECE_BYTES)
            except TimeoutError:
                self._continue_watcher()
                continue
            except OSError:  # it died with something unread
                piece = b""
            if not piece:
                raise self._explain_end()
            return piece

    def _continue_watcher(self) -> None:
        """Have a watcher go on that was stopped, as it does with the guardian; again and again is too much."""
        if self._watcher.poll() is not None or not self._is_watcher_stopped():
            return
        self._stops += 1
        if self._stops > MOST_STOPS:
            self._watcher.kill()
            raise self._explain_end()
        self._watcher.send_signal(signal.SIGCONT)

    def _is_watcher_stopped(self) -> bool:
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._watcher.pid, os.WSTOPPED | os.WNOHANG) is not None
        return False

    def _explain_end(self) -> GuardianGone:
        """End what is left, and return the error that says why the heat is over."""
        on_purpose = self._closing
        self.hang_up()
        survivors = self._wait_for_end()
        if survivors:
            return GuardianGone(SURVIVED.format(", ".join(map(str, survivors))))
        if on_purpose:
            return GuardianGone(CLOSED)
        halted = self._watcher.returncode == STOPPED or self._stops > MOST_STOPS
        return GuardianGone(HALTED if halted else KILLED)

    @property
    def is_alive(self) -> bool:
        """Whether the guardian is still there."""
        return self._watcher.poll() is None

    def hang_up(self) -> None:
        """Let the guardian know, from any thread, that it is over: it kills all it started and exits."""
        self._closing = True
        with suppress(OSError):  # it was gone already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up, and wait until nothing is left."""
        self.hang_up()
        self._wait_for_end()
        self._socket.close()

    def _wait_for_end(self) -> list[int]:
        """Wait until the watcher has ended, and end what it could not; return what is left even so."""
        deadline = time.monotonic() + CLOSING_SECONDS
        while time.monotonic() < deadline:
            with suppress(subprocess.TimeoutExpired):
                self._watcher.wait(LOOK_SECONDS)
                break
            if self._is_watcher_stopped():
                self._watcher.send_signal(signal.SIGCONT)
        else:
            self._watcher.kill()
            self._watcher.wait()
        return _end_marked(self._mark.encode()) if self._watcher.returncode != 0 else []


def _end_marked(mark: bytes) -> list[int]:
    """Kill whoever has the variable in its environment, and return who is left; this needs the /proc of Linux."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := [pid for pid in list_processes() if mark in list_variables(pid)]) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)
    return found
