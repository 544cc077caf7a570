"""A comparison that failed → how long to wait before its pull is made again, and the pulls that wait."""

from __future__ import annotations

import heapq
import math
import time
from numbers import Real
from typing import Any, NamedTuple

from heats.base.checks import as_list, between, is_bool, refuse
from heats.base.randomness import Purpose, draw_bits, to_unit
from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback

LONGEST_WAIT = 86_400.0  # seconds; whoever asks for more is not believed
MOST_DOUBLINGS = 64  # beyond which every wait is the longest


class Backoff(NamedTuple):
    """How long to wait after a failure: about ``first`` seconds, twice as long every time, at most ``most``."""

    first: float
    most: float


def check_backoff(backoff: Any) -> Backoff | None:
    """Return how long to wait, or refuse what is not a pair of seconds; None waits for nothing."""
    if backoff is None:
        return None
    pair = as_list("backoff", backoff)
    if len(pair) != 2:
        raise refuse("backoff", backoff, "must be two numbers of seconds, the first wait and the longest, as (0.5, 30)")
    first, most = (between("backoff", each, 0, LONGEST_WAIT, why="seconds") for each in pair)
    if first > most:
        raise refuse("backoff", backoff, "must have the shorter wait first, as (0.5, 30)")
    return Backoff(first, most)


def choose_wait(backoff: Backoff | None, query: Query, failures: int, error: BaseException) -> float:
    """Return the seconds to wait before a pull that failed so often is made again.

    What a service said counts, unless that is "at once". Else it is a random time, fixed by the pull's seed, from half
    the wait to all of it, so that pulls that failed together do not come back together. Feedback that cannot be used is
    asked for again at once.
    """
    if said := read_retry_after(error):
        return said
    if backoff is None or isinstance(error, BadFeedback):
        return 0.0
    longest = min(backoff.most, backoff.first * 2.0 ** min(failures - 1, MOST_DOUBLINGS))
    return longest * (1 + float(to_unit(draw_bits(query.seed, Purpose.WAIT, failures)))) / 2


def read_retry_after(error: BaseException) -> float | None:
    """Return for how many seconds a service asked to be left alone, if the error says it.

    It is an attribute ``retry_after``, or the header of that name of the error or of its ``response``, as the usual
    clients have it: seconds, or a date.
    """
    try:
        said = _find_retry_after(error)
        seconds = _count_seconds(said) if isinstance(said, (str, Real)) and not is_bool(said) else math.nan
    except Exception:  # somebody else's object, which is only looked at
        return None
    return min(seconds, LONGEST_WAIT) if 0 <= seconds < math.inf else None


def _find_retry_after(error: BaseException) -> Any:
    said = getattr(error, "retry_after", None)
    if said is not None:
        return said
    for owner in (error, getattr(error, "response", None)):
        headers = getattr(owner, "headers", None)
        for name, value in () if headers is None else headers.items():
            if str(name).lower() == "retry-after":
                return value
    return None


def _count_seconds(said: str | Real) -> float:
    try:
        return float(said)
    except ValueError:
        from email.utils import parsedate_to_datetime

        return max(0.0, parsedate_to_datetime(str(said)).timestamp() - time.time())


class Waits:
    """Pulls that wait to be made again, out of the machine's hands until then; they keep no place from others."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._heap: list[tuple[float, int, Query]] = []  # until when, by the clock that never goes back

    def put(self, query: Query, seconds: float) -> None:
        """Let a pull that was just taken back wait so long."""
        [query] = self._machine.ask_for([query.id])
        heapq.heappush(self._heap, (time.monotonic() + seconds, query.id, query))

    def take(self) -> Query | None:
        """Return a pull that has waited long enough and is still needed."""
        while self._heap and self._heap[0][0] <= time.monotonic():
            query = heapq.heappop(self._heap)[2]
            if not self._machine.told(query):  # else it was saved meanwhile
                return query
        return None

    @property
    def seconds_left(self) -> float | None:
        """How long until the next one has waited long enough; None if none waits."""
        return max(0.0, self._heap[0][0] - time.monotonic()) if self._heap else None
