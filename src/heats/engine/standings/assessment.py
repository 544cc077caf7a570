"""All that was told → what is known of every arm: its chance to be the best, its strength, its chance to be better.

For winners, rankings and rewards that are scored by a mean that is read off the posterior; for other statistics
comparisons are resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from heats.base.arrays import Array, Indices, Words
from heats.engine.belief.data import collect
from heats.engine.belief.evidence import Evidence, Rewards, gather
from heats.engine.belief.posterior import Posterior, find_posterior
from heats.engine.belief.settings import INTERVAL
from heats.engine.belief.strengths import describe_strengths
from heats.engine.evidence.told import Told
from heats.engine.feedback import Kind
from heats.engine.standings.resampling import resample
from heats.engine.statistics import Statistic, win_rate

TAILS = ((1 - INTERVAL) / 2, (1 + INTERVAL) / 2)

Method: TypeAlias = Literal["choices", "effects", "resampling", "none"]


class Assessment(NamedTuple):
    """What is known of all arms; NaN where it is not."""

    method: Method
    order: Indices  # of the arms, best first
    strengths: Array
    lows: Array
    highs: Array
    chances: Array
    better: Array  # chance to be better than the arm of reference
    spread: float | None = None
    level: float = 0.0  # what strengths and their intervals are less than the statistic: they are to be compared
    contextual: float | None = None  # chance that results depend on who is compared with whom; None: not assessed


def assess_arms(
    told: Sequence[Told],
    kind: Kind | None,
    statistic: Statistic,
    n_arms: int,
    winner: int | None,
    luck: Indices,
    seed: Words,
) -> Assessment:
    """Return what is known of all arms, and how likely each is better than the winner, or than the first."""
    evidence = gather_told(told, kind, statistic, n_arms)
    if evidence is not None:
        return _describe(evidence, find_posterior(evidence), winner, luck)
    if kind is Kind.REWARDS and statistic.per_pull is None:
        return _resample_strengths(told, statistic, n_arms, winner, luck, seed)
    return _all_alike(n_arms, winner, luck)


def gather_told(told: Sequence[Told], kind: Kind | None, statistic: Statistic, n_arms: int) -> Evidence | None:
    """Return the evidence of what was told; None if nothing sets arms apart, or the statistic is not a mean."""
    if kind is None or (kind is Kind.REWARDS and statistic.per_pull is None):
        return None
    by_size: dict[int, list[tuple[Indices, Array]]] = {}
    for each in told:
        observations = each.observations
        if kind is Kind.REWARDS and statistic.per_pull is not None:
            observations = statistic.per_pull(observations)
        by_size.setdefault(each.arms.shape[1], []).append((each.arms, observations))
    if kind is Kind.REWARDS and statistic is win_rate:
        kind = Kind.WINNER
    parts = []
    for pairs in by_size.values():
        arms, rows = (np.concatenate(part)[None] for part in zip(*pairs, strict=True))
        parts.append(collect(arms, rows, np.ones(arms.shape[:2], dtype=bool)))
    evidence = gather(kind, parts, n_arms)
    return None if evidence.is_empty else evidence


def _all_alike(n_arms: int, winner: int | None, luck: Indices) -> Assessment:
    unknown, better = np.full(n_arms, np.nan), np.full(n_arms, 0.5)
    if winner is not None:
        better[winner] = 0
    alike = np.full(n_arms, 1 / n_arms)
    return Assessment("none", np.argsort(luck), np.zeros(n_arms), unknown, unknown, alike, better)


def _describe(evidence: Evidence, posterior: Posterior, winner: int | None, luck: Indices) -> Assessment:
    """Return what the posterior says of the arms of one run."""
    order, chances, contextual = posterior.rank(luck[None])[0], posterior.chances[0], float(posterior.contextual[0])
    reference = int(order[0]) if winner is None else winner
    found = describe_strengths(posterior.consistent, reference)
    is_rewards = isinstance(evidence, Rewards)
    unit = float(evidence.scale[0]) if isinstance(evidence, Rewards) else 1.0
    both = chances + chances[reference]
    share = np.divide(chances, both, out=np.full(chances.size, 0.5), where=both > 0)
    better = contextual * share + (1 - contextual) * found.stronger
    better[reference] = 0.0
    return Assessment(
        method="effects" if is_rewards else "choices",
        order=order,
        strengths=unit * found.means,
        lows=unit * found.lows,
        highs=unit * found.highs,
        chances=chances,
        better=better,
        spread=unit * found.spread,
        contextual=contextual if _are_in_company(evidence) else None,
    )


def _are_in_company(evidence: Evidence) -> bool:
    """Whether different sets of arms were compared; else nothing can depend on which."""
    return sum(part.sets.runs.size for part in evidence.parts) > 1


def _resample_strengths(
    told: Sequence[Told], statistic: Statistic, n_arms: int, winner: int | None, luck: Indices, seed: Words
) -> Assessment:
    found = resample(told, statistic, n_arms, seed) if told else None
    strengths, lows, highs, chances, better = (np.full(n_arms, np.nan) for _ in range(5))
    if found is not None:
        best = found.draws == found.draws.max(axis=0)
        strengths[found.arms] = found.values
        lows[found.arms], highs[found.arms] = np.quantile(found.draws, TAILS, axis=1)
        chances[found.arms] = (best / best.sum(axis=0)).mean(axis=1)
        reference = int(found.arms[found.values.argmax()]) if winner is None else winner
        if reference in found.arms:
            better[found.arms] = (found.draws > found.draws[found.arms == reference]).mean(axis=1)
    order = np.lexsort((luck, _largest_first(chances), _largest_first(strengths)))
    level = 0.0 if found is None else found.level
    return Assessment("resampling", order, strengths, lows, highs, chances, better, level=level)


def _largest_first(values: Array) -> Array:
    """Return what sorts the largest first and the unknown last."""
    return np.where(np.isnan(values), np.inf, -values)
