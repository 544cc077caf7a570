"""What a worker does: a few pulls in a row, each with its own outcome and its own time."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

from heats.base.text import describe_error
from heats.base.worker import name_this_worker
from heats.running.waits import read_retry_after

Job = tuple[Callable[..., Any], tuple[Any, ...]]

AGAIN_SECONDS = 0.1  # after which a comparison that did not stop is told again

_serial = count()


class Answer(NamedTuple):
    """What came of a pull: a value or an error, and the seconds it took; both, if the value came after its time."""

    value: Any
    error: Exception | None
    seconds: float


class Calls:
    """Pulls to be made in a row, wherever this is called; it travels to other processes and machines.

    It is one object without arguments because clusters look into arguments, and it has a number of its own because
    they take equal calls for the same one, of which a pull tried again is not.
    """

    def __init__(self, jobs: list[Job], timeout: float | None = None, home: int | None = None) -> None:
        self.jobs = jobs
        self.timeout = timeout
        self.home = os.getpid() if home is None else home  # the process that wants the answers
        self.serial = next(_serial)

    def __call__(self) -> tuple[str, list[Answer]]:
        """Return who worked, and an answer per pull: a failed one does not keep the others from being made."""
        return name_this_worker(), [self._make_pull(*job) for job in self.jobs]

    def _make_pull(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        start = time.perf_counter()
        value: Any = None
        failure: Exception | None = None
        try:
            with time_limit(self.timeout):
                value = function(*arguments)
            _check_travels(value, self.home)
        except _TimeUp:
            value, failure = None, took_too_long(self.timeout or 0.0)
        except Exception as error:  # whatever the user's comparison raises
            value, failure = None, error if os.getpid() == self.home else _portable(error)
        seconds = time.perf_counter() - start
        if failure is None and self.timeout is not None and seconds > self.timeout:
            failure = took_too_long(self.timeout)  # nothing could stop it here; late is late everywhere
        return Answer(value, failure, seconds)


def make_pull(home: int, number: int, function: Callable[..., Any], *arguments: Any) -> tuple[int, str, Answer]:
    """Make one pull where large arguments travel on their own; return its number, who worked, and its answer."""
    by, [answer] = Calls([(function, arguments)], home=home)()
    return number, by, answer


class _TimeUp(BaseException):
    """Time is up: an error that ``except Exception`` in a comparison does not catch."""


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise ``_TimeUp`` after that long, where that can be done: in the main thread of a process, not on Windows.

    A comparison that catches even that hears it again, until it gives in.
    """
    here_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not here_main or not hasattr(signal, "setitimer"):
        yield
        return
    armed = True

    def stop(*_: object) -> None:
        if armed:
            raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)


def took_too_long(seconds: float) -> TimeoutError:
    """Return the error of a comparison that did not end in time."""
    return TimeoutError(f"it took longer than timeout={seconds:g} seconds")


def _check_travels(value: Any, home: int) -> None:
    """Refuse an answer that cannot go home: some executors would wait for it for ever."""
    if os.getpid() == home:
        return
    import pickle  # what executors send results with

    try:
        pickle.dumps(value)
    except Exception as error:
        raise TypeError(f"what compare returned cannot be sent home from its worker: {describe_error(error)}") from None


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way home, with its traceback as a note."""
    import pickle  # what executors send results with

    told = "".join(traceback.format_exception(error)).rstrip()
    try:
        returned: Exception = pickle.loads(pickle.dumps(error))
    except Exception:  # it cannot travel; what it says can
        returned = RuntimeError(describe_error(error))
        returned.retry_after = read_retry_after(error)  # type: ignore[attr-defined]
    returned.add_note(told)
    return returned
