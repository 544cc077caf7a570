"""Arms of which nothing is known → heats: all of them lap by lap, each time in other company.

A lap deals every arm once. Where they do not fill its last heat, some are in two of its heats; whose turn that is goes
round as well. So after every pull all arms were dealt as often as each other, or once more.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Indices, Words
from heats.base.randomness import Purpose, draw_bits
from heats.engine.adaptive.dealing.keys import ONE_PULL, make_keys
from heats.engine.adaptive.dealing.repeats import Repeats


def draw_luck(roots: Words, n_arms: int, lap: int | Indices = 0) -> Indices:
    """Return which of equal arms comes first: 0, then 1, …; more arms leave the order of the others as it is."""
    luck = draw_bits(roots[..., None], Purpose.DEAL, lap, np.arange(n_arms))
    return np.argsort(np.argsort(luck, axis=-1), axis=-1)


def deal_laps(roots: Words, n_arms: int, size: int, pulls: int, repeats: Repeats | None) -> Indices:
    """Return the heats of every run ``(reps, pulls, size)``."""
    heats_each = -(-n_arms // size)  # of a lap
    twice = heats_each * size - n_arms  # arms of a lap that are in two heats: they take turns
    laps = np.arange(-(-pulls // heats_each))[:, None]
    luck = draw_luck(roots[:, None], n_arms, laps)  # (reps, laps, arms)
    turns, turns_over = luck[:, :1], laps * twice % n_arms  # this time round
    had_turn = turns < turns_over
    has_turn = (turns - turns_over) % n_arms < twice
    order = np.lexsort((luck, ~has_turn, had_turn))
    heats = np.concatenate([order, order[..., :twice]], axis=2).reshape(len(roots), -1, size)[:, :pulls]
    return heats if repeats is None else _replace_full(heats, repeats, luck[:, 0])


def _replace_full(heats: Indices, repeats: Repeats, luck: Indices) -> Indices:
    """Return heats in which no set is dealt more often than it may be; arms that were dealt least take the places."""
    keys, dealt = make_keys(np.zeros(luck.shape), np.zeros_like(luck), luck), heats.copy()
    for pull in range(heats.shape[1]):
        dealt[:, pull] = heat = repeats.deal(heats[:, pull], keys)
        np.put_along_axis(keys, heat, np.take_along_axis(keys, heat, axis=1) - ONE_PULL, axis=1)
    return dealt
