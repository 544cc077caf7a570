"""The command line: each command is a few lines over the library.

Exit codes: 0 done, 1 the run failed, 2 the request was wrong (one sentence, no traceback), 130 interrupted; of
``heats saps``, as solvers do, 10 for a model found and 20 for a formula that has none.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

import heats
from heats.base.interrupts import raise_on_interrupt
from heats.base.text import format_table
from heats.errors import HeatsError, InvalidArgument
from heats.planning.explain import explain_plan
from heats.running.progress import count_progress
from heats.sat.parameters import Parameters

if TYPE_CHECKING:
    from concurrent.futures import Executor

app = typer.Typer(
    name="heats",
    help="Find the best of n candidates with B trials, each comparing up to k of them side by side.",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

Arms = Annotated[int, typer.Option("-n", "--n-arms", help="How many candidates there are.")]
HeatSize = Annotated[int, typer.Option("-k", "--heat-size", help="How many are compared at once.")]
Budget = Annotated[int, typer.Option("-B", "--budget", help="How many comparisons may be made.")]
Strategy = Annotated[
    str, typer.Option(help="planned, csws (winner stays), csr (last leaves) or csh (better half stays).")
]
AnyStrategy = Annotated[str, typer.Option(help="planned, csws, csr, csh or round-robin.")]
Edge = Annotated[float | None, typer.Option(help="For planned: how often the best beats the second best, if known.")]
Guaranteed = Annotated[bool, typer.Option("--guaranteed", help="Keep to what the paper's theorems cover.")]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal runs.")]
Feedback = Annotated[str, typer.Option(help="What bounds are about: winner or reward.")]
Sigma = Annotated[float, typer.Option(help="Rewards are sigma-sub-Gaussian; 0.5 fits all within an interval of 1.")]
Schedule = Annotated[str, typer.Option(help="exact (spends all it can) or paper (as printed).")]
Record = Annotated[
    str | None, typer.Option(help="What earlier rounds decide: ties, off, pooled or fitted; planned chooses.")
]
Blind = Annotated[bool, typer.Option("--blind", help="Allow heats that nobody looks at.")]
JournalPath = Annotated[str | None, typer.Option("--journal", help="Keep the run in this file, or resume it.")]
Dask = Annotated[str | None, typer.Option(help="Compare on a Dask cluster: tcp://host:port, or local.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.callback(invoke_without_command=True)
def _heats(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"heats {heats.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog="Example: heats plan -n 100 -k 4 -B 500 --feedback winner")
def plan(
    n_arms: Arms,
    heat_size: HeatSize,
    budget: Budget,
    strategy: Strategy = "planned",
    schedule: Schedule = "exact",
    record: Record = None,
    blind: Blind = False,
    feedback: Annotated[
        str | None, typer.Option(help="What will be told: reward, winner or ranking. Without, planned for any.")
    ] = None,
    edge: Edge = None,
    guaranteed: Guaranteed = False,
    delta: Annotated[float | None, typer.Option(help="Add the gap each round resolves but for delta.")] = None,
    sigma: Sigma = 0.5,
    json: Json = False,
) -> None:
    """Show every round of a tournament, what it costs and how likely the best survives it, before anything is run."""
    made = heats.plan(
        *(n_arms, heat_size, budget, strategy),
        feedback=feedback,  # type: ignore[arg-type]  # checked there
        edge=edge,
        guaranteed=guaranteed or delta is not None,
        schedule=schedule,  # type: ignore[arg-type]  # checked there
        record=record,  # type: ignore[arg-type]  # checked there
        blind=blind,
    )
    if delta is None:
        typer.echo(made.to_json() if json else explain_plan(made, feedback, edge))  # type: ignore[arg-type]  # checked there
        return
    feedback = feedback or "winner"
    if feedback == "ranking":
        raise InvalidArgument("--delta knows bounds for winner and reward feedback only; leave it out for rankings.")
    from heats.theory import guarantee
    from heats.theory.tables import rate_of_plan

    promised = guarantee(made, rate_of_plan(made, feedback, delta, sigma))  # type: ignore[arg-type]  # checked there
    if json:
        told = {"delta": delta, "feedback": feedback, "sigma": sigma, "weakest_round": promised.weakest_round}
        typer.echo(_json({"plan": made, "gaps": promised.gaps, "gap": promised.gap, **told}))
        return
    typer.echo(made.describe({"gap resolved": [f"{gap:.3g}" for gap in promised.gaps]}))
    typer.echo(
        f"\nWith probability {1 - delta:g} the best candidate wins if it leads, in every heat it is in, the first one "
        f"that leaves by more than {promised.gap:.3g} (round {promised.weakest_round + 1} is the weakest)."
    )
    if feedback == "winner" and promised.gap >= 1:
        typer.echo("Shares of wins differ by 1 at most, so this is no promise yet: heats bounds says what one costs.")


@app.command(epilog="Example: heats bounds -n 100 -k 4 --gap 0.1 --delta 0.05 --feedback winner")
def bounds(
    n_arms: Arms,
    heat_size: HeatSize,
    gap: Annotated[float, typer.Option(help="How far the best leads the first that leaves, in every heat.")] = 0.1,
    delta: Annotated[float, typer.Option(help="How likely the result may be wrong.")] = 0.05,
    feedback: Feedback = "winner",
    sigma: Sigma = 0.5,
    tables: Annotated[bool, typer.Option("--tables", help="Print the paper's Tables 1-4 filled in.")] = False,
    json: Json = False,
) -> None:
    """Show how much budget surely finds the best candidate (but for delta), by the paper's theorems."""
    from heats.theory import tables as theory

    problem = {
        "n_arms": n_arms,
        "heat_size": heat_size,
        "gap": gap,
        "delta": delta,
        "feedback": feedback,
        "sigma": sigma,
    }
    spread = f", {sigma:g}-sub-Gaussian" if feedback == "reward" else ""
    about = f"{n_arms} candidates, heats of {heat_size}, gap {gap:g}, {feedback} feedback{spread}, delta {delta:g}"
    if tables:
        filled = theory.paper_tables(**problem)  # type: ignore[arg-type]  # checked there
        typer.echo(_json({**problem, "tables": filled}) if json else f"{about}\n\n{_show_tables(filled)}")
        return
    found = theory.bounds(**problem)  # type: ignore[arg-type]  # checked there
    if json:
        typer.echo(_json({**problem, "bounds": found}))
        return
    titles = ("strategy", "paper's formula", "exact constant", "exact plan", "tight constants", "worst case")
    rows = [(b.strategy + "*" * (not b.proven), b.formula, b.printed, b.exact, b.tight, b.worst_case) for b in found]
    typer.echo(f"Pulls that surely find the best: {about}\n")
    typer.echo("\n".join(format_table(titles, rows)))
    if not all(b.proven for b in found):
        typer.echo("\n* the printed schedule has more rounds here than its bound R: the first two promise nothing.")
    typer.echo(
        "\nThe worst case is what Theorem 1 asks of anybody against adversarial scores; random ones need far less."
    )


