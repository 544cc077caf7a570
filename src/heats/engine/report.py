"""What a run has to say for itself, at any time: plain data, equal to the byte for equal runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices
from heats.base.frames import Frame, Library, make_frame
from heats.base.intervals import binomial_interval, mean_interval
from heats.base.markup import fold, make_html_table, make_paragraph
from heats.base.plots import Axes
from heats.base.randomness import Purpose, draw_bits, pick_below
from heats.base.text import count_things, format_table, make_printable
from heats.engine.evidence import Told
from heats.engine.feedback import Kind
from heats.engine.pulls import list_pulls
from heats.engine.standings import (
    HeadToHead,
    Standings,
    describe_standings,
    plot_standings,
    say_chance,
    tabulate,
)
from heats.engine.statistics import Statistic
from heats.errors import InvalidArgument

CONFIDENCE = 0.95
AVERAGES = ("mean", "linear")  # statistics whose lead is a mean of rewards
ROUND_TITLES = ("round", "arms", "pulls each", "stay")
BATCH_TITLES = ("batch", "pulls", "candidates", "most often")
BATCHES_SHOWN = 30  # of a long table in a text
ROWS_IN_NOTEBOOK = 20  # of the standings
FEWEST_TO_RESAMPLE = 10  # below, a bootstrap interval is far too narrow


class RoundReport(msgspec.Struct, frozen=True):
    """One finished round: heats with their arms best first, their scores (None if nobody looked), who rested."""

    heats: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...] | None
    keep: int
    pulls: int
    byes: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()  # the arms of the next round, in increasing order; follows from the rest
    counted: tuple[int, ...] | None = None  # pulls of every heat, where heats may end early; None: all of them

    def pulls_of(self, heat: int) -> int:
        """Return how many pulls of a heat count."""
        return self.pulls if self.counted is None else self.counted[heat]

    def __post_init__(self) -> None:
        kept = [arm for heat in self.heats for arm in heat[: self.keep]]
        msgspec.structs.force_setattr(self, "survivors", tuple(sorted([*kept, *self.byes])))


class BatchReport(msgspec.Struct, frozen=True):
    """One finished batch of adaptive play: how many pulls it had, of how many arms, and which arm was in most."""

    pulls: int
    arms: int
    most: int | None  # None: several were in equally many
    most_pulls: int


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


class Stop(msgspec.Struct, frozen=True):
    """A run was ended before its budget was spent: how many pulls that saved, and at which chance of its winner."""

    saved: int
    chance: float | None  # to be the best; None: it was not asked for


class Report(msgspec.Struct, frozen=True, dict=True):
    """The state of a run: what it found, how, and how sure that is.

    ``rivals`` are arms that the whole run cannot tell apart from the winner: stronger with a chance of 5 % or more.
    """

    algorithm: str
    n_arms: int
    budget: int
    spent: int
    no_verdicts: int  # of these, pulls that said nothing
    done: bool
    winner: int | None
    runner_up: int | None
    rivals: tuple[int, ...] | None  # at most ten; None: not assessed
    sureness: Sureness | None  # of the last heat alone
    rounds: tuple[RoundReport, ...]
    head_to_head: HeadToHead | None  # winner and runner-up, over all rounds
    standings: Standings  # all arms, by all pulls
    stopped: Stop | None = None  # how, if it ended before the budget was spent
    saved: int = 0  # pulls that count for nothing: those before them had decided who stays in their heat
    voided: int = 0  # pulls that count for nothing because of who answered them
    overturned: tuple[int, ...] = ()  # rounds, from 1, that would have ended with others without these
    batches: tuple[BatchReport, ...] = ()  # those that are over, of adaptive play, which has no rounds

    def to_json(self) -> str:
        """Return the report as JSON; it holds nothing from the clock, the host or the workers."""
        return msgspec.json.encode(self).decode()

    def to_frame(self, library: Library | None = None) -> Frame:
        """Return the standings as a frame of pandas or polars: one row per arm, best first; see docs/results.md."""
        return self.standings.to_frame(library)

    def pulls_frame(self, library: Library | None = None) -> Frame:
        """Return all pulls as a frame of pandas or polars: one row per pull and arm, in the order of the ids.

        ``round`` and ``heat`` count from 0, as in a ``Query``, and ``pull`` is its id. ``observation`` is null where a
        pull had no verdict. ``by`` and ``seconds`` are in journals only, so they are null here.
        """
        told = self.standings.recall()
        if told is None:
            raise InvalidArgument(
                "this report was read from JSON, which does not hold the pulls; ask the run's own report for them, or "
                "make a table of its journal with heats report."
            )
        return make_frame(list_pulls(told, name_arms(self)), library)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the strengths of the best arms, at most 30, with their intervals and chances; needs matplotlib."""
        return plot_standings(self.standings, name_arms(self), ax)

    def __repr__(self) -> str:
        winner = None if self.winner is None else f"arm {self.winner}"
        return f"<{type(self).__name__}: {summarise_report(self, winner)}>"

    def __str__(self) -> str:
        return describe_report(self, name_arms(self))

    def _repr_html_(self) -> str:
        return render_report(self, name_arms(self))


