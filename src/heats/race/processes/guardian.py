"""A small process that starts commands, measures them, and ends them and all they started.

It is run by path, imports nothing but the standard library and speaks JSON lines over a socket with whoever started
it (``lane.py``). It starts the commands of one heat at a time, each in a session and process group of its own, tells
when one ends, and kills the rest on the word. If the other end of the socket is gone, however it died, it kills
everything and exits: nothing that was started outlives heats.

On Linux it is a *subreaper*: whatever its commands start, daemons included, becomes its child once orphaned. So "no
child left" (``ECHILD``) means that nothing is left of a heat. Elsewhere only the process groups are killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import resource
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from itertools import islice
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK = 1.0  # seconds between two looks at whether our parent still lives, if nothing happens
SHORTEST = 0.005  # and between two looks at a CPU time
CHUNK = 1 << 16
MATCHES = 10  # lines kept for each pattern, of output that is not
FLOOD, BREATH = 1 << 24, 0.001  # after so many bytes we rest so many seconds a chunk, lest we take a core to read them
PATIENCE = 10.0  # seconds for killed processes to be gone; one in the middle of a disk write may take a while

RUN = "HEATS_RUN"  # a variable that tells, in all a command starts, which command of the heat it was

STOP = b"stop\n"  # all that is ever said to us during a heat

PARENT = os.getppid()
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Gone(Exception):
    """Nobody is at the other end any more."""


class Run:
    """One command under way, and what was measured of it."""

    def __init__(self, job: dict[str, Any], place: int) -> None:
        self.limit: float = job["limit"]  # seconds of the clock it is stopped by
        self.wall_limit: float = job["wall_limit"]
        self.on_cpu: bool = job["clock"] == "cpu"
        self.half = max(1, job["keep"] // 2)  # bytes of output to keep, of its beginning and of its end
        self.head, self.tail, self.printed = b"", b"", 0
        self.open_line = b""  # what came after the last line break
        self.matches = {re.compile(each, re.MULTILINE): deque[str](maxlen=MATCHES) for each in job["sought"]}
        self.code: int | None = None
        self.stopped: str | None = None  # why it was killed, if it was
        self.cpu = 0.0
        self.memory = 0
        self.started = time.monotonic()
        self.next_look = self.started
        self.ended = 0.0
        self.process = subprocess.Popen(
            job["argv"],
            cwd=job["cwd"],
            env=os.environ | {RUN: str(place)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            preexec_fn=lambda: prepare(job["memory"], job["cores"]),  # we have one thread: safe
        )
        assert self.process.stdout is not None
        self.pipe = self.process.stdout.fileno()
        os.set_blocking(self.pipe, False)

    @property
    def pid(self) -> int:
        """The command's process, its group and its session."""
        return self.process.pid

    def read(self) -> bool:
        """Take in a piece of output; False at its end, or if none is there.

        Kept are the beginning and the end, and of what is between them the last lines that match what is sought.
        """
        try:
            piece = os.read(self.pipe, CHUNK)
        except BlockingIOError:
            return False
        room = self.half - len(self.head)
        self.printed += len(piece)
        self.head += piece[:room]
        if rest := piece[room:]:
            self.sift(rest)
            self.tail = (self.tail + rest)[-self.half :]
        return bool(piece)

    def sift(self, piece: bytes) -> None:
        """Keep the lines that match, of a piece that follows what was read."""
        before = self.open_line if self.tail else self.head.rpartition(b"\n")[2]
        lines, _, self.open_line = (before + piece).rpartition(b"\n")
        self.open_line = self.open_line[-CHUNK:]
        text = lines.decode(errors="replace")
        for pattern, kept in self.matches.items():
            if pattern.search(text):  # seldom, so that a flood is read fast
                found = (line for line in reversed(text.split("\n")) if pattern.search(line))
                kept.extend(reversed(list(islice(found, MATCHES))))

    def kill(self, why: str | None = None) -> None:
        """Kill the group, whose leader must not be collected yet: else its number may be somebody else's."""
        self.stopped = self.stopped or why
        with suppress(ProcessLookupError, PermissionError):  # nobody is left in it; macOS says so of zombies
            os.killpg(self.pid, signal.SIGKILL)

    def end(self, status: int) -> None:
        """Note how it ended, and take in the rest of its output."""
        self.ended = time.monotonic()
        self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
        for _ in range(64):  # what is still in the pipe; more would be somebody else's writing
            if not self.read():
                break
        assert self.process.stdout is not None
        self.process.stdout.close()

    def look(self, now: float) -> None:
        """Kill it if its time is up, and say when to look again."""
        wall = now - self.started
        used = cpu_seconds(self.pid) if self.on_cpu else wall
        if used >= self.limit:
            self.kill("limit")
        elif wall >= self.wall_limit:
            self.kill("wall limit")
        left = min(self.wall_limit - wall, (self.limit - used) / (os.cpu_count() or 1 if self.on_cpu else 1))
        self.next_look = now + max(left, SHORTEST)

    def told(self) -> dict[str, Any]:
        """Return its end as plain data; times are of the monotonic clock."""
        return {
            "code": self.code,
            "stopped": self.stopped,
            "started": self.started,
            "ended": self.ended,
            "output": self.output(),
            "printed": self.printed,
        }

    def output(self) -> str:
        """Return what was kept, without parts of lines: beside a gap, and at the end of a run that was killed."""
        text = (self.head + self.tail).decode(errors="replace")
        if self.printed > len(self.head) + len(self.tail):
            head, tail = self.head.rpartition(b"\n")[0], self.tail.partition(b"\n")[2]
            between = [line for kept in self.matches.values() for line in kept]
            text = "\n".join([head.decode(errors="replace"), "[...]", *between, tail.decode(errors="replace")])
        if self.stopped and self.code == -signal.SIGKILL:
            text = "".join(text.rpartition("\n")[:2])
        return text


