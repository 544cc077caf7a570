"""Pulls that nobody has, set by set: those of the sets that most pulls are left of come first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Mapping
from typing import TypeAlias

Group: TypeAlias = frozenset[int]  # a set of candidates that are compared


class Line:
    """Pulls in the order in which they should be handed out; ``groups`` say what each of them compares."""

    def __init__(self, groups: Mapping[int, Group]) -> None:
        self._groups = groups
        self._waiting: dict[Group, list[int]] = {}  # in order
        self._order: list[tuple[int, int]] = []  # of every set: minus how many wait, and the first of them

    def fill(self) -> None:
        """Let all pulls wait."""
        for number in sorted(self._groups):
            self._waiting.setdefault(self._groups[number], []).append(number)
        self._order = sorted((-len(pulls), pulls[0]) for pulls in self._waiting.values())

    def add(self, number: int) -> None:
        """Let a pull wait, in its place; nothing if it does."""
        waiting = self._waiting.setdefault(self._groups[number], [])
        if number not in waiting:
            self._strike(waiting)
            insort(waiting, number)
            insort(self._order, (-len(waiting), waiting[0]))

    def remove(self, number: int) -> None:
        """Let a pull wait no more; nothing if it did not."""
        waiting = self._waiting.get(self._groups[number], [])
        if number in waiting:
            self._strike(waiting)
            waiting.remove(number)
            if waiting:
                insort(self._order, (-len(waiting), waiting[0]))

    def find(
        self, seen: Container[Group], besides: Group | None = None, among: Container[Group] | None = None
    ) -> int | None:
        """Return the first pull of a set that was not seen, nor is another one, and is one of those that may be."""
        for _, number in self._order:
            group = self._groups[number]
            if group not in seen and group != besides and (among is None or group in among):
                return number
        return None

    def _strike(self, waiting: list[int]) -> None:
        if waiting:
            del self._order[bisect_left(self._order, (-len(waiting), waiting[0]))]
