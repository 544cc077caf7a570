"""All that was told → what is known of every arm's strength, by the model that suits what was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from heats.base.arrays import Array, Words
from heats.base.threads import use_one_thread
from heats.engine.evidence.told import Told
from heats.engine.feedback import Kind
from heats.engine.standings.choices import find_choices
from heats.engine.standings.effects import find_effects
from heats.engine.standings.models import ChoiceModel, EffectModel, Model
from heats.engine.standings.posterior import Posterior, explore, mark_alike
from heats.engine.standings.resampling import resample
from heats.engine.statistics import Statistic, win_rate

CONFIDENCE = 0.95
TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
NORMAL_REACH = 1.959964  # standard deviations of a normal interval

Method: TypeAlias = Literal["choices", "effects", "resampling", "none"]


class Strengths(NamedTuple):
    """What is known of all arms; NaN where it is not."""

    method: Method
    strengths: Array
    lows: Array
    highs: Array
    chances: Array
    stronger: Array  # chance to be stronger than the arm of reference
    spread: float | None = None
    approximate: bool = False
    level: float = 0.0  # less which strengths and their intervals are: they are to be compared


def find_strengths(
    told: Sequence[Told], kind: Kind | None, statistic: Statistic, n_arms: int, winner: int | None, seed: Words
) -> Strengths:
    """Return what is known of all arms, and how likely each is stronger than the winner, or than the strongest."""
    if kind is None:
        return _all_alike(n_arms, winner)
    if kind is not Kind.REWARDS or statistic is win_rate:
        choices = find_choices(kind, told, n_arms)
        model: Model | None = None if choices is None else ChoiceModel(choices)
        return _draw_strengths(model, "choices", n_arms, winner, seed)
    if statistic.per_pull is not None:
        effects = find_effects(told, statistic.per_pull, n_arms)
        if effects is None:
            return _all_alike(n_arms, winner)
        return _scale(_draw_strengths(EffectModel(effects), "effects", n_arms, winner, seed), effects.scale)
    return _resample_strengths(told, statistic, n_arms, winner, seed)


def _all_alike(n_arms: int, winner: int | None) -> Strengths:
    unknown, stronger = np.full(n_arms, np.nan), np.full(n_arms, 0.5)
    if winner is not None:
        stronger[winner] = 0
    return Strengths("none", np.zeros(n_arms), unknown, unknown, np.full(n_arms, 1 / n_arms), stronger)


def _draw_strengths(model: Model | None, method: Method, n_arms: int, winner: int | None, seed: Words) -> Strengths:
    """Return what draws of the posterior say; without a model, nothing that was told sets arms apart."""
    if model is None:
        return _all_alike(n_arms, winner)
    with use_one_thread():
        found = explore(model, n_arms, seed, winner)
    middle = found.strengths.mean()
    draws = found.draws - (middle if found.approximate else found.draws.mean(axis=0))
    strengths = found.strengths - middle
    lows, highs = strengths - NORMAL_REACH * found.deviations, strengths + NORMAL_REACH * found.deviations
    chances, stronger = np.zeros(n_arms), np.zeros(n_arms)
    strengths[found.drawn] = draws.mean(axis=1)
    lows[found.drawn], highs[found.drawn] = np.quantile(draws, TAILS, axis=1)
    chances[found.drawn] = np.bincount(draws.argmax(axis=0), minlength=len(draws)) / draws.shape[1]
    reference = int(strengths.argmax()) if winner is None else winner
    stronger[found.drawn] = (draws > draws[found.drawn == reference]).mean(axis=1)
    strengths, lows, highs, chances = _share_alike(found, (strengths, lows, highs, chances))
    return Strengths(method, strengths, lows, highs, chances, stronger, found.spread, found.approximate)


def _scale(found: Strengths, unit: float) -> Strengths:
    """Return what was found in another unit in the units of rewards."""
    spread = None if found.spread is None else found.spread * unit
    strengths, lows, highs = found.strengths * unit, found.lows * unit, found.highs * unit
    return found._replace(strengths=strengths, lows=lows, highs=highs, spread=spread)


def _share_alike(found: Posterior, columns: Sequence[Array]) -> list[Array]:
    """Give arms of which the same is known the mean of what draws gave them: else luck would tell them apart."""
    known = mark_alike(found.strengths, found.deviations)
    group = np.unique(known, axis=1, return_inverse=True)[1].reshape(-1)
    return [(np.bincount(group, weights=each) / np.bincount(group))[group] for each in columns]


def _resample_strengths(
    told: Sequence[Told], statistic: Statistic, n_arms: int, winner: int | None, seed: Words
) -> Strengths:
    found = resample(told, statistic, n_arms, seed)
    strengths, lows, highs, chances, stronger = (np.full(n_arms, np.nan) for _ in range(5))
    if found is not None:
        best = found.draws == found.draws.max(axis=0)
        strengths[found.arms] = found.values
        lows[found.arms], highs[found.arms] = np.quantile(found.draws, TAILS, axis=1)
        chances[found.arms] = (best / best.sum(axis=0)).mean(axis=1)
        reference = int(found.arms[found.values.argmax()]) if winner is None else winner
        if reference in found.arms:
            stronger[found.arms] = (found.draws > found.draws[found.arms == reference]).mean(axis=1)
    level = 0.0 if found is None else found.level
    return Strengths("resampling", strengths, lows, highs, chances, stronger, level=level)
