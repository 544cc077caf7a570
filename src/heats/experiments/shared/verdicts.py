"""Numbers → whether a claim holds beyond chance: yes, no, or it depends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from heats.base.intervals import binomial_interval

Finding = tuple[bool | None, str]  # whether a claim holds (None: it depends), and what was seen
BEYOND_CHANCE = 1.96  # standard errors: the 95 % level
BEYOND_MANY = 3.29  # the 99.9 % level, where a hundred comparisons are made

_interval = cache(binomial_interval)  # thousands of shares have a few hundred numbers of successes


class Share(NamedTuple):
    """Successes out of a number of runs."""

    successes: int
    runs: int

    @property
    def rate(self) -> float:
        """The success rate."""
        return self.successes / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Its exact 95 % interval."""
        return _interval(self.successes, self.runs)

    def format(self) -> list[str]:
        """Return the rate and its interval as they are kept in a CSV."""
        return [f"{value:.4f}" for value in (self.rate, *self.interval)]

    def versus(self, other: Share, level: float = BEYOND_CHANCE) -> int:
        """Return 1 if this share is larger beyond chance, -1 if smaller, 0 if that cannot be told."""
        return compare(self.rate - other.rate, self.measure_error(other), level)

    def measure_error(self, other: Share) -> float:
        """Return the standard error of the difference to another share, as if both had the same chance."""
        pooled = (self.successes + other.successes) / (self.runs + other.runs)
        return math.sqrt(pooled * (1 - pooled) * (1 / self.runs + 1 / other.runs))


def compare(distance: float, error: float, level: float = BEYOND_CHANCE) -> int:
    """Return the sign of a distance that is beyond chance, ``level`` standard errors, else 0."""
    return 0 if abs(distance) <= level * error else 1 if distance > 0 else -1


def agree(good: Iterable[bool]) -> bool | None:
    """Return what all say; None if they differ."""
    seen = set(good)
    return seen.pop() if len(seen) == 1 else None


def judge(findings: Iterable[bool | None]) -> str:
    """Sum up what was found under both schedules."""
    seen = set(findings)
    return "confirmed" if seen <= {True} else "not confirmed" if seen == {False} else "mixed"


def show_both(printed: str, exact: str) -> tuple[str, str]:
    """Return what was seen under both schedules, without saying the same twice."""
    return printed, "the same" if exact == printed else exact
