"""Signals as bytes that can be waited for, beside sockets and pipes."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

ENDING = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})

_NOT_OURS = {signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}


def receive_signals() -> int:
    """Have no signal interrupt this process any more; return a pipe that gets the number of each as a byte.

    Handlers that do nothing, and not SIG_IGN: commands that are started would go on to ignore the signal.
    """
    wakeup, wake = os.pipe()
    os.set_blocking(wakeup, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in signal.valid_signals() - _NOT_OURS:
        with suppress(OSError, ValueError):  # some cannot be caught
            signal.signal(number, lambda *_: None)
    return wakeup


def read_signals(wakeup: int) -> bytes:
    """Return the numbers of the signals that came since the last time."""
    try:
        return os.read(wakeup, 1 << 16)
    except BlockingIOError:
        return b""
