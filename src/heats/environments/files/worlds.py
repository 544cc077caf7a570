"""Tables that were read → worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heats.base.arrays import Array, Mask
from heats.base.checks import refuse
from heats.environments.protocol import Environment
from heats.environments.tables import RuntimeTable, ScoreTable
from heats.environments.winners import Winners


def make_score_world(table: Array, names: Sequence[str] | None, feedback: Any, *, losses: bool = False) -> Environment:
    """Return a world of scores, or of losses; with feedback="winner" the winners of its rows."""
    told = "reward" if feedback is None else feedback
    if not isinstance(told, str) or told not in ("reward", "winner"):
        raise refuse("feedback", feedback, "does not go with scores; choose reward or winner")
    world = ScoreTable.from_losses(table, names) if losses else ScoreTable(table, names)
    return Winners(world) if told == "winner" else world


def make_runtime_world(
    times: Array, solved: Mask, cutoff: float, names: Sequence[str] | None, feedback: Any
) -> RuntimeTable:
    """Return a world of runtimes; what did not finish may be any number, or none."""
    told: Any = "winner" if feedback is None else feedback
    return RuntimeTable(np.where(solved, times, cutoff), solved, cutoff, names, told)
