"""All that a run was told, stage by stage: the one thing that standings, frames and every later look back read."""

from __future__ import annotations

from typing import NamedTuple

from heats.base.arrays import Array, Indices


class Told(NamedTuple):
    """The pulls of a stage that said something, in the order of their ids.

    Arms stand as they were shown, and so do their observations; pulls without a verdict are left out.
    """

    round: int  # from 0
    pulls: Indices  # ids
    heats: Indices  # from 0
    arms: Indices  # (pulls, size)
    observations: Array  # (pulls, size)