class Heat:
    """The commands of one heat, from the start to the last process they leave."""

    def __init__(self, control: socket.socket, wakeup: int) -> None:
        self.control = control
        self.wakeup = wakeup
        self.runs: dict[int, Run] = {}
        self.adopted: dict[int, Run] = {}  # orphans, by the run they are of
        self.watch = selectors.DefaultSelector()
        self.watch.register(control, selectors.EVENT_READ)
        self.watch.register(wakeup, selectors.EVENT_READ)

    def play(self, jobs: list[dict[str, Any]]) -> None:
        """Start the jobs and stay until nothing is left of them; tell of each end, then what all of them used."""
        try:
            for place, job in enumerate(jobs):
                run = started(job, place)
                self.runs[run.pid] = run
                self.watch.register(run.pipe, selectors.EVENT_READ, run)
            while any(run.code is None for run in self.runs.values()):
                self.step()
        finally:
            self.clear()
            self.watch.close()
        tell(self.control, {"used": [{"cpu": run.cpu, "memory": run.memory} for run in self.runs.values()]})

    def step(self) -> None:
        """Wait for something to happen, and see to it."""
        now = time.monotonic()
        running = [run for run in self.runs.values() if run.code is None]
        soon = min(run.next_look for run in running)
        for key, _ in self.watch.select(max(0.0, min(soon - now, LOOK))):
            if key.fileobj is self.control:
                if not self.control.recv(CHUNK):
                    raise Gone
                self.stop("race")
            elif key.fileobj == self.wakeup:
                os.read(self.wakeup, CHUNK)
            elif not key.data.read():
                self.watch.unregister(key.data.pipe)  # it closed its output and goes on
            elif key.data.printed > FLOOD:
                time.sleep(BREATH)
        self.reap()
        now = time.monotonic()
        for place, run in enumerate(self.runs.values()):
            if run in running and run.code is not None:
                tell(self.control, {"place": place, **run.told()})
            elif run in running and now >= run.next_look:
                run.look(now)
        if os.getppid() != PARENT:
            raise Gone

    def stop(self, why: str) -> None:
        """Kill the groups of those that still run."""
        for run in self.runs.values():
            if run.code is None:
                run.kill(why)

    def reap(self) -> bool:
        """Collect whoever has ended, with its CPU time; False if there is no child at all."""
        while True:
            try:
                peek = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if peek is None:
                    return True
            except ChildProcessError:
                return False
            pid = peek.si_pid
            run = self.adopted.pop(pid, None) or self.runs.get(os.getpgid(pid))
            if run is not None and run.pid == pid:
                run.kill()  # what it leaves behind
            _, status, used = os.wait4(pid, 0)
            if run is None:
                continue
            run.cpu += used.ru_utime + used.ru_stime
            run.memory = max(run.memory, used.ru_maxrss)
            if run.pid == pid:
                if run.pipe in self.watch.get_map():
                    self.watch.unregister(run.pipe)
                run.end(status)
            self.adopt()

    def adopt(self) -> None:
        """Note whose the orphans are that left their group, for their CPU time, and kill those of runs that ended."""
        runs = list(self.runs.values())
        for pid in children(os.getpid()):
            if pid not in self.runs and pid not in self.adopted and (place := place_of(pid)) is not None:
                self.adopted[pid] = runs[place]
        for pid, run in self.adopted.items():
            if run.code is not None:
                os.kill(pid, signal.SIGKILL)  # ours until we collect it, so the number is not somebody else's

    def clear(self) -> None:
        """Kill until no child is left: those that left their group become ours when their parents are gone."""
        self.stop("gone")
        deadline = time.monotonic() + PATIENCE
        while self.reap():
            if time.monotonic() > deadline:
                raise OSError(f"processes {children(os.getpid())} cannot be killed")
            for pid in children(os.getpid()):
                os.kill(pid, signal.SIGKILL)  # ours, as above
            time.sleep(0.0005)


