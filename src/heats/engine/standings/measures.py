"""All that was told, counted: pulls, wins, places and leads of every arm, and how two of them did head to head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.evidence.told import Told
from heats.engine.feedback import Kind
from heats.engine.scoring import center_rows
from heats.engine.statistics import Statistic, win_rate, winner_shares


class HeadToHead(msgspec.Struct, frozen=True):
    """How two arms did in the pulls that both were in; in the rest of ``met`` neither was ahead."""

    arm: int
    other: int
    met: int
    won: int
    lost: int


def count_meetings(told: Sequence[Told], arm: int, other: int) -> HeadToHead:
    """Count how two arms did against each other."""
    met = won = lost = 0
    for each in told:
        both = (each.arms == arm).any(axis=1) & (each.arms == other).any(axis=1)
        arms, observed = each.arms[both], each.observations[both]
        ours, theirs = observed[arms == arm], observed[arms == other]
        met += int(both.sum())
        won += int((ours > theirs).sum())
        lost += int((ours < theirs).sum())
    return HeadToHead(arm, other, met, won, lost)


class Measures(NamedTuple):
    """Of every arm, how often it was pulled, and the one measure that suits the feedback; the others are None."""

    pulls: Indices
    wins: Array | None = None
    mean_places: Array | None = None  # NaN for arms never seen
    mean_leads: Array | None = None  # likewise


def take_measures(told: Sequence[Told], kind: Kind | None, statistic: Statistic, n_arms: int) -> Measures:
    """Count what every arm did."""
    pulls = _add_up(told, [np.ones(each.arms.shape) for each in told], n_arms).astype(np.int64)
    if kind is Kind.REWARDS and statistic is win_rate:
        return Measures(pulls, wins=_add_up(told, [winner_shares(each.observations) for each in told], n_arms))
    if kind in (None, Kind.WINNER, Kind.RACE):
        return Measures(pulls, wins=_add_up(told, [each.observations for each in told], n_arms))
    if kind is Kind.REWARDS:
        return Measures(pulls, mean_leads=_average(_add_up(told, _find_leads(told), n_arms), pulls))
    sizes = [each.arms.shape[1] for each in told]
    places = [size - each.observations * (size - 1) for each, size in zip(told, sizes, strict=True)]
    return Measures(pulls, mean_places=_average(_add_up(told, places, n_arms), pulls))


def _find_leads(told: Sequence[Told]) -> list[Array]:
    """Return rewards less what arms that were pulled together have in common; those pulled alone, all of them."""
    leads = [center_rows(each.observations) for each in told]
    alone = [number for number, each in enumerate(told) if each.arms.shape[1] == 1]
    if alone:
        apart = center_rows(np.concatenate([told[number].observations[:, 0] for number in alone]))[:, None]
        cuts = np.cumsum([len(told[number].arms) for number in alone])[:-1]
        for number, part in zip(alone, np.split(apart, cuts), strict=True):
            leads[number] = part
    return leads


def _add_up(told: Sequence[Told], values: Sequence[Array], n_arms: int) -> Array:
    """Return the sum of the values of every arm."""
    total = np.zeros(n_arms)
    for each, row in zip(told, values, strict=True):
        total += np.bincount(each.arms.ravel(), weights=row.ravel(), minlength=n_arms)
    return total


def _average(total: Array, pulls: Indices) -> Array:
    average: Array = np.divide(total, pulls, out=np.full(total.size, np.nan), where=pulls > 0)
    return average