@app.command(epilog="Example: heats demo --seed 7")
def demo(
    n_arms: Arms = 30,
    heat_size: HeatSize = 4,
    budget: Budget = 300,
    strategy: Strategy = "planned",
    seed: Seed = 0,
    pause: Annotated[float, typer.Option(help="Longest wait per heat, to watch it; none off a terminal.")] = 0.01,
    blind: Blind = False,
    journal: JournalPath = None,
    dask: Dask = None,
    json: Json = False,
) -> None:
    """Race simulated solvers with live progress, then show the report."""
    from heats.cli.demo import play

    if not 0 <= pause <= 60:
        raise InvalidArgument(f"--pause {pause:g} must be 0 to 60 seconds.")
    longest = 20 / max(budget, 1) if sys.stderr.isatty() else 0  # nobody wants to watch for more than 20 seconds
    with _executor(dask) as executor, _resumable(journal):
        pause = min(pause, longest)
        found, fastest = play(
            n_arms, heat_size, budget, strategy, seed, pause, blind=blind, journal=journal, executor=executor
        )
    if json:
        typer.echo(found.to_json())
        return
    typer.echo(f"{n_arms} simulated solvers raced {heat_size} at a time: the first to finish wins.\n\n{found}")
    hit = "found" if found.winner is fastest else "missed"
    typer.echo(f"\nTruly fastest: {fastest.name} ({fastest.typical:.2f} s typical): {hit}.")


