"""Stages under way and over, and what their pulls said: rows of numbers, packed as bytes until the stage is over."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.engine.game import Stage
from heats.engine.machine.answerers import Signed


class Opened(NamedTuple):
    """A stage under way or over: its pulls have the ids from ``first`` on."""

    stage: Stage
    round: int
    first: int
    total: int
    size: int


class Over(NamedTuple):
    """A finished stage, and what its pulls said: those with a verdict, and a row of each, arms as shown."""

    opened: Opened
    rows: Array  # of races, times
    heard: Indices | None  # None: all of them
    dropped: Mask | None  # pulls that do not count, where there may be such
    signed: Signed | None  # who answered each, where that was said

    @property
    def said(self) -> tuple[Indices, Array]:
        """The pulls with a verdict, and what they said."""
        return np.arange(self.opened.total) if self.heard is None else self.heard, self.rows

    @property
    def silent(self) -> Indices:
        """The pulls that count and had no verdict."""
        spoke = np.zeros(self.opened.total, dtype=bool)
        spoke[self.said[0]] = True
        return np.flatnonzero(~spoke if self.dropped is None else ~(spoke | self.dropped))

    @property
    def counted(self) -> tuple[int, ...] | None:
        """How many pulls of every heat count; None where all do."""
        if self.dropped is None:
            return None
        heats = self.opened.stage.heat_of(np.flatnonzero(~self.dropped))
        return tuple(np.bincount(heats, minlength=self.opened.stage.count).tolist())

    def silence(self, pulls: Indices) -> Over:
        """Return the same stage if these pulls had no verdict."""
        heard, rows = self.said
        left = ~np.isin(heard, pulls)
        return self if left.all() else self._replace(rows=rows[left], heard=heard[left])

    def recall(self, pull: int) -> bytes:
        """Return what a pull said, as it was packed; nothing if it had no verdict."""
        position = pull if self.heard is None else int(np.searchsorted(self.heard, pull))
        if self.heard is not None and (position == self.heard.size or self.heard[position] != pull):
            return NOTHING
        return bytes(self.rows[position].tobytes())


class _Packers(dict[int, Any]):
    """How many floats a row has → a function that packs it."""

    def __missing__(self, length: int) -> Any:
        self[length] = pack = struct.Struct(f"{length}d").pack
        return pack


PACK = _Packers()
NOTHING = b""  # a pull that was told and had no verdict
