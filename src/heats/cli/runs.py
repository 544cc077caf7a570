"""``heats demo``, ``report``, ``resume``, ``extend`` and ``schema``: runs, what they found, how to go on with them."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
import typer

from heats.base.checks import between, one_of
from heats.cli import options
from heats.cli.outputs import check_places, save_found, save_tables
from heats.cli.plans import encode
from heats.cli.root import app
from heats.cli.showing import end_with, show_result
from heats.journal import Log
from heats.running.strategies import STRATEGIES

LOOK_SECONDS = 0.2  # between two looks at a journal that grows
MOST_SECONDS_TO_WATCH = 20  # of a demo


@app.command(epilog="Example: heats demo --seed 7")
def demo(
    n_arms: options.Arms = 30,
    heat_size: Annotated[
        int | None,
        typer.Option("-k", "--heat-size", help="How many are compared at once; left out: 4, or all if fewer."),
    ] = None,
    budget: options.Budget = 300,
    strategy: options.PlayedStrategy = None,
    sure: options.Sure = None,
    seed: options.Seed = 0,
    pause: Annotated[float, typer.Option(help="Longest wait per heat, to watch it; none off a terminal.")] = 0.01,
    blind: options.Blind = False,
    journal: options.JournalPath = None,
    html: options.Html = None,
    csv: options.Csv = None,
    spreadsheet: options.Spreadsheet = False,
    dask: options.Dask = None,
    json: options.Json = False,
) -> None:
    """Race simulated solvers with live progress, as find_best would, then show the report."""
    from heats.cli.demo import play

    if strategy is not None:
        one_of("strategy", strategy.lower(), STRATEGIES)
    check_places(html=html, csv=csv, spreadsheet=spreadsheet)
    between("pause", pause, 0, 60, why="seconds")
    pause = min(pause, MOST_SECONDS_TO_WATCH / max(budget, 1))
    with options.connect_executor(dask) as executor, options.say_how_to_go_on(journal):
        found, fastest = play(
            *(n_arms, heat_size, budget, strategy, seed, pause),
            blind=blind,
            sure=sure,
            journal=journal,
            executor=executor,
        )
    save_found(found, html, csv, spreadsheet=spreadsheet)
    if json:
        typer.echo(found.to_json())
        return
    size = found.played.evidence()[0].arms.shape[1]
    typer.echo(f"{n_arms} simulated solvers raced {size} at a time: the first to finish wins.\n\n{found}")
    hit = "found" if found.winner is fastest else "missed"
    typer.echo(f"\nTruly fastest: {fastest.name} ({fastest.typical:.2f} s typical): {hit}.")


@app.command(epilog="Example: heats report run.jsonl --html run.html")
def report(
    journal: Annotated[str, typer.Argument(help="The journal of a run, finished or not.")],
    html: options.Html = None,
    csv: options.Csv = None,
    pulls: options.Pulls = None,
    spreadsheet: options.Spreadsheet = False,
    follow: Annotated[bool, typer.Option("--follow", help="Watch until the run is over.")] = False,
    json: options.Json = False,
) -> None:
    """Show what a journal says about its run; the run may go on meanwhile."""
    from heats.race.result import read_race, summarise_journal

    log, counts = read_race(journal)
    check_places(html=html, csv=csv, pulls=pulls, spreadsheet=spreadsheet)
    if follow:
        _follow(log)
    result = summarise_journal(log, counts)
    save_tables(log, result, csv, pulls, spreadsheet=spreadsheet)
    show_result(log, result, html, json=json)


@app.command(epilog="Example: heats resume run.jsonl")
def resume(
    journal: Annotated[str, typer.Argument(help="The journal of a run that the command line began.")],
    html: options.Html = None,
    csv: options.Csv = None,
    spreadsheet: options.Spreadsheet = False,
    dask: options.Dask = None,
    json: options.Json = False,
) -> None:
    """Go on with a run that was interrupted, and show its report."""
    from heats.cli.resuming import go_on
    from heats.cli.validating import is_validation_owed, validate_as_asked
    from heats.race.result import read_race, summarise_journal

    log, counts = read_race(journal)
    check_places(html=html, csv=csv, spreadsheet=spreadsheet)
    is_over = log.is_over and not is_validation_owed(log, counts)
    with options.connect_executor(None if is_over else dask) as executor, options.say_how_to_go_on(journal):
        go_on(log, counts, executor)
        failure = validate_as_asked(log, counts, executor)
    result = summarise_journal(log, counts)
    save_tables(log, result, csv, spreadsheet=spreadsheet)
    show_result(log, result, html, json=json)
    end_with(result, failure)


@app.command(epilog="Example: heats extend run.jsonl -B +100; then heats resume run.jsonl")
def extend(
    journal: Annotated[str, typer.Argument(help="The journal of an adaptive run, finished or not.")],
    budget: Annotated[str, typer.Option("-B", "--budget", help="+100 for that many more, 300 for that many in all.")],
    json: options.Json = False,
) -> None:
    """Give an adaptive run more comparisons; no comparison is made again, and a run that stopped early goes on."""
    from heats.cli.resuming import extend_run

    extended = extend_run(journal, budget)
    typer.echo(encode(extended) if json else str(extended))


@app.command(epilog="Example: heats schema > result.schema.json")
def schema() -> None:
    """Print the JSON Schema of results: what demo, race, report and resume print with --json."""
    from heats.reports.result import schema as describe

    typer.echo(msgspec.json.format(msgspec.json.encode(describe())).decode())


def _follow(log: Log) -> None:
    """Read on as the journal grows, with a bar on a terminal, until its run is over."""
    from heats.running.progress import show_progress

    with show_progress(log.machine, log.names, show=True) as watch:
        while log.finished is None:
            time.sleep(LOOK_SECONDS)
            log.advance()
            watch()
