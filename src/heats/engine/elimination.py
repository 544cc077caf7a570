"""Who stays: Algorithm 2, and an arm's record over the rounds.

Everything here works along the last axes, so that one tournament and a batch of them use the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heats.base import randomness
from heats.base.arrays import Array, Indices
from heats.base.randomness import Purpose
from heats.engine.feedback import Kind
from heats.engine.statistics import Statistic, win_rate
from heats.errors import BadFeedback


def check_record(record: str, kind: Kind, statistic: Statistic) -> None:
    """Refuse a kind of feedback that a record cannot be kept of."""
    if record == "fitted" and kind is Kind.REWARDS and statistic is not win_rate:
        raise BadFeedback(
            "the plan's record is 'fitted', a model of wins and rankings, but rewards were told; plan with "
            "feedback='reward', score them by win_rate, or tell Winner or Ranking."
        )


def in_pairs(kind: Kind) -> bool:
    """Return whether a pull says how arms did against each other one by one, or only who won."""
    return kind in (Kind.RANKING, Kind.BEST_WORST)


def deal(
    seed: Any, round_number: int, arms: Indices, rested: NDArray[np.bool_], heats: int, size: int
) -> tuple[Indices, Indices]:
    """Deal ``arms (..., active)`` into heats ``(..., heats, size)`` and byes ``(..., byes)``.

    Arms come in a seeded shuffle. Those that rested in the round before are sure of a place, so
    nobody rests twice in a row while others wait; they are spread over the heats like everybody else.
    """
    order = randomness.shuffle(seed, Purpose.DEAL, round_number, arms)
    if rested.any():
        first = np.argsort(~np.take_along_axis(rested, order, axis=-1), axis=-1, kind="stable")
        playing = np.sort(first[..., : heats * size], axis=-1)  # back in shuffled order
        resting = np.sort(first[..., heats * size :], axis=-1)
        order = np.take_along_axis(order, np.concatenate([playing, resting], axis=-1), axis=-1)
    dealt = np.take_along_axis(arms, order, axis=-1)
    played, byes = dealt[..., : heats * size], dealt[..., heats * size :]
    return played.reshape(*played.shape[:-1], heats, size), byes


def best_first(scores: Array, tie_break: Callable[[], Array]) -> NDArray[np.intp]:
    """Return the order of each heat: by score, then by what ``tie_break`` returns, then as dealt (a seeded shuffle)."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    tied = (ranked[..., 1:] == ranked[..., :-1]).any(axis=-1)
    if tied.any():
        order[tied] = np.lexsort((-tie_break()[tied], -scores[tied]), axis=-1)
    return order