def report_batches(told: Sequence[Told]) -> tuple[BatchReport, ...]:
    """Return what the batches that pulls are of came to; pulls without a verdict belong to them as well."""
    batches: dict[int, list[Indices]] = {}
    for each in told:
        batches.setdefault(each.round, []).append(each.arms)
    return tuple(_report_batch(np.concatenate(batches[number])) for number in sorted(batches))


def _report_batch(heats: Indices) -> BatchReport:
    arms, counts = np.unique(heats, return_counts=True)
    most = int(counts.max())
    alone = np.flatnonzero(counts == most)
    return BatchReport(len(heats), len(arms), int(arms[alone[0]]) if alone.size == 1 else None, most)


def name_arms(report: Report) -> list[str]:
    """Return what arms are called where nothing else is known of them."""
    return [f"arm {arm}" for arm in range(report.n_arms)]


def summarise_report(report: Report, winner: str | None) -> str:
    """Return the report in half a line; ``winner`` is what the winner is called."""
    pulls = f"{report.spent} of {report.budget} pulls"
    if winner is None:
        return f"{'no winner' if report.done else 'not decided yet'}, {pulls}"
    chance = report.standings.of(report.winner).chance  # type: ignore[arg-type]  # there is one
    sure = "" if chance is None else f", chance {say_chance(chance)}"
    return f"winner {winner}{sure}, {pulls}"


def render_report(report: Report, names: Sequence[str], drawing: str = "") -> str:
    """Return the report as HTML for a notebook; ``drawing``, which is HTML, takes the place of the table of rounds."""
    if report.winner is None:
        heading = "no winner" if report.done else say_unfinished(report)
    else:
        heading = f"winner: {names[report.winner]}"
    reasons = [] if report.winner is None else list_reasons(report, names)
    stop = [] if report.stopped is None else [say_stop(report.stopped)]
    stop += [f"voided: {say_voided(report)}"] if report.voided else []
    pulls = f"pulls: {report.spent:,} of {report.budget:,}{_say_more(report)}"
    said = make_paragraph([*reasons, pulls, *stop, f"played: {say_played(report)}"], heading=heading)
    table = make_html_table(*tabulate(report.standings, names), words=(1,), most=ROWS_IN_NOTEBOOK)
    if report.rounds and not drawing:
        drawing = fold("round by round", make_html_table(ROUND_TITLES, _list_rounds(report)))
    if report.batches:
        drawing += fold("batch by batch", make_html_table(BATCH_TITLES, list_batches(report, names), words=(3,)))
    return f"<div>{said}{table}{drawing}</div>"


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
    names = [make_printable(name) for name in names]
    if report.winner is None or report.runner_up is None:
        yield say_unfinished(report)
    else:
        yield f"winner:     {names[report.winner]}"
        yield f"runner-up:  {names[report.runner_up]}"
        for number, line in enumerate(list_reasons(report, names)):
            yield f"{'how sure:' if number == 0 else '':12}{line}"
    yield f"pulls:      {report.spent} of {report.budget}{_say_more(report)}"
    if report.stopped is not None:
        yield f"            {say_stop(report.stopped)}"
    if report.voided:
        yield f"voided:     {say_voided(report)}"
    yield f"played:     {say_played(report)}"
    yield ""
    if report.standings.method == "none":
        yield "nothing that was told sets candidates apart: all of them are alike"
    else:
        yield from describe_standings(report.standings, names)
    if report.rounds:
        yield ""
        yield from format_table(ROUND_TITLES, _list_rounds(report))
    if report.batches:
        yield ""
        yield from _shorten(list(format_table(BATCH_TITLES, list_batches(report, names), words=(3,))))


def _shorten(lines: list[str]) -> list[str]:
    """Leave out the middle of a long table."""
    hidden = len(lines) - 1 - BATCHES_SHOWN
    if hidden <= 0:
        return lines
    half = BATCHES_SHOWN // 2
    return [*lines[: half + 1], f"… {hidden:,} more …", *lines[-half:]]


