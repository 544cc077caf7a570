"""A result as one HTML file without anything from outside: for a phone, a screen or paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from heats.base.text import make_lines_printable, make_printable
from heats.base.times import say_seconds
from heats.engine.machine import Machine
from heats.engine.report import BATCH_TITLES, Report, list_batches, list_reasons, say_stop, say_voided
from heats.engine.specs import Spec, TournamentSpec, name_stage
from heats.engine.standings import count_meetings, tabulate
from heats.errors import InvalidArgument
from heats.journal.events import Scoring
from heats.journal.reader import Log
from heats.planning.plan import RECORDS, Plan
from heats.reports.drawings.batches import draw_batches
from heats.reports.drawings.bracket import count_letters, draw_bracket, number
from heats.reports.drawings.interval import draw_interval
from heats.reports.drawings.strengths import Axis
from heats.reports.judges import JUDGE_TITLES, FirstShown, JudgingFacts, list_judging, tabulate_judges
from heats.reports.labels import Roster
from heats.reports.pieces import (
    WIDE,
    fold,
    list_texts,
    make_sentence,
    make_table,
    show_candidate,
    show_cells,
    show_name,
    show_text,
    show_titles,
)
from heats.reports.places import check_place, save_file
from heats.reports.result import RaceFacts, Result, RunFacts
from heats.reports.top import say_claim
from heats.reports.validation import Meeting, Validation, list_findings, name_opponent
from heats.reports.winner import list_values

LARGEST_HEADING, LONGEST_HEADING = (
    40,
    120,
)  # letters of a winner in large and in smaller type; else it is below
MOST_ROWS_FIRST = 10  # of the standings, before the others


def render_page(log: Log, result: Result) -> str:
    """Return the result of a journal as HTML."""
    return compose_page(result, log.machine, log.values, log)


def compose_page(result: Result, machine: Machine, values: Sequence[Any], log: Log | None = None) -> str:
    """Return a result as HTML, with what its journal adds, if one was kept; ``values`` are the candidates by arm."""
    report, names, run = result.report, result.names, result.run
    roster = Roster(names, values, count_letters(report.rounds))
    winner = report.winner
    title = f"heats: {show_name(names, winner)}" if winner is not None else "heats"
    plan = _plan_of(machine.spec)
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{read_style('style.css', 'drawing.css')}</style></head><body><main>",
        *_head(report, roster, values),
        *_top(result.race),
        *_values(values, roster, winner),
        *_command(result.race, log, winner),
        *_validation(None if result.race is None else result.race.validation),
        *_numbers(machine, report, run, result.race),
        *_standings(report, roster),
        *_final(report, roster, plan),
        *_rounds(report, roster, winner, plan),
        *_way_of(report, roster, winner),
        *_batches(report, roster, winner),
        *_meetings(report, machine, roster, winner),
        *_runs(result.race, roster, winner),
        *_judging(result.judging, result.shown),
        *_plan(plan, len(report.rounds)),
        *_foot(machine, log),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def read_style(*names: str) -> str:
    """Return style sheets of ours, one after the other."""
    return "".join(files("heats.reports").joinpath(name).read_text(encoding="utf-8") for name in names)


def check_page(path: str) -> None:
    """Refuse a place where no page can be written, before anything is spent: no folder, or another file's place."""
    begin = check_place("html", path).lstrip().lower()
    if begin and not begin.startswith((b"<!doctype html", b"<html")):
        raise InvalidArgument("{html} is there and is not an HTML page; give another file.", html=path)


def save_page(path: str, log: Log, result: Result) -> None:
    """Write the page of a journal to a file, whole or not at all; or into a pipe or a device."""
    check_page(path)
    save_file("html", path, render_page(log, result).encode(errors="backslashreplace"))


def _plan_of(spec: Spec) -> Plan | None:
    return spec.plan if isinstance(spec, TournamentSpec) else None


def _head(report: Report, roster: Roster, values: Sequence[Any]) -> Iterator[str]:
    winner = report.winner
    heading = _nobody(report) if winner is None else _say_whole(roster.names[winner], values[winner])
    is_whole = len(heading) <= LONGEST_HEADING
    number = f" is #{winner}" if winner is not None and is_whole and roster.is_numbered(winner) else ""
    before = "Drawn by lot from" if report.by_lot else "The best of" if report.done else "Not decided yet:"
    yield f"<h1>{before} {report.n_arms:,} candidates{number}</h1>"
    size = " long" if is_whole and len(heading) > LARGEST_HEADING else ""
    yield f'<p class="winner{size}">{escape(heading) if winner is None or is_whole else show_text(roster, winner)}</p>'
    if winner is not None:
        first, *others = list_reasons(report, roster.texts)
        yield f"<p>{make_sentence(first)}</p>"
        if others:
            yield f'<p class="soft">{" ".join(map(make_sentence, others))}</p>'
    if report.stopped is not None:
        yield f'<p class="soft">{make_sentence(say_stop(report.stopped))}</p>'
    if report.voided:
        yield f'<p class="soft">{make_sentence(f"Void: {say_voided(report)}")}</p>'
    if not report.done:
        yield '<p class="soft">The run is not over: whoever stands first now may still lose.</p>'