@app.command(epilog="Example: heats report run.jsonl --html run.html")
def report(
    journal: Annotated[str, typer.Argument(help="The journal of a run, finished or not.")],
    html: Annotated[str | None, typer.Option(help="Also write the report to this file, as one HTML page.")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Watch until the run is over.")] = False,
    json: Json = False,
) -> None:
    """Show what a journal says about its run; the run may go on meanwhile."""
    from heats.reports.summary import account, follow_to_the_end, open_journal, save

    log = open_journal(journal)
    if follow:
        follow_to_the_end(log)
    if html is not None:
        save(log, html)
    told = account(log)
    typer.echo(_json(told) if json else str(told))


@app.command(epilog="Example: heats resume run.jsonl")
def resume(
    journal: Annotated[str, typer.Argument(help="The journal of a run that the command line began.")],
    dask: Dask = None,
    json: Json = False,
) -> None:
    """Go on with a run that was interrupted, and show its report."""
    from heats.cli.resume import resume as go_on
    from heats.reports.summary import account, open_journal

    log = open_journal(journal)
    with _executor(dask if log.finished is None else None) as executor, _resumable(journal):
        told = go_on(log, executor) or account(log)
    typer.echo(told.to_json() if json else str(told))
    if not getattr(told, "decided", True):  # a race that nobody finished
        raise typer.Exit(1)


@app.command(epilog="Example: heats simulate -n 100 -k 4 -B 500 --feedback winner --reps 10000")
def simulate(
    n_arms: Arms,
    heat_size: HeatSize,
    budget: Budget,
    strategy: AnyStrategy = "planned",
    schedule: Schedule = "exact",
    record: Record = None,
    blind: Blind = False,
    feedback: Annotated[str, typer.Option(help="What is seen of a heat: reward or winner.")] = "reward",
    statistic: Annotated[str, typer.Option(help="mean, median, win_rate or power_mean (q = 2).")] = "mean",
    gap: Annotated[float, typer.Option(help="How far the best arm leads every heat it is in.")] = 0.1,
    decoy: Annotated[bool, typer.Option("--decoy", help="Set the Borda winner apart.")] = False,
    reps: Annotated[int, typer.Option(help="How many tournaments to play.")] = 10_000,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play many tournaments in the paper's synthetic world and count how often the best arm is found."""
    from heats.environments import Environment, Gaussian, Winners
    from heats.simulation.simulate import simulate as play

    _choose("statistic", statistic, ("mean", "median", "win_rate", "power_mean"))
    _choose("feedback", feedback, ("reward", "winner"))
    chosen = heats.power_mean(2) if statistic == "power_mean" else getattr(heats, statistic)
    world: Environment = Gaussian(n_arms, gap, decoy, seed, redraw=True)
    if feedback == "winner":
        world = Winners(world)
    hint = "winner" if statistic == "win_rate" else feedback
    if record is None and statistic not in ("mean", "win_rate") and strategy != "round-robin":
        record = "ties"  # a fitted one would rank heats by wins instead of this statistic
    algorithm = _algorithm(n_arms, heat_size, budget, strategy, schedule, record, blind, hint, chosen)
    with count_progress("tournaments") as tick:
        found = play(algorithm, world, reps, seed, None if strategy == "round-robin" else chosen, watch=tick)
    low, high = found.interval
    if json:
        asked = {"n_arms": n_arms, "heat_size": heat_size, "budget": budget, "strategy": strategy, "seed": seed}
        asked |= {"feedback": feedback, "statistic": statistic, "gap": gap, "decoy": decoy}
        asked |= {} if strategy == "round-robin" else {"schedule": schedule, "record": algorithm.record}
        told = {**asked, "reps": reps, "pulls": found.pulls, "successes": found.successes}
        typer.echo(_json({**told, "success_rate": found.success_rate, "low": low, "high": high}))
        return
    typer.echo(
        f"{strategy} found the best of {n_arms} arms in {found.successes} of {reps} tournaments of {found.pulls} pulls"
        f": {found.success_rate:.1%} (95% interval {low:.1%} to {high:.1%})"
    )


@app.command(epilog="Example: heats replay runs.csv -k 4 -B 300 --values runtime")
def replay(
    path: Annotated[str, typer.Argument(help="An ASlib folder, a PrefLib file (.soc, …), a .npz or a .csv.")],
    heat_size: HeatSize,
    budget: Budget,
    strategy: AnyStrategy = "planned",
    schedule: Schedule = "exact",
    record: Record = None,
    blind: Blind = False,
    values: Annotated[str | None, typer.Option(help="What a .csv holds: score (default), loss or runtime.")] = None,
    feedback: Annotated[
        str | None, typer.Option(help="reward, winner, ranking or seconds, as the file allows.")
    ] = None,
    reps: Annotated[int, typer.Option(help="How many tournaments to play.")] = 1000,
    seed: Seed = 0,
    top: Annotated[int, typer.Option(help="How many of the arms found most often to show.")] = 5,
    json: Json = False,
) -> None:
    """Play tournaments on recorded runs, scores or votes: how often which arm is found, and what that costs."""
    from heats.environments import Kind, read
    from heats.simulation.replay import replay as play

    world = read(path, values, feedback)  # type: ignore[arg-type]  # checked there
    told = {Kind.REWARDS: "reward", Kind.RANKING: "ranking"}.get(world.kind, "winner")
    algorithm = _algorithm(world.n_arms, heat_size, budget, strategy, schedule, record, blind, told)
    with count_progress("tournaments") as tick:
        found = play(world, algorithm, reps, seed, top, tick)
    asked = {"path": path, "strategy": strategy, "heat_size": heat_size, "budget": budget, "seed": seed}
    typer.echo(_json({**asked, **msgspec.to_builtins(found)}) if json else _show_replay(found, strategy))


@app.command(epilog="Example: heats reproduce fig-reward --reps 1000 --out reproduction")
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="all, or names; without any, they are listed.")] = None,
    reps: Annotated[
        int | None, typer.Option(help="Tournaments per point of a curve; left out: 1000, or 3 with --live.")
    ] = None,
    out: Annotated[str, typer.Option(help="Folder for figures, CSV and claims.md.")] = "reproduction",
    live: Annotated[
        bool, typer.Option("--live", help="With fig-race: run the solver for real, for k = 4 and B = 50.")
    ] = False,
    seed: Seed = 0,
    workers: Annotated[int | None, typer.Option(help="Processes to use; as many as cores if left out.")] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="For beyond: a recorded table, or a folder of them; may be repeated.")
    ] = None,
) -> None:
    """Reproduce the paper's experiments: figures, tables, its claims with verdicts; and planned beyond them."""
    from pathlib import Path

    from heats.experiments import ASKED, NAMES, race_live
    from heats.experiments import live as run_live
    from heats.experiments import reproduce as run_all

    if not names:
        raise InvalidArgument(f"say what to reproduce: all, or some of {', '.join((*NAMES, *ASKED))}.")
    if Path(out).exists() and not Path(out).is_dir():
        raise InvalidArgument(f"--out {out} is a file; give a folder.")
    if live:
        with count_progress("tournaments") as tick:
            text, path = run_live(names, Path(out), race_live.REPS if reps is None else reps, seed, workers, tick)
        typer.echo(f"{text}\n\n{path}")
        return
    with count_progress("points") as tick:
        written = run_all(names, Path(out), 1000 if reps is None else reps, seed, workers, tick, table or ())
    typer.echo("\n".join(str(path) for path in written))