def list_reasons(report: Report, names: Sequence[str]) -> Iterator[str]:
    """Say in sentences how sure it is that the winner is the best: by all pulls, head to head, in the last heat."""
    assert report.winner is not None
    yield _say_chance(report, names)
    if report.head_to_head is not None:
        yield _say_meetings(report.head_to_head, names)
    if report.sureness is not None:
        yield how_sure(report.sureness)
    if report.rivals:
        more = (report.standings.n_rivals or 0) - len(report.rivals)
        others = ", ".join(names[arm] for arm in report.rivals) + (f" and {more:,} more" if more else "")
        yield f"not told apart from the winner: {others}"


def say_stop(stop: Stop) -> str:
    """Say that a run ended before its budget was spent, at which chance, and what that saved."""
    sure = "" if stop.chance is None else f" once the winner's chance to be the best was {say_chance(stop.chance)}"
    return f"stopped early{sure}: {count_things(stop.saved, 'pull')} saved"


def say_voided(report: Report) -> str:
    """Say how many pulls count for nothing because of who answered them, and what would have ended otherwise."""
    said = f"{count_things(report.voided, 'pull')}, whose answers count no more"
    if not report.overturned:
        return said
    numbers = [f"{number}" for number in report.overturned]
    rounds = f"round {numbers[0]}" if len(numbers) == 1 else f"rounds {', '.join(numbers[:-1])} and {numbers[-1]}"
    return f"{said}; {rounds} would have ended otherwise"


def say_played(report: Report) -> str:
    """Say what was played, and in how many rounds or batches so far."""
    name, over = make_printable(report.algorithm), _count_over(report)
    return f"{name}, {over}" if over else name


def _count_over(report: Report) -> str:
    """Say how many rounds or batches are over; nothing where there are none."""
    if report.batches:
        return count_things(len(report.batches), "batch")
    return count_things(len(report.rounds), "round") if report.rounds else ""


def _say_more(report: Report) -> str:
    """Say how many pulls came to no verdict and how many were saved, if any, to follow how many were made."""
    silent = f", {report.no_verdicts:,} of them without a verdict" if report.no_verdicts else ""
    return silent + (f", {report.saved:,} saved: they could no longer change who stays" if report.saved else "")


def say_unfinished(report: Report) -> str:
    """Say how far a run has come that is not over."""
    over = _count_over(report)
    played = f", {over} over" if over else ""
    return f"not decided yet: {report.spent:,} of {report.budget:,} comparisons so far{played}"


def _say_chance(report: Report, names: Sequence[str]) -> str:
    standings = report.standings
    first, ours = standings.rows[0], standings.of(report.winner)  # type: ignore[arg-type]  # there is one
    if standings.method == "none":
        return "not at all: nothing that was told sets candidates apart"
    if ours.chance is None:
        return "not known over all rounds: too few pulls of the winner"
    known = sum(row.chance is not None for row in standings.rows)
    field = f"all {known:,}" if known == report.n_arms else f"the {known:,} that had ten pulls or more"
    told = f"the best of {field} with a chance of {say_chance(ours.chance)}, by all pulls together"
    if first.arm == ours.arm or first.chance is None:
        return told
    return f"{told}, which put {names[first.arm]} first ({say_chance(first.chance)})"


def _say_meetings(record: HeadToHead, names: Sequence[str]) -> str:
    other = names[record.other]
    if not record.met:
        return f"never met the runner-up, {other}"
    times = "once" if record.met == 1 else f"{record.met:,} times"
    rest = record.met - record.won - record.lost
    neither = f", neither {rest:,}" if rest else ""
    return f"met the runner-up, {other}, {times}: won {record.won:,}, lost {record.lost:,}{neither}"


def _list_rounds(report: Report) -> list[tuple[object, ...]]:
    return [_row(number, each) for number, each in enumerate(report.rounds, 1)]


def list_batches(report: Report, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a row per batch: its number, its pulls, how many candidates were in them, and which one most often."""
    return [
        (
            f"{number:,}",
            f"{each.pulls:,}",
            f"{each.arms:,}",
            "" if each.most is None else f"{names[each.most]}, in {each.most_pulls:,}",
        )
        for number, each in enumerate(report.batches, 1)
    ]


def _row(number: int, each: RoundReport) -> tuple[object, ...]:
    arms = sum(map(len, each.heats)) + len(each.byes)
    return number, arms, each.pulls if each.counted is None else say_pulls(each), len(each.survivors)


def say_pulls(each: RoundReport) -> str:
    """Say how many pulls the heats of a round took: one number, or from which to which where some ended early."""
    fewest, most = (each.pulls, each.pulls) if each.counted is None else (min(each.counted), max(each.counted))
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


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
