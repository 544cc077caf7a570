"""What a run has to say for itself, at any time: plain data, equal to the byte for equal runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from heats.base.frames import Frame, Library, make_frame
from heats.base.markup import fold, make_html_table, make_paragraph
from heats.base.plots import Axes
from heats.base.text import count_things, format_table, make_printable, set_off
from heats.engine.evidence.pulls import list_pulls
from heats.engine.report.rounds import BATCH_TITLES, ROUND_TITLES, BatchReport, RoundReport, list_batches, list_rounds
from heats.engine.report.sureness import Sureness, how_sure
from heats.engine.standings import (
    HeadToHead,
    Standings,
    describe_standings,
    explain_world,
    plot_standings,
    say_chance,
    tabulate,
)
from heats.errors import InvalidArgument

BATCHES_SHOWN = 30  # of a long table in a text
ROWS_IN_NOTEBOOK = 20  # of the standings


class Stop(msgspec.Struct, frozen=True):
    """A run was ended before its budget was spent: how many pulls that saved, and at which chance of its winner."""

    saved: int
    chance: float | None  # to be the best; None: it was not asked for


class Report(msgspec.Struct, frozen=True, dict=True):
    """The state of a run: what it found, how, and how sure that is.

    ``rivals`` are arms that are statistically tied with the winner: better with a chance of 5 % or more.
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
    head_to_head: HeadToHead | None  # winner and runner-up, over the whole run
    standings: Standings  # all arms, by all pulls
    stopped: Stop | None = None  # how, if it ended before the budget was spent
    saved: int = 0  # pulls that count for nothing: those before them had decided who stays in their heat
    voided: int = 0  # pulls that count for nothing because of who answered them
    overturned: tuple[int, ...] = ()  # rounds, from 1, that would have ended with others without these
    by_lot: bool = False  # whether the winner was drawn by lot: nothing that was told sets arms apart
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


def name_arms(report: Report) -> list[str]:
    """Return what arms are called where nothing else is known of them."""
    return [f"arm {arm}" for arm in range(report.n_arms)]


def summarise_report(report: Report, winner: str | None) -> str:
    """Return the report in half a line; ``winner`` is what the winner is called."""
    pulls = f"{report.spent} of {report.budget} pulls"
    if winner is None:
        return f"{'no winner' if report.done else 'not decided yet'}, {pulls}"
    if report.by_lot:
        return f"winner {winner}, drawn by lot, {pulls}"
    chance = report.standings.of(report.winner).chance  # type: ignore[arg-type]  # there is one
    sure = "" if chance is None else f", chance {say_chance(chance)}"
    return f"winner {winner}{sure}, {pulls}"


def render_report(report: Report, names: Sequence[str], drawing: str = "") -> str:
    """Return the report as HTML for a notebook; ``drawing``, which is HTML, takes the place of the table of rounds."""
    if report.winner is None:
        heading = "no winner" if report.done else say_unfinished(report)
    else:
        heading = f"winner: {names[report.winner]}{', drawn by lot' if report.by_lot else ''}"
    reasons = [] if report.winner is None else list_reasons(report, names)
    stop = [] if report.stopped is None else [say_stop(report.stopped)]
    stop += [f"voided: {say_voided(report)}"] if report.voided else []
    pulls = f"pulls: {report.spent:,} of {report.budget:,}{_say_more(report)}"
    said = make_paragraph([*reasons, pulls, *stop, f"played: {say_played(report)}"], heading=heading)
    table = make_html_table(*tabulate(report.standings, names), words=(1,), most=ROWS_IN_NOTEBOOK)
    if report.rounds and not drawing:
        drawing = fold("round by round", make_html_table(ROUND_TITLES, list_rounds(report.rounds)))
    if report.batches:
        drawing += fold(
            "batch by batch", make_html_table(BATCH_TITLES, list_batches(report.batches, names), words=(3,))
        )
    return f"<div>{said}{table}{drawing}</div>"


def describe_report(report: Report, names: Sequence[str]) -> str:
    """Return the report as text for people, with ``names`` for the arms."""
    return "\n".join(_lines(report, names))


