"""Ctrl-C in a command that is still being loaded, or that calls code which may swallow it.

Python raises KeyboardInterrupt wherever it happens to be: in the middle of an import it shows as a traceback, in a
callback it is printed and forgotten. A command that has nothing to put in order can exit right there instead; one that
has does so for SIGTERM, too.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from heats.base.startup import is_command_line

INTERRUPTED = 130  # the exit code of a command that was interrupted


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Have Ctrl-C end the process at once while this lasts, with a word and the exit code of an interrupted command."""
    before = signal.getsignal(signal.SIGINT)
    _replace_handler(signal.default_int_handler, _exit)
    try:
        yield
    finally:
        if before is signal.default_int_handler:
            raise_on_interrupt()


@contextmanager
def hold_interrupts() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back while this lasts, for code that would swallow it; yield a function that lets it through."""
    held = False

    def hold(*_: object) -> None:
        nonlocal held
        held = True

    def release() -> None:
        nonlocal held
        if held:
            held = False
            raise KeyboardInterrupt

    _replace_handler(signal.default_int_handler, hold)
    try:
        yield release
    finally:
        _replace_handler(hold, signal.default_int_handler)
    release()


@contextmanager
def take_sigterm_as_interrupt() -> Iterator[None]:
    """Have SIGTERM raise KeyboardInterrupt while this lasts, so that all is put in order, and end the process then."""
    came = False

    def interrupt(*_: object) -> None:
        nonlocal came
        came = True
        raise KeyboardInterrupt

    _replace_handler(signal.SIG_DFL, interrupt, signal.SIGTERM)
    try:
        yield
    finally:
        _replace_handler(interrupt, signal.SIG_DFL, signal.SIGTERM)
        if came:
            signal.raise_signal(signal.SIGTERM)


def raise_on_interrupt() -> None:
    """Have Ctrl-C raise KeyboardInterrupt again, from where a command has something to put in order."""
    _replace_handler(_exit, signal.default_int_handler)


def _replace_handler(old: Any, new: Any, number: signal.Signals = signal.SIGINT) -> None:
    if signal.getsignal(number) is old:  # neither ignored, as in the background, nor somebody else's
        with suppress(ValueError):  # in another thread than the main one
            signal.signal(number, new)


def _exit(*_: object) -> None:
    os.write(2, b"heats: interrupted.\n")
    os._exit(INTERRUPTED)


if is_command_line():  # when heats is imported; main() turns to raise_on_interrupt
    _replace_handler(signal.default_int_handler, _exit)
