"""What a run has to say for itself, at any time: plain data, equal to the byte for equal runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from heats.base.arrays import Array
from heats.base.intervals import binomial_interval, mean_interval
from heats.base.randomness import Purpose, draw_bits, pick_below
from heats.base.text import format_table, make_printable
from heats.engine.feedback import Kind
from heats.engine.statistics import Statistic

CONFIDENCE = 0.95
AVERAGES = ("mean", "linear")  # statistics whose lead is a mean of rewards
FEWEST_TO_RESAMPLE = 10  # below, a bootstrap interval is far too narrow


class RoundReport(msgspec.Struct, frozen=True):
    """One finished round: heats with their arms best first, their scores (None if nobody looked), who rested."""

    heats: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...] | None
    keep: int
    pulls: int
    byes: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()  # the arms of the next round, in increasing order; follows from the rest

    def __post_init__(self) -> None:
        kept = [arm for heat in self.heats for arm in heat[: self.keep]]
        msgspec.structs.force_setattr(self, "survivors", tuple(sorted([*kept, *self.byes])))


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


class Report(msgspec.Struct, frozen=True):
    """The state of a run. ``rivals`` are the arms of the last heat that cannot be told apart from the winner."""

    algorithm: str
    n_arms: int
    budget: int
    spent: int
    no_verdicts: int  # of these, pulls that said nothing
    done: bool
    winner: int | None
    runner_up: int | None
    rivals: tuple[int, ...] | None  # None: not assessed
    sureness: Sureness | None
    rounds: tuple[RoundReport, ...]

    def to_json(self) -> str:
        """Return the report as JSON; it holds nothing from the clock, the host or the workers."""
        return msgspec.json.encode(self).decode()

    def __str__(self) -> str:
        return describe_report(self, [f"arm {arm}" for arm in range(self.n_arms)])


def judge(
    arms: Sequence[int], observations: Array, statistic: Statistic, kind: Kind, seed: np.uint64
) -> tuple[Sureness | None, tuple[int, ...]]:
    """Say how sure a heat is, and which of its arms the pulls cannot tell apart from the winner.

    ``arms`` come best first, ``observations (pulls, size)`` in their order.
    """
    if kind is Kind.REWARDS and statistic.name in AVERAGES:
        leads = _leads(statistic.per_pull(observations) if statistic.per_pull else observations)
        apart = [lead is not None and lead.low > 0 for lead in leads]
        sureness = leads[0]
    else:
        apart = [_wins_more(observations[:, 0], observations[:, other]) for other in range(1, len(arms))]
        sureness = _in_other_words(observations, statistic, kind, seed)
    return sureness, tuple(arm for arm, ruled_out in zip(arms[1:], apart, strict=True) if not ruled_out)


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


def _wins_more(ours: Array, theirs: Array) -> bool:
    """Say whether the first arm won more of the pulls that set the two apart than chance allows (sign test)."""
    won, lost = int((ours > theirs).sum()), int((ours < theirs).sum())
    return won > 0 and binomial_interval(won, won + lost, CONFIDENCE)[0] > 0.5


def _leads(values: Array) -> list[Sureness | None]:
    """Return an interval for the mean lead of the first arm over each of the others; None from a single pull."""
    if len(values) < 2:
        return [None] * (values.shape[1] - 1)
    return [
        Sureness(
            "lead", float(each.mean()), *mean_interval(each, CONFIDENCE), CONFIDENCE, "paired Student t", each.size
        )
        for each in (values[:, :1] - values[:, 1:]).T
    ]


def _bootstrap(observations: Array, statistic: Statistic, seed: np.uint64) -> Sureness | None:
    """Resample the pulls (seeded) for a statistic that is not a mean over pulls; None from too few to resample."""
    pulls = len(observations)
    if pulls < FEWEST_TO_RESAMPLE:
        return None
    resamples = int(np.clip(20_000_000 // observations.size, 100, 1000))
    which = (draw_bits(seed, Purpose.RESAMPLE, sample, np.arange(pulls)) for sample in range(resamples))
    try:
        scores = np.array([statistic(observations[None, pick_below(pulls, words)])[0, :2] for words in which])
        lead = float(np.subtract(*statistic(observations[None])[0, :2]))
    except Exception:  # a user's function that fails on anything but the pulls themselves must not cost the result
        return None
    low, high = np.quantile(scores[:, 0] - scores[:, 1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Sureness("lead", lead, float(low), float(high), CONFIDENCE, "bootstrap", pulls)


def describe_report(report: Report, names: Sequence[str]) -> str:
    """Return the report as text for people, with ``names`` for the arms."""
    return "\n".join(_lines(report, names))


def _lines(report: Report, names: Sequence[str]) -> Iterator[str]:
    if report.winner is None or report.runner_up is None:
        yield f"not decided yet: {len(report.rounds)} rounds finished"
    else:
        yield f"winner:     {make_printable(names[report.winner])}"
        yield f"runner-up:  {make_printable(names[report.runner_up])}"
    if report.sureness is not None:
        yield f"how sure:   {how_sure(report.sureness)}"
    elif report.done:
        yield "how sure:   not known: too few pulls of a last heat to tell"
    if report.rivals:
        yield f"not told apart from the winner: {', '.join(make_printable(names[arm]) for arm in report.rivals)}"
    yield f"pulls:      {report.spent} of {report.budget}"
    if report.rounds:
        yield ""
        titles = ("round", "arms", "pulls each", "stay")
        yield from format_table(titles, [_row(number, each) for number, each in enumerate(report.rounds, 1)])


def _row(number: int, each: RoundReport) -> tuple[int, ...]:
    arms = sum(map(len, each.heats)) + len(each.byes)
    return number, arms, each.pulls, len(each.survivors)


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
