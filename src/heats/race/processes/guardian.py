"""The process that starts commands, measures them, and ends them and all they started.

It plays the commands of one heat at a time, each in a session and process group of its own, tells when one ends, and
kills the rest on the word. If the other end of the socket is gone, however it died, or the watcher is, it kills
everything and exits: nothing that was started outlives heats.

On Linux it adopts whatever its commands leave behind, daemons included. So "no child left" (``ECHILD``) means that
nothing is left of a heat. Elsewhere only the process groups are killed.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import Any

from heats.race.processes.channel import STOP, Channel, Gone
from heats.race.processes.process_table import list_children, list_variables, measure_cpu_seconds
from heats.race.processes.program import Program, start_program
from heats.race.processes.signals import read_signals, receive_signals

LONGEST_WAIT_SECONDS = 1.0
PATIENCE_SECONDS = 10.0  # for killed processes to be gone; one in the middle of a disk write may take a while


class Watch:
    """What the guardian waits for: heats, the watcher's death, its children's ends, and output."""

    def __init__(self, channel: Channel, lifeline: int, wakeup: int) -> None:
        self.channel = channel
        self._lifeline = lifeline
        self._wakeup = wakeup
        self._sending = False
        self._selector = selectors.PollSelector()  # epoll would slow down whoever prints, at every write
        for one in (channel.fileno(), lifeline, wakeup):
            self._selector.register(one, selectors.EVENT_READ)

    def add(self, program: Program) -> None:
        """Wait for a program's output, too."""
        self._selector.register(program.pipe, selectors.EVENT_READ, program)

    def drop(self, program: Program) -> None:
        """Wait for it no more."""
        if program.pipe in self._selector.get_map():
            self._selector.unregister(program.pipe)

    def wait(self, seconds: float) -> tuple[list[bytes], bool, list[Program]]:
        """Return the lines heats has sent, whether a child may have ended, and who has printed something."""
        if self.channel.pending != self._sending:
            self._sending = self.channel.pending
            more = selectors.EVENT_WRITE if self._sending else 0
            self._selector.modify(self.channel.fileno(), selectors.EVENT_READ | more)
        ready = {key.fd: (key.data, mask) for key, mask in self._selector.select(max(0.0, seconds))}
        if self._lifeline in ready:
            raise Gone
        _, mask = ready.get(self.channel.fileno(), (None, 0))
        if mask & selectors.EVENT_WRITE:
            self.channel.flush()
        lines = self.channel.receive() if mask & selectors.EVENT_READ else []
        ended = self._wakeup in ready and signal.SIGCHLD in read_signals(self._wakeup)
        return lines, ended, [program for program, _ in ready.values() if program is not None]


class Heat:
    """The commands of one heat, from the start to the last process they leave."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._programs: dict[int, Program] = {}
        self._orphans: dict[int, Program] = {}  # by the program that left them

    def play(self, jobs: list[dict[str, Any]]) -> None:
        """Start the jobs and stay until nothing is left of them; tell of each end, then what all of them used."""
        try:
            for job in jobs:
                program = start_program(job)
                self._programs[program.pid] = program
                self._watch.add(program)
            while self._running:
                self._step()
        finally:
            self._clear()
        used = [{"cpu": program.cpu, "memory": program.memory} for program in self._programs.values()]
        self._watch.channel.send({"used": used})

    @property
    def _running(self) -> list[Program]:
        return [program for program in self._programs.values() if program.code is None]

    def _step(self) -> None:
        """Wait for something to happen, and see to it."""
        running = self._running
        next_look = min(program.next_look for program in running)
        while True:
            seconds = min(next_look - time.monotonic(), LONGEST_WAIT_SECONDS)
            lines, ended, printing = self._watch.wait(seconds)
            if lines or ended or not printing or time.monotonic() >= next_look:
                break
            self._read(printing)
        if STOP in lines:
            self._stop("race")
        if ended or not (lines or printing):
            self._collect()
        for place, program in enumerate(self._programs.values()):
            if program in running and program.code is not None:
                self._watch.channel.send({"place": place, **program.describe_end()})
        if ended:
            self._adopt()
        self._read(printing)
        self._check_limits()

    def _read(self, printing: list[Program]) -> None:
        for program in printing:
            if program.code is None and program.read_output() == 0:
                self._watch.drop(program)  # it closed its output and goes on

    def _check_limits(self) -> None:
        now = time.monotonic()
        for program in self._running:
            if now >= program.next_look:
                orphans = [pid for pid, owner in self._orphans.items() if owner is program] if program.on_cpu else []
                program.check_limits(now, sum(map(measure_cpu_seconds, orphans)))

    def _stop(self, why: str) -> None:
        """Kill the groups of those that still run."""
        for program in self._running:
            program.kill(why)

    def _collect(self) -> bool:
        """Collect whoever has ended, with its CPU time; False if there is no child at all."""
        while True:
            try:
                peek = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if peek is None:
                    return True
            except ChildProcessError:
                return False
            self._collect_one(peek.si_pid)

    def _collect_one(self, pid: int) -> None:
        program = self._orphans.pop(pid, None) or self._programs.get(os.getpgid(pid))
        if program is not None and program.pid == pid:
            program.kill()  # what it leaves behind
        _, status, used = os.wait4(pid, 0)
        if program is None:
            return
        program.cpu += used.ru_utime + used.ru_stime
        program.memory = max(program.memory, used.ru_maxrss)
        if program.pid == pid:
            self._watch.drop(program)
            program.end(status)

    def _adopt(self) -> None:
        """Note whose the orphans are that left their group, for their CPU time, and kill those of runs that ended."""
        for pid in list_children(os.getpid()):
            if pid not in self._programs and pid not in self._orphans:
                variables = list_variables(pid)
                owner = next((program for program in self._programs.values() if program.mark in variables), None)
                if owner is not None:
                    self._orphans[pid] = owner
        for pid, program in self._orphans.items():
            if program.code is not None:
                kill_child(pid)

    def _clear(self) -> None:
        """Kill until no child is left: those that left their group become ours when their parents are gone."""
        self._stop("gone")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._collect():
            if time.monotonic() > deadline:
                raise OSError(f"processes {list_children(os.getpid())} cannot be killed")
            self._adopt()
            for pid in list_children(os.getpid()):
                kill_child(pid)
            time.sleep(0.0005)
        for program in self._programs.values():
            self._watch.drop(program)


def kill_child(pid: int) -> None:
    """Kill a child: it is ours until we collect it, so the number is not somebody else's."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def guard(control: socket.socket, lifeline: int) -> None:
    """Play heats until nobody asks for more; ``lifeline`` is a pipe that ends when the watcher does."""
    channel = Channel(control)
    watch = Watch(channel, lifeline, receive_signals())
    with suppress(Gone):
        while True:
            lines, _, _ = watch.wait(LONGEST_WAIT_SECONDS)
            for line in lines:
                if line != STOP:  # one that came when its heat was over
                    _play(watch, json.loads(line))


def _play(watch: Watch, jobs: list[dict[str, Any]]) -> None:
    try:
        Heat(watch).play(jobs)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        watch.channel.send({"error": str(error)})
