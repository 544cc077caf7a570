"""Pulls of heats → scores: which statistic goes with which feedback, and pulls without a verdict left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.text import end_sentence
from heats.engine.feedback import Kind
from heats.engine.statistics import FACTORIES, Statistic, StatisticLike, mean, win_rate
from heats.errors import BadFeedback, InvalidArgument
from heats.planning.plan import FeedbackHint

FAR = 1000.0  # times what numbers differ by: up to there from zero, sums of them lose no more than three digits


class Seen(NamedTuple):
    """What the pulls of heats said: scores and mean observations ``(..., size)``, and how many had a verdict.

    They are there to be compared: of rewards far from zero they are less a *level*, so that nothing is lost. ``shown``
    are the scores as people know them, where these differ. A heat without any verdict has scores and means of 0.
    """

    scores: Array
    means: Array
    verdicts: Indices | int  # of every heat, or of all alike
    shown: Array | None = None


def see(
    statistic: Statistic,
    kind: Kind | None,
    observations: Array,
    heard: Mask | None = None,
    *,
    level: Array | None = None,
    show: bool = False,
) -> Seen:
    """Score heats ``(..., pulls, size)`` by those of their pulls that were ``heard``, which None says of all.

    The level of rewards is that of their heat, unless scores of different heats are compared, and so need a common one.
    """
    if kind is Kind.REWARDS and level is None:
        level = find_level(observations, heard)
    if kind is not Kind.REWARDS or level is None or not level.any():
        return _see(statistic, kind, observations, observations, heard)
    moved = observations - level
    seen = _see(statistic, kind, moved if statistic.equivariant else observations, moved, heard)
    return seen._replace(shown=_see(statistic, kind, observations, moved, heard).scores) if show else seen


def _see(statistic: Statistic, kind: Kind | None, scored: Array, averaged: Array, heard: Mask | None) -> Seen:
    if heard is None:
        assert kind is not None
        scores = score(statistic, kind, scored)
        is_mean = statistic is mean and kind is Kind.REWARDS
        return Seen(scores, scores if is_mean else averaged.mean(axis=-2), scored.shape[-2])
    verdicts = heard.sum(axis=-1)
    scores = np.zeros((*verdicts.shape, scored.shape[-1]))
    means = np.zeros(scores.shape)
    for count in np.unique(verdicts[verdicts > 0]).tolist():  # heats with equally many verdicts at once
        assert kind is not None
        heats = verdicts == count
        pulls, levelled = (each[heats][heard[heats]].reshape(-1, count, each.shape[-1]) for each in (scored, averaged))
        scores[heats] = score(statistic, kind, pulls)
        means[heats] = levelled.mean(axis=-2)
    return Seen(scores, means, verdicts)


def find_level(observations: Array, heard: Mask | None, *, of_runs: bool = False) -> Array:
    """Return the level of the observations that had a verdict in every heat, or run, which the first axis counts."""
    if heard is None and observations.shape[-2] > 1:
        level = find_level(observations[..., :1, :], None, of_runs=of_runs)
        if not level.any():  # then all pulls have none either
            return level
    axes = tuple(range(1, observations.ndim)) if of_runs else (-2, -1)
    known = True if heard is None else heard[..., None]
    high = observations.max(axis=axes, keepdims=True, where=known, initial=-np.inf)
    return choose_level(observations.min(axis=axes, keepdims=True, where=known, initial=np.inf), high)


def choose_level(low: Array, high: Array) -> Array:
    """Return the highest of numbers that all are far from zero, beside what they differ by; of others 0.

    Less that, sums lose nothing that was told; and no number that is near zero loses its digits to one that is not.
    """
    is_far = np.isfinite(high) & (np.abs(high) > FAR * (high - low))  # of no numbers at all it is not finite
    return np.where(is_far, high, 0.0)


def center_rows(rows: Array) -> Array:
    """Return rows less their means; first less one of their numbers, so that those far from zero lose nothing."""
    moved = rows - rows[..., :1]
    centered: Array = moved - moved.mean(axis=-1, keepdims=True)
    return centered


def score(statistic: Statistic, kind: Kind, observations: Array) -> Array:
    """Score heats ``(..., pulls, size)``, checking what a function from outside may get wrong.

    It is called with three axes, whatever there are. Winner shares are simple fractions whose float sums may differ
    in the last bit although they are equal; they are rounded to twelve decimals, so that a tie is a tie.
    """
    adapted = adapt_to_kind(statistic, kind)
    heats = observations.reshape(-1, *observations.shape[-2:])
    try:
        scores = np.asarray(adapted(heats), dtype=np.float64)
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidArgument(
            f"the statistic {statistic!r} failed on observations of shape {heats.shape}: {end_sentence(error)}"
        ) from error
    expected = (len(heats), heats.shape[-1])
    if scores.shape != expected:
        raise InvalidArgument(
            f"the statistic {statistic!r} turned observations of shape {heats.shape} into scores of shape "
            f"{scores.shape}; it must average over the pulls, the last axis but one, and return {expected}."
        )
    if not np.isfinite(scores).all():
        raise InvalidArgument(
            f"the statistic {statistic!r} gave scores that are not finite; use one that is defined for this feedback."
        )
    return (settle(scores) if averages_shares(adapted, kind) else scores).reshape(*observations.shape[:-2], -1)


def averages_shares(adapted: Statistic, kind: Kind) -> bool:
    """Whether the scores of an adapted statistic are means of shares: simple fractions between 0 and 1."""
    return adapted is win_rate or (adapted is mean and kind is not Kind.REWARDS)


def settle(values: Array) -> Array:
    """Round sums of simple fractions, so that equal ones compare equal."""
    return np.round(values, 12)


def adapt_to_kind(statistic: Statistic, kind: Kind) -> Statistic:
    """Return the statistic to use for a kind of feedback, or refuse one that makes no sense for it.

    Observations of every kind are numbers, so any statistic of them is defined, but a race is stopped at
    the first finisher: only who won is known, and anything but the win rate would read more into it.
    """
    if kind is Kind.RACE and statistic is not mean and statistic is not win_rate:
        raise BadFeedback(
            f"{statistic!r} makes no sense for a race: the losers were stopped, so only who won is known. "
            "Use heats.mean or heats.win_rate, or tell rewards."
        )
    if statistic is win_rate and kind in (Kind.WINNER, Kind.RACE):
        return mean  # the observations are winner shares already; only so does nobody winning count for nobody
    return statistic


def as_statistic(statistic: StatisticLike, sizes: Sequence[int]) -> Statistic:
    """Return a named statistic that can score heats of these sizes; a plain function goes by its own name."""
    if not callable(statistic):
        raise InvalidArgument(
            "{statistic} must be heats.mean, another statistic of heats, or a function.", statistic=statistic
        )
    for factory in FACTORIES:
        if statistic is factory:
            name = f"heats.{factory.__name__}"
            raise InvalidArgument(f"{name} needs its parameter first: pass what {name}(…) returns.")
    if not isinstance(statistic, Statistic):
        name = getattr(statistic, "__qualname__", "custom")
        statistic = Statistic(name, statistic, check_size=partial(_try_on_two_heats, statistic))
    for size in sorted(set(sizes)):
        statistic.check_size(size)
    return statistic


def _try_on_two_heats(function: Callable[[Array], Array], size: int) -> None:
    """Try a function from outside on made-up heats, before anything is spent on it."""
    score(Statistic(getattr(function, "__qualname__", "custom"), function), Kind.REWARDS, np.ones((2, 3, size)))


def is_meant(hint: FeedbackHint, kind: Kind, statistic: Statistic) -> bool:
    """Whether a kind of feedback is what a hint speaks of, or numbers that the statistic makes into that."""
    made_into = "winner" if statistic is win_rate else "ranking" if statistic.name == "positional" else ""
    return kind in _MEANT[hint] or (kind is Kind.REWARDS and hint == made_into)


_MEANT = {
    "reward": (Kind.REWARDS,),
    "winner": (Kind.WINNER, Kind.RACE, Kind.BEST_WORST),
    "ranking": (Kind.RANKING, Kind.BEST_WORST),
}


def expected_feedback(statistic: object) -> FeedbackHint | None:
    """Return what a statistic is made for, where that can be said: a hint for planning."""
    if statistic is win_rate:
        return "winner"
    name = statistic.name if isinstance(statistic, Statistic) and statistic.ours else None
    if name == "positional":
        return "ranking"
    return "reward" if name in ("median", "power_mean", "quantile", "expected_shortfall") else None
