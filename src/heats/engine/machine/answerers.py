"""Who answered which pull, where that was said, and whose answers are void: a small number per pull, not a name."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TypeAlias

import numpy as np

from heats.base.arrays import Indices

Signed: TypeAlias = "array[int]"  # of every pull of a stage the number of who answered; NOBODY where it was not said
NOBODY = -1


class Answerers:
    """Those who answered, by name and number; the pulls of the stage under way are signed by them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()  # answers by whom
        self.signed: Signed | None = None  # of the stage under way; None while nobody signed
        self._numbers: dict[str, int] = {}
        self._void: set[int] = set()

    @property
    def void(self) -> tuple[str, ...]:
        """Whose answers are void, in the order of their first answers."""
        if not self._void:  # as it is most often, and desks of polls ask at every vote
            return ()
        return tuple(name for name, number in self._numbers.items() if number in self._void)

    def is_void(self, name: str) -> bool:
        """Whether what somebody says counts for nothing."""
        return bool(self._void) and self._numbers.get(name) in self._void

    def set_void(self, name: str, *, void: bool) -> None:
        """Let the answers of somebody be void from now on, or not."""
        number = self._numbers.setdefault(name, len(self._numbers))
        (self._void.add if void else self._void.discard)(number)

    def sign(self, pull: int, name: str, pulls: int) -> None:
        """Note who answered a pull of the stage under way, which has so many."""
        signed = self.signed
        if signed is None or len(signed) < pulls:
            signed = (signed or array("i")) + array("i", [NOBODY]) * (pulls - len(signed or ()))
            self.signed = signed
        signed[pull] = self._numbers.setdefault(name, len(self._numbers))
        self.counts[name] += 1

    def strike(self, pull: int) -> None:
        """Forget who answered a pull of the stage under way."""
        if self.signed is None or pull >= len(self.signed) or self.signed[pull] == NOBODY:
            return
        name = list(self._numbers)[self.signed[pull]]
        self.signed[pull] = NOBODY
        self.counts[name] -= 1
        if not self.counts[name]:
            del self.counts[name]

    def find_void(self, signed: Signed | None) -> Indices:
        """Return the pulls of a stage whose answers are void."""
        if signed is None or not self._void:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(np.isin(np.array(signed), list(self._void)))