@app.command(epilog="Example: heats race solvers/race.toml --seed 1")
def race(
    scenario: Annotated[str | None, typer.Argument(help="A scenario in TOML; --init writes one to begin with.")] = None,
    init: Annotated[str | None, typer.Option(metavar="DIR", help="Write a commented scenario that runs.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Try every candidate once; no race is run.")] = False,
    heat_size: Annotated[int | None, typer.Option("-k", "--heat-size", help="How many run in a heat.")] = None,
    budget: Annotated[int | None, typer.Option("-B", "--budget", help="How many heats to run.")] = None,
    cutoff: Annotated[str | None, typer.Option(help="Longest time of a run, as 10s or 500ms.")] = None,
    mode: Annotated[str | None, typer.Option(help="parallel or capped (one after another).")] = None,
    clock: Annotated[str | None, typer.Option(help="What capped counts: wall or cpu.")] = None,
    slots: Annotated[int | None, typer.Option(help="How many runs may go side by side.")] = None,
    instances: Annotated[str | None, typer.Option(help="A glob, relative to the scenario.")] = None,
    strategy: Annotated[str | None, typer.Option(help="planned, csws, csr or csh.")] = None,
    seed: Annotated[int | None, typer.Option(help="Equal seeds give equal heats and instances.")] = None,
    journal: Annotated[str | None, typer.Option(help="A new file to keep the race in; heats resume reads it.")] = None,
    html: Annotated[str | None, typer.Option(help="At the end also write the report to this file, as a page.")] = None,
    dask: Dask = None,
    json: Json = False,
) -> None:
    """Race programs: k command lines on one instance, the first to finish wins. Options override the file."""
    from heats.race import command_line

    if init is not None:
        if check or scenario is not None:
            raise InvalidArgument("--init writes a scenario and does nothing else; leave out the rest.")
        typer.echo("\n".join(str(path) for path in command_line.init(init)))
        return
    given = {"heat_size": heat_size, "budget": budget, "cutoff": cutoff, "mode": mode, "clock": clock, "slots": slots}
    given |= {"instances": instances, "strategy": strategy, "seed": seed}
    entered = command_line.enter(scenario, given)
    if check:
        with count_progress("candidates") as tick:
            told, fine = command_line.check(entered, tick, json=json)
        typer.echo(told)
        if not fine:
            raise HeatsError("not every candidate runs.")
        return
    command_line.check_page(html)
    path = command_line.journal_of(entered, journal)
    with _executor(dask) as executor, _resumable(str(path)):
        found = command_line.start(entered, given, path, executor)
    typer.echo(found.to_json() if json else str(found))
    if html is not None:
        from heats.reports.summary import open_journal, save

        save(open_journal(str(path)), html)
        command_line.say(f"the report is {html}")
    if not found.decided:
        raise typer.Exit(1)


