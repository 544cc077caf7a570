"""The pulls of the last heat → how sure it is, as an interval and in a sentence."""

from __future__ import annotations

import msgspec
import numpy as np

from heats.base.arrays import Array
from heats.base.intervals import binomial_interval, mean_interval
from heats.base.randomness import Purpose, draw_bits, pick_below
from heats.engine.feedback import Kind
from heats.engine.scoring import choose_level
from heats.engine.statistics import Statistic

CONFIDENCE = 0.95
AVERAGES = ("mean", "linear")  # statistics whose lead is a mean of rewards
FEWEST_TO_RESAMPLE = 10  # below, a bootstrap interval is far too narrow


class Sureness(msgspec.Struct, frozen=True):
    """An interval for the last heat: the winner's share of wins, how often it was ahead of the runner-up, or its lead.

    It treats the pulls of the last heat as independent, speaks of that heat alone (not of the arms that left
    before) and of a winner picked because it came out on top, which makes it somewhat too favourable.
    """

    quantity: str  # "share" (of wins), "ahead" (of the runner-up, share of pulls) or "lead" (in score)
    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    pulls: int


def judge_heat(observations: Array, statistic: Statistic, kind: Kind, seed: np.uint64) -> Sureness | None:
    """Say how sure a heat is, of which ``observations (pulls, size)`` stand best arm first."""
    if kind is Kind.REWARDS and statistic.name in AVERAGES:
        values = statistic.per_pull(observations) if statistic.per_pull else observations
        return _lead(values[:, 0] - values[:, 1])
    return _in_other_words(observations, statistic, kind, seed)


def _in_other_words(observations: Array, statistic: Statistic, kind: Kind, seed: np.uint64) -> Sureness | None:
    """Return how sure a heat is where the lead is not a mean of rewards."""
    if kind in (Kind.WINNER, Kind.RACE):
        return _share(observations[:, 0])
    if kind is Kind.REWARDS and statistic.per_pull is None:
        return _bootstrap(observations, statistic, seed)
    return _ahead(observations[:, 0], observations[:, 1])


def _ahead(ours: Array, theirs: Array) -> Sureness:
    """Return in which share of the pulls the winner was ahead of the runner-up, ties counting half."""
    ahead = (ours > theirs) + 0.5 * (ours == theirs)
    low, high = binomial_interval(float(ahead.sum()), ahead.size, CONFIDENCE)
    return Sureness("ahead", float(ahead.mean()), low, high, CONFIDENCE, "Clopper-Pearson", ahead.size)


def _share(wins: Array) -> Sureness:
    low, high = binomial_interval(float(wins.sum()), wins.size, CONFIDENCE)
    return Sureness("share", float(wins.mean()), low, high, CONFIDENCE, "Clopper-Pearson", wins.size)


def _lead(leads: Array) -> Sureness | None:
    """Return an interval for the mean lead of the first arm over the second; None from a single pull."""
    if len(leads) < 2:
        return None
    low, high = mean_interval(leads, CONFIDENCE)
    return Sureness("lead", float(leads.mean()), low, high, CONFIDENCE, "paired Student t", leads.size)


def _bootstrap(observations: Array, statistic: Statistic, seed: np.uint64) -> Sureness | None:
    """Resample the pulls (seeded) for a statistic that is not a mean over pulls; None from too few to resample."""
    pulls = len(observations)
    if pulls < FEWEST_TO_RESAMPLE:
        return None
    if statistic.equivariant:
        observations = observations - choose_level(observations.min(), observations.max())
    resamples = int(np.clip(20_000_000 // observations.size, 100, 1000))
    which = (draw_bits(seed, Purpose.RESAMPLE, sample, np.arange(pulls)) for sample in range(resamples))
    try:
        scores = np.array([statistic(observations[None, pick_below(pulls, words)])[0, :2] for words in which])
        lead = float(np.subtract(*statistic(observations[None])[0, :2]))
    except Exception:  # a user's function that fails on anything but the pulls themselves must not cost the result
        return None
    low, high = np.quantile(scores[:, 0] - scores[:, 1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Sureness("lead", lead, float(low), float(high), CONFIDENCE, "bootstrap", pulls)


def how_sure(sure: Sureness) -> str:
    """Say in a sentence how sure the last heat is."""
    interval = f"{sure.confidence:.0%} interval {sure.low:.3g} to {sure.high:.3g}"
    pulls = "only pull" if sure.pulls == 1 else f"{sure.pulls} pulls"
    if sure.quantity == "share" and sure.estimate == 0:
        return f"won none of the {pulls} of the last heat: earlier rounds, or chance, decided"
    if sure.quantity == "share":
        return f"won {sure.estimate:.0%} of the {pulls} of the last heat ({interval})"
    if sure.quantity == "ahead":
        return f"ahead of the runner-up in {sure.estimate:.0%} of the {pulls} of the last heat ({interval})"
    if sure.low == sure.high:
        return f"leads by {sure.estimate:.3g} in every one of the {pulls} of the last heat"
    if sure.estimate < 0:  # possible where the record outranks the heat
        return f"ahead on record, but behind by {-sure.estimate:.3g} over the {pulls} of the last heat ({interval})"
    return f"leads by {sure.estimate:.3g} over the {pulls} of the last heat ({interval})"
