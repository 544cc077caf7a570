"""The process above a guardian, for the case that something happens to that one: nothing stays, nothing stands still.

Where the system allows it, the guardian is the first process of a PID namespace: the kernel ends all that runs in there
when the guardian dies, and it dies with the watcher. Elsewhere the watcher adopts what a guardian leaves that was
killed, and ends it; and a guardian whose watcher was killed ends everything itself. Then only who kills heats, the
watcher and the guardian at once can leave something behind.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

from heats.race.processes.guardian import LONGEST_WAIT_SECONDS, PATIENCE_SECONDS, guard, kill_child
from heats.race.processes.linux import adopt_orphans, die_with_parent, enter_namespace, prepare_namespace
from heats.race.processes.process_table import list_children
from heats.race.processes.signals import ENDING, read_signals, receive_signals

MOST_STOPS = 10  # a guardian that is stopped (SIGSTOP) goes on at once; after that many, all is ended
CALM_SECONDS = 10.0  # without a stop, after which counting starts again

FAILED, STOPPED = 1, 3  # exit codes: it was killed, or stopped again and again


def main() -> None:
    """Start a guardian and watch it: ``launch.py DESCRIPTOR isolate|share``."""
    descriptor, isolation = sys.argv[1:]
    parent = os.getppid()
    adopt_orphans()
    isolated = isolation == "isolate" and prepare_namespace()
    lifeline, hold = os.pipe()
    guardian = os.fork()
    if guardian == 0:
        os.close(hold)
        os._exit(_be_guardian(int(descriptor), lifeline, isolated))
    os.close(lifeline)
    os.close(int(descriptor))  # or nobody would see the guardian's end of it close
    sys.exit(Watcher(guardian, parent, hold).watch())


def _be_guardian(descriptor: int, lifeline: int, isolated: bool) -> int:
    control = socket.socket(fileno=descriptor)
    try:
        if isolated:
            die_with_parent(signal.SIGKILL)
            enter_namespace()
        else:
            adopt_orphans()
        guard(control, lifeline)
    except BaseException as error:  # a bug: heats is told, instead of the terminal
        message = {"error": f"the guardian failed with {type(error).__name__}: {error}"}
        with suppress(OSError):
            control.setblocking(True)
            control.sendall(json.dumps(message).encode() + b"\n")
        return FAILED
    return 0


class Watcher:
    """A guardian to watch, for the process that started us; ``hold`` is the lifeline, whose end ends the guardian."""

    def __init__(self, guardian: int, parent: int, hold: int) -> None:
        self._guardian = guardian
        self._parent = parent
        self._hold: int | None = hold
        self._stops = 0
        self._last_stop = 0.0

    def watch(self) -> int:
        """Stay until nothing is left, and return an exit code."""
        wakeup = receive_signals()
        while (code := self._look()) is None:
            select.select([wakeup], [], [], LONGEST_WAIT_SECONDS)
            if ENDING & set(read_signals(wakeup)) and self._hold is not None:
                os.close(self._hold)
                self._hold = None
            if os.getppid() != self._parent:
                os.kill(self._guardian, signal.SIGKILL)
        _end_children()
        return code

    def _look(self) -> int | None:
        """Return how the guardian ended, None while it lives; one that was stopped goes on."""
        pid, status = os.waitpid(self._guardian, os.WNOHANG | os.WUNTRACED)
        if pid and os.WIFSTOPPED(status):
            now = time.monotonic()
            self._stops = self._stops + 1 if now - self._last_stop < CALM_SECONDS else 1
            self._last_stop = now
            os.kill(self._guardian, signal.SIGKILL if self._stops > MOST_STOPS else signal.SIGCONT)
            return None
        if pid == 0:
            return None
        if os.waitstatus_to_exitcode(status) == 0:
            return 0
        return STOPPED if self._stops > MOST_STOPS else FAILED


def _end_children() -> None:
    """Kill what a guardian left that did not end by itself, until nothing is left of it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with suppress(ChildProcessError):  # there is none
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                for pid in list_children(os.getpid()):
                    kill_child(pid)
                time.sleep(0.0005)
