"""Who could answer which of the sets that are owed: as many pulls as can be, nobody one set twice.

Listed voters have only so many votes each, so whoever takes a set that others could take, too, may leave one that
nobody can. A plan of who answers what is kept at hand: whoever has votes to spare may take anything, and everybody else
one of those that are planned for them. Then all that can be answered is. Plans are made and mended by augmenting paths:
somebody who cannot take one more set gives another one up, which somebody else takes.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Container, Mapping

from heats.vote.desk.line import Group

Seen = Callable[[str], Container[Group]]  # who → the sets they dealt with
Held = Callable[[str], Group | None]  # who → the set they are asked about now, which stays planned for them


class Matching:
    """A plan of who answers what: ``owed`` pulls of every set, ``left`` votes of everybody."""

    def __init__(self, owed: Mapping[Group, int], left: Mapping[str, int], seen: Seen, held: Held) -> None:
        self._owed, self._left, self._seen, self._held = dict(owed), dict(left), seen, held
        self._sets: dict[str, dict[Group, None]] = {who: {} for who in left}  # planned for everybody, in order
        self._people: dict[Group, dict[str, None]] = {group: {} for group in owed}
        self._lacking: dict[Group, None] = dict.fromkeys(group for group, pulls in owed.items() if pulls)
        self.left = sum(left.values())  # votes of all together
        self.count = 0  # of all that is owed, how many pulls can be answered
        for who in left:
            if (group := held(who)) is not None and group in owed:
                self.reserve(who, group)
        self._deal()
        self._complete()

    def can_spare(self, who: str) -> bool:
        """Whether somebody has more votes left than are planned for them."""
        return len(self._sets[who]) < self._left[who]

    def list_sets(self, who: str) -> Container[Group]:
        """Return the sets that are planned for somebody."""
        return self._sets[who]

    def reserve(self, who: str, group: Group) -> None:
        """Let somebody have a set that they were handed; whoever it was planned for has a vote to spare instead."""
        if group not in self._sets[who] and self._can_take(who, group) and self.can_spare(who):
            self._part_with(group, self._owed[group] - 1)
            if group in self._lacking:
                self._pair(who, group)

    def revise(self, who: str, left: int, group: Group, more: int) -> None:
        """Take in what somebody did: how many votes they have left now, and how many more pulls of a set are owed."""
        self.left += left - self._left[who]
        self._left[who] = left
        owed = self._owed[group] = self._owed.get(group, 0) + more
        people = self._people.setdefault(group, {})
        for each in [each for each in self._sets[who] if each in self._seen(who)]:
            self._unpair(who, each)
        for each in [each for each in self._sets[who] if each != self._held(who)]:
            if len(self._sets[who]) > left:
                self._unpair(who, each)
        self._part_with(group, owed)
        if len(people) < owed:
            self._lacking[group] = None
        else:
            self._lacking.pop(group, None)
        self._complete()

    # How it is done.

    def _can_take(self, who: str, group: Group) -> bool:
        return self._left[who] > 0 and group not in self._seen(who)

    def _pair(self, who: str, group: Group) -> None:
        self._sets[who][group] = self._people[group][who] = None
        self.count += 1
        if len(self._people[group]) >= self._owed[group]:
            self._lacking.pop(group, None)

    def _unpair(self, who: str, group: Group) -> None:
        del self._sets[who][group], self._people[group][who]
        self.count -= 1
        if len(self._people[group]) < self._owed[group]:
            self._lacking[group] = None

    def _part_with(self, group: Group, most: int) -> None:
        """Plan a set for so many people at most; those who are asked about it now stay, if that is possible."""
        people = self._people[group]
        for each in sorted(people, key=lambda each: self._held(each) == group):
            if len(people) > most:
                self._unpair(each, group)

    def _deal(self) -> None:
        """Plan the sets most pulls are owed of first, for those with the most votes left: that leaves few open."""
        left = [(len(sets) - self._left[who], place, who) for place, (who, sets) in enumerate(self._sets.items())]
        line = [each for each in left if each[0] < 0]
        heapq.heapify(line)
        for group in sorted(self._lacking, key=lambda each: -self._owed[each]):
            tried = []
            while line and group in self._lacking:
                spare, place, who = heapq.heappop(line)
                if group not in self._sets[who] and self._can_take(who, group):
                    self._pair(who, group)
                    spare += 1
                if spare:
                    tried.append((spare, place, who))
            for each in tried:
                heapq.heappush(line, each)

    def _complete(self) -> None:
        """Plan everything that can be."""
        for group in list(self._lacking):
            while group in self._lacking and self._augment(group):
                pass

    def _augment(self, wanted: Group) -> bool:
        """Plan one more pull of a set, others being moved if need be; return whether that is possible."""
        takes: dict[str, Group] = {}  # who → the set they would take
        gives: dict[Group, str] = {}  # set → who would give it up
        line = deque([wanted])
        while line:
            group = line.popleft()
            for who in self._left:
                if who in takes or group in self._sets[who] or not self._can_take(who, group):
                    continue
                takes[who] = group
                if self.can_spare(who):
                    self._move(who, takes, gives)
                    return True
                for other in self._sets[who]:
                    if other != wanted and other not in gives and other != self._held(who):
                        gives[other] = who
                        line.append(other)
        return False

    def _move(self, who: str, takes: Mapping[str, Group], gives: Mapping[Group, str]) -> None:
        """Let somebody take a set, whoever gave it up the one before, and so on."""
        while True:
            group = takes[who]
            giver = gives.get(group)
            if giver is not None:
                self._unpair(giver, group)
            self._pair(who, group)
            if giver is None:
                return
            who = giver