def started(job: dict[str, Any], place: int) -> Run:
    """Start a command; one that cannot be started ends as shells say it, with 127 and the reason as output."""
    try:
        return Run(job, place)
    except OSError as error:
        reason = f"{error.filename or job['argv'][0]}: {error.strerror}"
        code = f"print({reason!a}); raise SystemExit(127)"
        return Run(job | {"argv": [sys.executable, "-I", "-S", "-c", code], "memory": None}, place)


def prepare(memory: int | None, cores: list[int] | None) -> None:
    """In the new process, before the command: die with the guardian, keep to the memory and the cores given."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def children(pid: int) -> list[int]:
    """Return the children of a process, those of all its threads."""
    found: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError):  # it has ended, or there is no such file here
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # pathlib is slow to import
            with open(f"/proc/{pid}/task/{task}/children") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def place_of(pid: int) -> int | None:
    """Return which command of its heat started a process, however indirectly; None if it does not say."""
    with suppress(OSError, ValueError), open(f"/proc/{pid}/environ") as file:  # noqa: PTH123
        for entry in file.read().split("\0"):
            if entry.startswith(f"{RUN}="):
                return int(entry.partition("=")[2])
    return None


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, the children it has waited for and those it still has."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    ticks = sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, children(pid)))


def tell(control: socket.socket, message: dict[str, Any]) -> None:
    """Send a message as a line."""
    try:
        control.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        raise Gone from None


def hear(control: socket.socket) -> list[dict[str, Any]]:
    """Return the jobs of the next heat; a "stop" that came when the last one was over is passed over."""
    said = b""
    while not said.endswith(b"\n"):
        while not select.select([control], [], [], LOOK)[0]:
            if os.getppid() != PARENT:
                raise Gone
        piece = control.recv(CHUNK)
        if not piece:
            raise Gone
        said = (said + piece).removeprefix(STOP)
    jobs: list[dict[str, Any]] = json.loads(said)
    return jobs


def main() -> None:
    """Play heats until nobody asks for more."""
    control = socket.socket(fileno=int(sys.argv[1]))
    if LIBC is not None:
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler that does nothing: the wakeup counts
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: control.shutdown(socket.SHUT_RDWR))  # as if the other end had gone
    try:
        while True:
            jobs = hear(control)
            try:
                Heat(control, wakeup).play(jobs)
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                tell(control, {"error": str(error)})
    except Gone:
        pass


if __name__ == "__main__":
    main()