def _top(race: RaceFacts | None) -> Iterator[str]:
    """Say how good the winner is among all that its space holds."""
    if race is not None and race.top is not None:
        yield f'<p class="soft">{make_sentence(say_claim(race.top))}</p>'


def _say_whole(name: str, value: Any) -> str:
    """Return the whole text of a candidate that is called by the beginning of it; else its name."""
    text = make_printable(" ".join(value.split())) if isinstance(value, str) else name
    return text if "…" in name and text.startswith(name.partition("…")[0]) else name


def _values(values: Sequence[Any], roster: Roster, winner: int | None) -> Iterator[str]:
    """Say in full what the heading leaves out."""
    if winner is None:
        return
    whole = _say_whole(roster.names[winner], values[winner])
    is_shown = len(whole) <= LONGEST_HEADING
    said = list_values(whole, values[winner], name_is_shown=is_shown)
    if said and not said[0][0]:
        yield f"<pre>{escape(make_lines_printable(said[0][1]))}</pre>"
    elif said:
        yield '<dl class="values">'
        for title, text in said:
            yield f"<dt>{escape(make_printable(title))}</dt><dd>{escape(make_printable(text))}</dd>"
        yield "</dl>"
    elif not is_shown:  # the name is all that is known of it
        yield f"<p>{escape(whole)}</p>"


def _nobody(report: Report) -> str:
    if report.done:
        return "nobody: no run finished"
    return f"{report.spent:,} of {report.budget:,} comparisons so far"


def _command(race: RaceFacts | None, log: Log | None, winner: int | None) -> Iterator[str]:
    if race is None or winner is None:
        return
    lines = () if log is None else getattr(log.origin, "command_lines", ())
    line = lines[winner] if winner < len(lines) else None
    if line is None and race.winner is not None and race.winner.arm == winner:
        line = race.winner.command_line
    if line is not None:
        yield f"<h2>Its command line</h2><pre>{escape(make_printable(line))}</pre>"


def _validation(validation: Validation | None) -> Iterator[str]:
    """Say how the winner did on instances that the race never saw, and on which of them how."""
    if validation is None or not validation.done:
        return
    first, *others = list_findings(validation)
    yield f"<h2>On instances that the race never saw</h2><p>{make_sentence(first)}</p>"
    yield from (f'<p class="soft">{make_sentence(line)}</p>' for line in others)
    sides = escape(make_printable(validation.winner.name)), escape(name_opponent(validation))
    rows = [_meeting(each, validation.goal) for each in validation.meetings]
    yield from fold("Instance by instance", make_table(("instance", *sides), rows, words=0), len(rows))


def _meeting(met: Meeting, goal: str) -> tuple[str, str, str]:
    path = make_printable(met.instance)
    file = f'<span title="{escape(path)}">{escape(path.rpartition("/")[2])}</span>'
    return (
        file,
        _say_end(met.winner, met.winner_result, goal),
        _say_end(met.against, met.against_result, goal),
    )


def _say_end(verdict: str, result: float | None, goal: str) -> str:
    """Say how a run ended: its value, or its time if it finished."""
    if goal == "value":
        return verdict if result is None else f"{result:.6g}"
    return say_seconds(result) if verdict == "finished" and result is not None else escape(verdict)


