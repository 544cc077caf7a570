"""Which pulls are out, with whom, since when and until when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

MOST_REMEMBERED = 10_000  # of those who have nothing now: what they had last


class Leases:
    """Everybody has one pull at most, several may have the same; when time is up it is theirs until others get it."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.seconds, self._clock = seconds, clock
        self._of: dict[int, dict[str, float]] = {}  # pull → who has it, and until when
        self._held: dict[str, int] = {}  # who → the pull they have
        self._shown: dict[str, tuple[int, float]] = {}  # who → the pull they had last, and since when
        self._first: dict[int, float] = {}  # pull → when it was handed out first
        self._first_end = 0.0  # no lease runs out before that

    def find(self, who: str) -> int | None:
        """Return the pull that somebody has."""
        return self._held.get(who)

    def measure(self, who: str, number: int) -> float | None:
        """Return for how many seconds somebody has or had a pull, if it is the last one they had."""
        last, since = self._shown.get(who, (None, 0.0))
        return round(self._clock() - since, 3) if last == number else None

    def measure_first(self, number: int) -> float:
        """Return for how many seconds a pull is out, however often it was given back or undone and taken again."""
        return self._clock() - self._first[number]

    def is_out(self, number: int) -> bool:
        """Whether somebody has a pull whose time did not run out."""
        now = self._clock()
        return any(until > now for until in self._of.get(number, {}).values())

    def list_out(self) -> dict[int, Collection[str]]:
        """Return the pulls that are out, and who has them."""
        return {number: holders.keys() for number, holders in self._of.items() if self.is_out(number)}

    def give(self, who: str, number: int, ago: float = 0.0) -> None:
        """Let somebody have a pull from now, or some time ago, on, or for longer; others whose time ran out lose it."""
        now, holders = self._clock(), self._of.get(number, {})
        for other in [each for each, until in holders.items() if until <= now and each != who]:
            self.take(other)
        if self._held.get(who) != number:
            self._shown[who] = number, now - ago
        self._of.setdefault(number, {})[who] = now + self.seconds - ago
        self._held[who] = number
        self._first.setdefault(number, now - ago)
        if len(self._shown) > MOST_REMEMBERED + 2 * len(self._held):
            self._shown = {each: shown for each, shown in self._shown.items() if each in self._held}

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
        """Drop all other pulls, for good."""
        for number in [each for each in self._of if each not in numbers]:
            self.drop(number)
        self._first = {number: first for number, first in self._first.items() if number in numbers}

    def list_ended(self) -> list[int]:
        """Return the pulls that somebody has, but whose time ran out; none if no other did since the last look."""
        now = self._clock()
        if now < self._first_end:
            return []
        ends = {number: max(holders.values()) for number, holders in self._of.items()}
        self._first_end = min((end for end in ends.values() if end > now), default=now)
        return [number for number, end in ends.items() if end <= now]
