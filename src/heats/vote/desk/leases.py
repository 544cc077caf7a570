"""Which pulls are out, with whom, since when and until when. Nothing of it is kept: after a restart nothing is out."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple


class Lease(NamedTuple):
    """Since when somebody has a pull, and until when nobody else gets it for that it was not answered."""

    since: float
    until: float


class Leases:
    """Everybody has one pull at most, several may have the same; when time is up it is theirs until others get it."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock = seconds, clock
        self._of: dict[int, dict[str, Lease]] = {}  # pull → who has it
        self._held: dict[str, int] = {}  # who → the pull they have
        self._shown: dict[str, tuple[int, float]] = {}  # who → the pull they had last, and since when
        self._first_end = 0.0  # no lease runs out before that

    def find(self, who: str) -> int | None:
        """Return the pull that somebody has."""
        return self._held.get(who)

    def measure(self, who: str, number: int) -> float | None:
        """Return for how many seconds somebody has or had a pull, if it is the last one they had."""
        last, since = self._shown.get(who, (None, 0.0))
        return round(self._clock() - since, 3) if last == number else None

    def is_out(self, number: int) -> bool:
        """Whether somebody has a pull whose time did not run out."""
        now = self._clock()
        return any(lease.until > now for lease in self._of.get(number, {}).values())

    def list_out(self) -> dict[int, dict[str, float]]:
        """Return the pulls that are out, who has them, and for how many seconds by now."""
        now = self._clock()
        return {
            number: {who: now - lease.since for who, lease in holders.items()}
            for number, holders in self._of.items()
            if self.is_out(number)
        }

    def give(self, who: str, number: int) -> None:
        """Let somebody have a pull from now on, or for longer; others whose time ran out have it no more."""
        now, holders = self._clock(), self._of.get(number, {})
        for other in [each for each, lease in holders.items() if lease.until <= now and each != who]:
            self.take(other)
        if self._held.get(who) != number:
            self._shown[who] = number, now
        since = holders[who].since if who in holders else now
        self._of.setdefault(number, {})[who] = Lease(since, now + self._seconds)
        self._held[who] = number

    def take(self, who: str) -> int | None:
        """Let somebody have nothing any more; return what they had."""
        number = self._held.pop(who, None)
        if number is not None:
            del self._of[number][who]
            if not self._of[number]:
                del self._of[number]
        return number

    def drop(self, number: int) -> None:
        """Let nobody have a pull any more."""
        for who in self._of.pop(number, ()):
            del self._held[who]

    def keep(self, numbers: Container[int]) -> None:
        """Drop all other pulls."""
        for number in [each for each in self._of if each not in numbers]:
            self.drop(number)

    def list_ended(self) -> list[int]:
        """Return the pulls that somebody has, but whose time ran out; none if no other did since the last look."""
        now = self._clock()
        if now < self._first_end:
            return []
        ends = {number: max(lease.until for lease in holders.values()) for number, holders in self._of.items()}
        self._first_end = min((end for end in ends.values() if end > now), default=now)
        return [number for number, end in ends.items() if end <= now]