def _numbers(machine: Machine, report: Report, run: RunFacts | None, race: RaceFacts | None) -> Iterator[str]:
    total = machine.total if report.stopped is None else report.budget
    played = escape(make_printable(report.algorithm))
    stages = "batches" if name_stage(machine.spec) == "batch" else "rounds"
    facts = {
        "pulls": f"{report.spent:,} of {total + report.saved:,}",
        f"{played}, {stages}": f"{machine.round} of {machine.n_rounds}",
    }
    if report.no_verdicts:
        facts["pulls without a verdict"] = f"{report.no_verdicts:,}"
    if report.voided:
        facts["pulls voided"] = f"{report.voided:,}"
    if report.saved:
        facts["pulls saved"] = f"{report.saved:,}"
    if run is not None:
        facts |= {
            "time, without pauses": say_seconds(run.elapsed_seconds),
            "time comparing, summed": say_seconds(run.compared_seconds) if run.compared_seconds else "not measured",
            "voters" if run.of_voters else "workers": run.say_workers() if run.workers else "not said",
            "tried again · too late": f"{run.requeued:,} · {run.late:,}",
        }
    if race is not None:
        facts["CPU time of all runs"] = say_seconds(race.cpu_seconds)
        facts["heats nobody finished"] = f"{race.without_winner:,} of {race.heats:,}"
    yield "<dl>"
    yield from (f"<div><dt>{title}</dt><dd>{value}</dd></div>" for title, value in facts.items())
    yield "</dl>"


def _standings(report: Report, roster: Roster) -> Iterator[str]:
    """Say where every candidate stands by all pulls: the best of them at once, the others when somebody wants to."""
    standings = report.standings
    if standings.method == "none":
        return
    axis = Axis(standings)
    titles, plain = tabulate(standings, roster.names)
    rows = []
    for row, cells in zip(standings.rows, plain, strict=True):
        drawn = axis.draw(row, best=report.done and row.place == 1)
        said = [cells[2], drawn, *map(escape, cells[3:]), *show_cells(roster, row.arm)]
        rows.append((show_candidate(roster, row.arm), *said))
    heading = ("candidate", titles[2], "", *titles[3:], *show_titles(roster))
    yield f'<h2>Standings</h2><p class="soft">{_STRENGTHS[standings.method]}</p>'
    yield from make_table(heading, rows[:MOST_ROWS_FIRST], words=0, first=0 if report.done else None)
    if len(rows) > MOST_ROWS_FIRST:
        rest = make_table(heading, rows[MOST_ROWS_FIRST:], words=0)
        yield from fold(f"The other {len(rows) - MOST_ROWS_FIRST:,}", rest, len(rows))


_STRENGTHS = {
    "choices": "By all pulls. A strength of 1 more is 2.7 times the odds to win; 0 is the mean of all candidates.",
    "effects": "By all pulls, the luck of each taken out, in units of reward; 0 is the mean of all candidates.",
    "resampling": "By all pulls: the statistic of all rewards of a candidate, where it has ten or more.",
}


def _final(report: Report, roster: Roster, plan: Plan | None) -> Iterator[str]:
    if not report.done or not report.rounds:
        return
    last = report.rounds[-1]
    shown = last.scores[0] if last.scores else ()
    scores = [number(score) for score in shown] or ["unseen"] * len(last.heats[0])
    pulls = f"{last.pulls_of(0):,} pull{'' if last.pulls_of(0) == 1 else 's'}"
    yield f'<section class="together"><h2>The final heat</h2><p class="soft">{pulls}; best first{_ranked_by(plan)}</p>'
    rows = [
        (show_candidate(roster, arm), score, *show_cells(roster, arm))
        for arm, score in zip(last.heats[0], scores, strict=True)
    ]
    yield from make_table(("candidate", "score", *show_titles(roster)), rows, words=0, first=0)
    if report.sureness is not None:
        yield draw_interval(report.sureness)
    yield "</section>"


def _ranked_by(plan: Plan | None) -> str:
    """Say what the order of a heat goes by, where it is more than the scores shown."""
    if plan is not None and RECORDS[plan.record].ranks_heats:
        return " by all rounds so far, with the scores of this one"
    return ", with scores"


def _rounds(report: Report, roster: Roster, winner: int | None, plan: Plan | None) -> Iterator[str]:
    if not report.rounds:
        return
    yield "<h2>Round by round</h2>"
    yield f'<p class="soft">A box is a heat, best first{_ranked_by(plan)}; filled dots stay, hollow ones leave.</p>'
    yield from (WIDE, *draw_bracket(report.rounds, roster, winner), "</div>")


def _way_of(report: Report, roster: Roster, winner: int | None) -> Iterator[str]:
    """Say whom the winner met in every round, and how it did."""
    if winner is None or not report.rounds:
        return
    rows = []
    for round_number, each in enumerate(report.rounds, 1):
        if winner in each.byes:
            rows.append((round_number, "rested", "", "", ""))
        for heat, arms in enumerate(each.heats):
            if winner in arms:
                place = arms.index(winner)
                score = number(each.scores[heat][place]) if each.scores and each.scores[heat] else "unseen"
                others = list_texts(roster, [arm for arm in arms if arm != winner])
                rows.append((round_number, others, score, f"{place + 1} of {len(arms)}", f"{each.pulls_of(heat):,}"))
    table = make_table(("round", "met", "score", "place", "pulls"), rows, words=1)
    yield from fold("The winner's record", table, len(rows))


