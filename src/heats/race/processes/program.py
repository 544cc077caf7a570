"""One command under way: how it is started, what it printed, when it is to be stopped, and what was measured of it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from heats.race.processes.linux import die_with_parent
from heats.race.processes.output import BUFFER_BYTES, Output
from heats.race.processes.process_table import measure_cpu_seconds

SHORTEST_LOOK_SECONDS = 0.005  # between two looks at a CPU time
PIPE_BYTES = 1 << 20  # room for what a talkative program prints while we are busy
TALKATIVE_BYTES = 1 << 20  # few programs are, and a user has only so much room for pipes

F_SETPIPE_SZ = 1031
FIRST_PID = 1  # of a namespace


class Program:
    """A command that was started, the leader of a session and a process group of its own."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.limit: float = job["limit"]  # seconds of the clock it is stopped by
        self.wall_limit: float = job["wall_limit"]
        self.on_cpu: bool = job["clock"] == "cpu"
        self.output = Output(job["keep"], job["patterns"])
        self.mark = f"HEATS_{os.urandom(16).hex()}".encode()  # a variable that all it starts has in its environment
        self.code: int | None = None
        self.stopped: str | None = None  # why it was killed, if it was
        self.cpu = 0.0  # of those that have ended
        self.memory = 0
        self.ended = 0.0
        self.started = time.monotonic()
        self.next_look = self.started
        self._process = subprocess.Popen(
            job["argv"],
            cwd=job["cwd"],
            env=os.environb | {self.mark: b""},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            preexec_fn=_make_preparation(job["memory"], job["cores"]),
        )
        assert self._process.stdout is not None
        self.pipe = self._process.stdout.fileno()
        self._talkative = False
        self._buffer = bytearray(BUFFER_BYTES)  # a program may print in small pieces; they are searched together
        self._filled = 0
        os.set_blocking(self.pipe, False)

    @property
    def pid(self) -> int:
        """The command's process, its group and its session."""
        return self._process.pid

    def read_output(self) -> int | None:
        """Take in what was printed, up to a full pipe; return how many bytes, 0 at its end, None if there is none."""
        total, room = 0, memoryview(self._buffer)
        while total < PIPE_BYTES:
            try:
                size = os.readv(self.pipe, [room[self._filled :]])
            except BlockingIOError:
                return total or None
            if size == 0:
                break
            total += size
            self._filled += size
            if self._filled == BUFFER_BYTES:
                self._pass_on()
        return total

    def _pass_on(self) -> None:
        """Have what was read looked at."""
        self.output.take(self._buffer, self._filled)
        self._filled = 0
        if not self._talkative and self.output.printed > TALKATIVE_BYTES:
            self._talkative = True
            _enlarge_pipe(self.pipe)

    def kill(self, why: str | None = None) -> None:
        """Kill the group, whose leader must not be collected yet: else its number may be somebody else's."""
        self.stopped = self.stopped or why
        with suppress(ProcessLookupError, PermissionError):  # nobody is left in it; macOS says so of zombies
            os.killpg(self.pid, signal.SIGKILL)

    def end(self, status: int) -> None:
        """Note how it ended, and take in the rest of its output: no more than a pipe holds, the rest is not its own."""
        self.ended = time.monotonic()
        self.code = self._process.returncode = os.waitstatus_to_exitcode(status)
        left = PIPE_BYTES
        while left > 0 and (size := self.read_output()):
            left -= size
        self._pass_on()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def check_limits(self, now: float, more_cpu: float = 0.0) -> None:
        """Kill it if its time is up, and note when to look again; ``more_cpu`` is that of its orphans."""
        wall = now - self.started
        used = self.cpu + more_cpu + measure_cpu_seconds(self.pid) if self.on_cpu else wall
        if used >= self.limit:
            self.kill("limit")
        elif wall >= self.wall_limit:
            self.kill("wall limit")
        left = min(self.wall_limit - wall, (self.limit - used) / (os.cpu_count() or 1 if self.on_cpu else 1))
        self.next_look = now + max(left, SHORTEST_LOOK_SECONDS)

    def describe_end(self) -> dict[str, Any]:
        """Return its end as plain data; times are of the monotonic clock."""
        return {
            "code": self.code,
            "stopped": self.stopped,
            "started": self.started,
            "ended": self.ended,
            "output": self.output.get_text(whole_lines=bool(self.stopped) and self.code == -signal.SIGKILL),
            "printed": self.output.printed,
        }


def start_program(job: dict[str, Any]) -> Program:
    """Start a command; one that cannot be started ends as shells say it, with 127 and the reason as output."""
    try:
        return Program(job)
    except OSError as error:
        name = error.filename or job["argv"][0]
        reason = f"{os.fsdecode(name)}: {error.strerror}"
        code = f"print({reason!a}); raise SystemExit(127)"
        return Program(job | {"argv": [sys.executable, "-I", "-S", "-c", code], "memory": None})


def _make_preparation(memory: int | None, cores: list[int] | None) -> Callable[[], None] | None:
    """Return what to do in the new process before the command; nothing starts it in less than half the time.

    As the first process of a PID namespace we need not have it die with us: the kernel sees to that. What there is to
    do is safe, because we have one thread.
    """
    if os.getpid() == FIRST_PID and not memory and not cores:
        return None
    return lambda: _prepare(memory, cores)


def _prepare(memory: int | None, cores: list[int] | None) -> None:
    """Die with the guardian, keep to the memory and the cores given."""
    die_with_parent(signal.SIGKILL)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    if memory:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _enlarge_pipe(pipe: int) -> None:
    """Give a pipe more room, where the system has it."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(pipe, F_SETPIPE_SZ, PIPE_BYTES)