def _executor(dask: str | None) -> AbstractContextManager[Executor | None]:
    if dask is None:
        return nullcontext()
    from heats.running.clusters import dask as connected

    return connected(dask)


@contextmanager
def _resumable(journal: str | None) -> Iterator[None]:
    """Say on an interrupt how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        if journal is not None:
            typer.echo(f"heats: what was told is kept; go on with: heats resume {shlex.quote(journal)}", err=True)
        raise


@app.command(epilog="Example: heats saps instance.cnf --alpha 1.3 --rho 0.8 --ps 0.05 --wp 0.01 --seed 7")
def saps(
    path: Annotated[str, typer.Argument(help="A DIMACS .cnf file.")],
    alpha: Annotated[float, typer.Option(help="Scaling factor.")] = Parameters().alpha,
    rho: Annotated[float, typer.Option(help="Smoothing factor.")] = Parameters().rho,
    ps: Annotated[float, typer.Option(help="Smoothing probability.")] = Parameters().ps,
    wp: Annotated[float, typer.Option(help="Random walk probability.")] = Parameters().wp,
    smoothing: Annotated[str, typer.Option(help="additive or convex.")] = "additive",
    seed: Seed = 0,
    cutoff_steps: Annotated[int, typer.Option(help="Give up after so many steps.")] = 100_000_000,
    json: Json = False,
) -> None:
    """Search for a model of a formula with SAPS; exit code 10 if one is found, 0 if not."""
    from heats.sat.command import solve_file

    raise typer.Exit(solve_file(path, alpha, rho, ps, wp, smoothing, seed, cutoff_steps, json=json))


@app.command(epilog="Example: heats swgcp --count 20 --seed 1 --out instances")
def swgcp(
    count: Annotated[int, typer.Option(help="How many instances to write.")] = 20,
    out: Annotated[str, typer.Option(help="Folder to write them to.")] = "instances",
    fewest: Annotated[int, typer.Option(help="Fewest vertices of a graph.")] = 60,
    most: Annotated[int, typer.Option(help="Most vertices of a graph.")] = 100,
    degree: Annotated[int, typer.Option(help="Neighbours of a vertex on the ring.")] = 10,
    colours: Annotated[int, typer.Option(help="Colours to colour with.")] = 6,
    lp: Annotated[float, typer.Option(help="A share 2^-lp of the edges is random.")] = 5,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write satisfiable instances of colouring small-world graphs, as DIMACS files."""
    from heats.sat.swgcp import Family, write_instances

    with count_progress("instances") as tick:
        written = write_instances(out, count, seed, Family(fewest, most, degree, colours, lp), tick)
    typer.echo(_json([str(path) for path in written]) if json else "\n".join(map(str, written)))


