"""Pulls drawn again and again with replacement, for statistics that are not means: a bootstrap.

Pulls are drawn heat by heat, so that every arm keeps as many as it had, and whole, so that arms that met keep their
common luck. An arm's value is the statistic of all its rewards. Below ``FEWEST_TO_RESAMPLE`` pulls nothing is said of
an arm: there a bootstrap is far too sure of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Words
from heats.base.randomness import draw_units
from heats.engine.evidence.told import Told
from heats.engine.scoring import choose_level
from heats.engine.statistics import Statistic

FEWEST_TO_RESAMPLE = 10
MOST_RESAMPLES = 1000
FEWEST_RESAMPLES = 100
MOST_VALUES = 20_000_000  # of all resamples together


class Resampled(NamedTuple):
    """Values of the arms that have pulls enough: as they are, and as they might have been; both less a ``level``."""

    arms: Indices
    values: Array  # (arms,)
    draws: Array  # (arms, resamples)
    level: float


def resample(told: Sequence[Told], statistic: Statistic, n_arms: int, seed: Words) -> Resampled | None:
    """Return what the values of arms might have been; None if no arm has pulls enough, or the statistic fails."""
    pulls = np.bincount(np.concatenate([each.arms.ravel() for each in told]), minlength=n_arms)
    arms = np.flatnonzero(pulls >= FEWEST_TO_RESAMPLE)
    if not arms.size:
        return None
    resamples = int(np.clip(MOST_VALUES // pulls.sum(), FEWEST_RESAMPLES, MOST_RESAMPLES))
    every = np.concatenate([each.observations.ravel() for each in told])
    level = float(choose_level(every.min(), every.max())) if statistic.equivariant else 0.0
    seen: dict[int, list[Array]] = {arm: [] for arm in arms.tolist()}  # rows: as it was, then every resample
    for number, (members, rewards) in enumerate(_list_heats(told)):
        units = draw_units(seed, number, (resamples, len(rewards)))
        which = np.concatenate([np.arange(len(rewards))[None], (units * len(rewards)).astype(np.int64)])
        for column, arm in enumerate(members.tolist()):
            if arm in seen:
                seen[arm].append(rewards[which, column] - level)
    try:
        values = np.array([statistic(np.concatenate(rows, axis=1)[..., None])[:, 0] for rows in seen.values()])
    except Exception:  # a user's function that fails on anything but the pulls themselves must not cost the result
        return None
    return Resampled(arms, values[:, 0], values[:, 1:], level) if np.isfinite(values).all() else None


def _list_heats(told: Sequence[Told]) -> list[tuple[Indices, Array]]:
    """Return the arms of every heat, and its rewards ``(pulls, size)`` in their order."""
    heats = []
    for each in told:
        order = np.argsort(each.arms, axis=1)
        arms, rewards = (np.take_along_axis(values, order, axis=1) for values in (each.arms, each.observations))
        for heat in np.unique(each.heats).tolist():
            here = each.heats == heat
            heats.append((arms[here][0], rewards[here]))
    return heats
