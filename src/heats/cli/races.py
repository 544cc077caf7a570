"""``heats race`` and ``validate``: programs raced side by side, and the winner on instances that are new to it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from heats.base.files import is_missing
from heats.base.text import make_printable
from heats.base.times import say_seconds
from heats.cli import options
from heats.cli.compiling import compile_own_solver
from heats.cli.continuing import (
    challenge_champion,
    read_budget,
    read_challenge,
    refuse_beside,
    refuse_without,
    say_who_won,
)
from heats.cli.outputs import check_places, save_tables
from heats.cli.root import app
from heats.cli.showing import end_with, show_result
from heats.engine.specs import name_strategy
from heats.errors import HeatsError, InvalidArgument
from heats.race.challengers import Challenge
from heats.race.check import encode_trials, format_trials, try_candidates
from heats.race.forecast import forecast_seconds, keep_runs, say_how_long
from heats.race.run import begin_race, check_new_journal
from heats.race.scenario import Scenario, list_warnings, load_scenario, write_starter
from heats.running.progress import count_progress


@app.command(epilog="Example: heats race solvers/race.toml --seed 1")
def race(
    scenario: Annotated[str | None, typer.Argument(help="A scenario in TOML; --init writes one to begin with.")] = None,
    init: Annotated[str | None, typer.Option(metavar="DIR", help="Write a commented scenario that runs.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Try every candidate once; no race is run.")] = False,
    heat_size: Annotated[int | None, typer.Option("-k", "--heat-size", help="How many run in a heat.")] = None,
    budget: Annotated[
        str | None, typer.Option("-B", "--budget", metavar="HEATS", help="How many heats to run; +100: so many more.")
    ] = None,
    cutoff: Annotated[str | None, typer.Option(help="Longest time of a run, as 10s or 500ms.")] = None,
    mode: Annotated[str | None, typer.Option(help="parallel or capped (one after another).")] = None,
    clock: Annotated[str | None, typer.Option(help="What capped counts: wall or cpu.")] = None,
    slots: Annotated[int | None, typer.Option(help="How many runs may go side by side.")] = None,
    instances: Annotated[str | None, typer.Option(help="A glob or a file, relative to the scenario.")] = None,
    strategy: options.PlayedStrategy = None,
    batches: options.Batches = None,
    sure: options.Sure = None,
    seed: Annotated[int | None, typer.Option(help="Equal seeds give equal heats and instances.")] = None,
    journal: Annotated[str | None, typer.Option(help="A new file to keep the race in; heats resume reads it.")] = None,
    go_on: Annotated[
        str | None,
        typer.Option("--continue", metavar="JOURNAL", help="Go on with a race, against new candidates of its space."),
    ] = None,
    more: Annotated[int | None, typer.Option(help="How many new candidates --continue draws.")] = None,
    around: Annotated[float | None, typer.Option(help="Which share of them near the best, as 0.5.")] = None,
    html: options.Html = None,
    csv: options.Csv = None,
    spreadsheet: options.Spreadsheet = False,
    dask: options.Dask = None,
    json: options.Json = False,
) -> None:
    """Race programs: k command lines on one instance, the first to finish wins. Options override the file.

    heats race --continue run.jsonl --more 30 -B +100 lets the champion of a race defend against new candidates.
    """
    given: dict[str, Any] = {"heat_size": heat_size, "cutoff": cutoff, "mode": mode, "clock": clock, "slots": slots}
    given |= {"instances": None if instances is None else [instances], "seed": seed}
    given |= {"strategy": strategy, "batches": batches, "sure": sure}
    if go_on is not None:
        left_alone = {"scenario": scenario, "init": init, "check": check or None, "journal": journal} | given
        refuse_beside(left_alone)
        _continue(go_on, read_challenge(more, budget, around), html, csv, dask, spreadsheet=spreadsheet, json=json)
        return
    refuse_without(more=more, around=around)
    given["budget"] = read_budget(budget)
    if init is not None:
        if check or scenario is not None:
            raise InvalidArgument("--init writes a scenario and does nothing else; leave out the rest.")
        typer.echo("\n".join(str(path) for path in write_starter(Path(init))))
        return
    if check:
        _check(_load(scenario, given), json=json)
        return
    check_places(html=html, csv=csv, journal=journal, spreadsheet=spreadsheet)
    if journal is not None:
        check_new_journal(Path(journal))
    _race(_load(scenario, given), given, journal, html, csv, dask, spreadsheet=spreadsheet, json=json)


def _load(path: str | None, given: Mapping[str, Any]) -> Scenario:
    """Read a scenario, and warn of what may surprise."""
    if path is None:
        raise InvalidArgument(
            "say which scenario to race, as in heats race race.toml; heats race --init DIR writes one."
        )
    _refuse_missing(path)
    scenario = load_scenario(path, given)
    compile_own_solver(scenario)
    for warning in list_warnings(scenario):
        _say(f"warning: {warning}")
    return scenario


def _refuse_missing(path: str) -> None:
    """Refuse a scenario that is not there, or a folder, with what to type instead."""
    begin = "heats race --init DIR writes one to begin with."
    with suppress(OSError):  # a name that no file can have: reading it will say so
        if Path(path).is_dir():
            inside = Path(path) / "race.toml"
            way_out = f"its scenario is {inside}." if inside.is_file() else f"give a scenario, a file in TOML; {begin}"
            raise InvalidArgument(f"{path} is a folder; {way_out}")
    if is_missing(path):
        raise InvalidArgument(f"there is no scenario {path}; {begin}")


def _check(scenario: Scenario, *, json: bool) -> None:
    """Try every candidate once; a crash is a failure."""
    with count_progress("candidates") as tick:
        trials = try_candidates(scenario, tick)
    keep_runs(scenario, trials)
    typer.echo(encode_trials(scenario, trials) if json else format_trials(scenario, trials))
    if any(each.verdict == "crashed" for each in trials):
        raise HeatsError("not every candidate runs.")
    _say(f"a race takes about {say_seconds(forecast_seconds(scenario, trials))}.")


def _race(
    scenario: Scenario,
    given: Mapping[str, Any],
    journal: str | None,
    html: str | None,
    csv: str | None,
    dask: str | None,
    *,
    spreadsheet: bool,
    json: bool,
) -> None:
    from heats.cli.validating import validate_as_asked
    from heats.race.result import summarise_journal

    path = _choose_journal(scenario, journal)
    _say(
        f"{name_strategy(scenario.spec)}: "
        f"{len(scenario.candidates)} candidates, {scenario.heats} heats of {scenario.spec.heat_size}, "
        f"{scenario.mode}, {scenario.heats_at_once} at a time. The journal is {path}"
    )
    if dask is None:
        _say(say_how_long(scenario))
    with options.connect_executor(dask) as executor, options.say_how_to_go_on(str(path)):
        compile_own_solver(scenario, executor)
        raced = begin_race(scenario, given, path, executor)
        failure = validate_as_asked(raced.log, raced.counts, executor)
    result = summarise_journal(raced.log, raced.counts)
    save_tables(raced.log, result, csv, spreadsheet=spreadsheet)
    show_result(raced.log, result, html, json=json)
    _say_written(html, csv)
    end_with(result, failure)


def _continue(
    journal: str,
    challenge: Challenge,
    html: str | None,
    csv: str | None,
    dask: str | None,
    *,
    spreadsheet: bool,
    json: bool,
) -> None:
    from heats.cli.resuming import go_on
    from heats.cli.validating import validate_as_asked
    from heats.race.result import read_race, summarise_journal

    log, counts = read_race(journal)
    check_places(html=html, csv=csv, spreadsheet=spreadsheet)
    for sentence in challenge_champion(log, counts, challenge):
        _say(sentence)
    assert counts is not None
    with options.connect_executor(dask) as executor, options.say_how_to_go_on(journal):
        go_on(log, counts, executor)
        failure = validate_as_asked(log, counts, executor)
    result = summarise_journal(log, counts)
    save_tables(log, result, csv, spreadsheet=spreadsheet)
    show_result(log, result, html, json=json)
    _say_written(html, csv)
    _say(say_who_won(log, None if result.race is None else result.race.winner))
    end_with(result, failure)


@app.command(epilog="Example: heats validate run.jsonl --instances 'test/*.cnf' --against default")
def validate(
    journal: Annotated[str, typer.Argument(help="The journal of a race that is over.")],
    instances: Annotated[
        str | None, typer.Option(help="A glob or a file, relative to the scenario; left out: those it validates on.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A candidate's name or number (#3), or runner-up; left out: default.")
    ] = None,
    html: options.Html = None,
    dask: options.Dask = None,
    json: options.Json = False,
) -> None:
    """Run the winner of a race and another candidate on instances that the race never saw, and compare them."""
    from heats.cli.validating import validate_journal
    from heats.race.result import summarise_journal

    check_places(html=html)
    with options.connect_executor(dask) as executor, options.say_how_to_go_on(journal):
        log, counts = validate_journal(journal, instances, against, executor)
    result = summarise_journal(log, counts)
    show_result(log, result, html, json=json)
    if result.race is None or result.race.validation is None or not result.race.validation.compared:
        raise HeatsError("nothing could be compared: look at what crashed.")


def _choose_journal(scenario: Scenario, chosen: str | None) -> Path:
    """Return the file to keep a race in: as chosen, or one beside the scenario, by seed and time, that is not there."""
    if chosen is not None:
        return Path(chosen)
    stem = f"{scenario.path.stem}-{scenario.seed}-{datetime.now():%Y%m%d-%H%M%S}"
    names = (f"{stem}{f'-{number}' if number else ''}.jsonl" for number in count())
    return next(path for name in names if not (path := scenario.folder / name).exists())


def _say_written(html: str | None, csv: str | None) -> None:
    for what, path in (("report", html), ("table", csv)):
        if path is not None:
            _say(f"the {what} is {path}")


def _say(sentence: str) -> None:
    """Speak to whoever watches; standard output is for results."""
    typer.echo(f"heats: {make_printable(sentence)}", err=True)