def _lines(report: Report, names: Sequence[str]) -> Iterator[str]:
    names = [make_printable(name) for name in names]
    if report.winner is None or report.runner_up is None:
        yield say_unfinished(report)
    else:
        yield f"winner:     {names[report.winner]}{', drawn by lot' if report.by_lot else ''}"
        if not report.by_lot:
            yield f"runner-up:  {names[report.runner_up]}"
        for number, line in enumerate(list_reasons(report, names)):
            yield f"{'how sure:' if number == 0 else '':12}{line}"
    yield f"pulls:      {report.spent} of {report.budget}{_say_more(report)}"
    if report.stopped is not None:
        yield f"            {say_stop(report.stopped)}"
    if report.voided:
        yield f"voided:     {say_voided(report)}"
    yield f"played:     {say_played(report)}"
    if report.standings.method != "none":
        yield ""
        yield from describe_standings(report.standings, names)
    elif not report.done:
        yield "\nnothing that was told sets candidates apart yet: all of them are alike"
    if report.rounds:
        yield ""
        yield from format_table(ROUND_TITLES, list_rounds(report.rounds))
    if report.batches:
        yield ""
        yield from _shorten(list(format_table(BATCH_TITLES, list_batches(report.batches, names), words=(3,))))


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
    if report.by_lot:
        yield "not sure at all: nothing that was told sets candidates apart, so the winner was drawn by lot"
        return
    names = [set_off(name) for name in names]
    yield _say_chance(report)
    if (first := _say_first(report, names)) is not None:
        yield first
    if report.head_to_head is not None:
        yield _say_meetings(report.head_to_head, names, report.no_verdicts)
    if report.sureness is not None:
        yield how_sure(report.sureness)
    if report.standings.contextual is not None:
        yield from explain_world(report.standings.contextual)
    if report.rivals:
        more = (report.standings.n_rivals or 0) - len(report.rivals)
        others = ", ".join(names[arm] for arm in report.rivals) + (f" and {more:,} more" if more else "")
        yield f"statistically tied with the winner: {others}"
    if unseen := sum(row.pulls == 0 for row in report.standings.rows):
        why = ", or never with a verdict" if report.no_verdicts else ": a larger budget would see them"
        yield f"{unseen:,} of the {report.n_arms:,} were never compared{why}"


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


def _say_chance(report: Report) -> str:
    standings = report.standings
    ours = standings.of(report.winner)  # type: ignore[arg-type]  # there is one
    if standings.method == "none":
        return "not at all: nothing that was told sets candidates apart within a pull"
    if ours.chance is None:
        return "not known over the whole run: too few pulls of the winner"
    known = sum(row.chance is not None for row in standings.rows)
    field = f"all {known:,}" if known == report.n_arms else f"the {known:,} that had ten pulls or more"
    return f"the best of {field} with a chance of {say_chance(ours.chance)}, by all pulls together"


def _say_first(report: Report, names: Sequence[str]) -> str | None:
    """Say that another one than the winner has the largest chance, and why it did not win; None if no other has."""
    first, ours = report.standings.rows[0], report.standings.of(report.winner)  # type: ignore[arg-type]  # there is one
    if first.chance is None or first.chance == ours.chance:
        return None
    rule = "a tournament is decided by its last heat"
    if not report.rounds:
        rule = f"{make_printable(report.algorithm)} has a rule of its own"
    return f"all pulls together rank {names[first.arm]} first ({say_chance(first.chance)}), but {rule}"


def _say_meetings(record: HeadToHead, names: Sequence[str], no_verdicts: int) -> str:
    other = names[record.other]
    if not record.met:
        return f"never met the runner-up, {other}{', with a verdict' if no_verdicts else ''}"
    times = "once" if record.met == 1 else f"{record.met:,} times"
    rest = record.met - record.won - record.lost
    neither = f", neither {rest:,}" if rest else ""
    return f"met the runner-up, {other}, {times}: won {record.won:,}, lost {record.lost:,}{neither}"