def _batches(report: Report, roster: Roster, winner: int | None) -> Iterator[str]:
    """Draw who was compared in every batch of adaptive play, and say it in numbers."""
    if not report.batches:
        return
    remark = "A ring is as large as a candidate's share of the pulls of a batch, and filled as far as it came first."
    yield f'<h2>Batch by batch</h2><p class="soft">{remark}</p>'
    yield from (WIDE, *draw_batches(report, roster, winner), "</div>")
    rows = [tuple(map(escape, row)) for row in list_batches(report.batches, roster.texts)]
    yield from fold("The batches", make_table(BATCH_TITLES, rows, words=3), len(rows))


def _meetings(report: Report, machine: Machine, roster: Roster, winner: int | None) -> Iterator[str]:
    """Say how the winner did against each of the best others, where no rounds say it."""
    if winner is None or report.rounds:
        return
    told, others = machine.evidence(), [row.arm for row in report.standings.rows if row.arm != winner]
    met = [count_meetings(told, winner, other) for other in others[:MOST_ROWS_FIRST]]
    rows = [
        (show_candidate(roster, each.other), *(f"{count:,}" for count in (each.met, each.won, each.lost)))
        for each in met
        if each.met
    ]
    if rows:
        table = make_table(("against", "met", "won", "lost"), rows, words=0)
        yield from fold("The winner's record", table, len(rows))


def _runs(race: RaceFacts | None, roster: Roster, winner: int | None) -> Iterator[str]:
    """Say what the programs did, candidate by candidate."""
    if race is None or not race.candidates:
        return
    rows = [
        (
            show_candidate(roster, each.arm),
            f"{each.wins:,}",
            f"{each.runs:,}",
            f"{each.cpu_seconds:.1f} s",
            f"{each.cpu_seconds / each.runs:.2f} s",
            f"{each.crashes:,}",
            *show_cells(roster, each.arm),
        )
        for each in sorted(race.candidates, key=lambda each: each.arm != winner)
    ]
    titles = ("candidate", "heats won", "runs", "CPU time", "per run", "crashed", *show_titles(roster))
    remark = '<p class="soft">Who raced most is above; a run that was stopped by a faster one cost time as well.</p>'
    yield from fold("The runs", [remark, *make_table(titles, rows, words=0, first=0)], len(rows))


def _judging(judging: JudgingFacts | None, shown: FirstShown | None) -> Iterator[str]:
    """Say what judges did, and whether who was shown first had an advantage."""
    said = list_judging(judging, shown)
    if not said:
        return
    yield "<h2>The judges</h2>" if judging is not None else "<h2>Shown first</h2>"
    yield from (f"<p>{make_sentence(line)}</p>" for line in said)
    if judging is not None:
        rows = [tuple(map(escape, row)) for row in tabulate_judges(judging)]
        yield from make_table(JUDGE_TITLES, rows, words=0)


def _plan(plan: Plan | None, finished: int) -> Iterator[str]:
    if plan is None:
        return
    remark = f'<p class="soft">{escape(plan.strategy)}, {escape(plan.schedule)} schedule, record: {plan.record}; '
    remark += f"heats of {plan.heat_size}, {plan.cost:,} of {plan.budget:,} pulls.</p>"
    rows = []
    for round_number, each in enumerate(plan.rounds, 1):
        numbers = each.arms, each.heats, each.size, each.keep, each.byes, each.pulls, each.cost
        rows.append(
            [f"{round_number} ✓" if round_number <= finished else round_number, *(f"{value:,}" for value in numbers)]
        )
    table = make_table(("round", "arms", "heats", "size", "keep", "rest", "pulls each", "pulls"), rows)
    yield from fold("The plan", [remark, *table], len(rows))


def _foot(machine: Machine, log: Log | None) -> Iterator[str]:
    statistic = Scoring.of(machine.statistic)
    if log is None:
        yield f"<footer>seed {machine.seed}, statistic {escape(str(statistic))}.</footer>"
        return
    file = escape(make_printable(log.path.name))
    yield f"<footer>{file}: seed {machine.seed}, statistic {escape(str(statistic))}, "
    yield f"begun {log.header.at:%Y-%m-%d %H:%M} UTC, last entry {log.last:%Y-%m-%d %H:%M} UTC.</footer>"