def _algorithm(
    n_arms: int,
    heat_size: int,
    budget: int,
    strategy: str,
    schedule: str,
    record: str | None,
    blind: bool,
    feedback: str,
    statistic: Any = heats.mean,
) -> Any:
    if strategy == "round-robin":
        if (schedule, record, blind) != ("exact", None, False):
            raise InvalidArgument("--schedule, --record and --blind are for tournaments; round-robin has none of them.")
        return heats.RoundRobin(n_arms, heat_size, budget, statistic=statistic)
    return heats.plan(
        *(n_arms, heat_size, budget, strategy),
        feedback=feedback,  # type: ignore[arg-type]  # checked there
        schedule=schedule,  # type: ignore[arg-type]  # checked there
        record=record,  # type: ignore[arg-type]  # checked there
        blind=blind,
    )


def _choose(name: str, value: str, among: Iterable[str]) -> None:
    if value not in among:
        raise InvalidArgument(f"--{name} {value} is unknown; choose one of {', '.join(among)}.")


def _show_replay(found: Any, strategy: str) -> str:
    rows = [(p.name, f"{p.share:.1%}", f"{p.low:.1%} to {p.high:.1%}", f"{p.value:.4g}") for p in found.picks]
    lines = [
        f"{strategy} on {found.rows} rows of {found.arms} arms, {found.feedback} feedback, "
        f"{found.reps} tournaments of {found.pulls} pulls",
        "",
        *format_table(("arm", "found", "95% interval", found.best_by), rows),
        "",
        f"best by {found.best_by}: {found.best}, found in {found.best_share:.1%}; "
        f"{found.best_by} of the arm found {found.found_value:.4g}, of the best {found.best_value:.4g}",
    ]
    if found.total_seconds is not None:
        lines.append(f"seconds of a tournament, its heats run in parallel: {found.total_seconds:.0f}")
    return "\n".join(lines)


def _show_tables(tables: dict[str, Any]) -> str:
    """Return the paper's tables as text."""
    parts = []
    for title, rows in tables.items():
        titles = ("algorithm", *rows[0].values)
        parts.append(
            "\n".join([title, "", *format_table(titles, [(row.algorithm, *row.values.values()) for row in rows])])
        )
    return "\n\n".join(parts)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def main() -> None:
    """Run the command line with the exit codes above."""
    raise_on_interrupt()  # all is loaded
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; a user's mistake is one sentence on standard error."""
    try:
        code = _at_once(arguments)
        if code is None:
            code = app(arguments, prog_name="heats", standalone_mode=False) or 0
    except InvalidArgument as error:
        return _complain(_as_options(str(error)), 2)
    except HeatsError as error:
        return _complain(str(error), 1)
    except typer.TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "heats")
        message = error.format_message().replace(
            "Input should be a valid integer, unable to parse string as an integer",
            "it must be a whole number, such as 1000",
        )
        return _complain(f"{message.rstrip('.?')}. See '{command} --help'.", 2)
    except OSError as error:  # standard output is full, say
        return _complain(f"{error}.", 1)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    return _complain("interrupted.", code) if code == 130 else code


def _at_once(arguments: list[str]) -> int | None:
    """Run what a race starts over and over without the time it takes to load the parser; None for all else."""
    if arguments[:1] != ["saps"]:
        return None
    from heats.sat.command import parse_plain_options, solve_file

    options = parse_plain_options(arguments[1:])
    return None if options is None else solve_file(**options)


def _as_options(sentence: str) -> str:
    """Speak of options as they are typed here."""
    spoken = {
        "blind=True": "--blind",
        "schedule='exact'": "--schedule exact",
        ", or give a function f(size) that says how many arms of a heat stay": " (or round-robin, to simulate)",
    }
    for python, typed in spoken.items():
        sentence = sentence.replace(python, typed)
    return sentence


def _complain(sentence: str, code: int) -> int:
    typer.echo(f"heats: {sentence}", err=True)
    return code
