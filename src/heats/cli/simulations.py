"""``heats simulate``, ``replay`` and ``reproduce``: many runs in worlds, on tables, and as in the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

import heats
from heats.base.checks import one_of
from heats.base.text import count_things, format_table
from heats.cli import options
from heats.cli.plans import check_batches, encode
from heats.cli.root import app
from heats.engine.statistics import Statistic
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning.plan import FEEDBACKS
from heats.running.progress import count_progress

Reps = Annotated[int, typer.Option(help="How many runs to play.")]

SMALLEST_END = 1e-9  # of an interval; what is smaller is 0, or nothing but rounding

UNPLANNED: dict[str, Callable[..., heats.Machine]] = {"adaptive": heats.Adaptive, "round-robin": heats.RoundRobin}


@app.command(epilog="Example: heats simulate -n 100 -k 4 -B 500 --feedback winner --reps 10000")
def simulate(
    n_arms: options.Arms,
    heat_size: options.HeatSize,
    budget: options.Budget,
    strategy: options.EveryStrategy = "planned",
    batches: options.Batches = None,
    schedule: options.Schedule = "exact",
    record: options.Record = None,
    blind: options.Blind = False,
    feedback: Annotated[str, typer.Option(help="What is seen of a heat: reward, winner or ranking.")] = "reward",
    statistic: Annotated[str, typer.Option(help="mean, median, win_rate or power_mean (q = 2).")] = "mean",
    gap: Annotated[float, typer.Option(help="How far the best leads every heat it is in.")] = 0.1,
    decoy: Annotated[bool, typer.Option("--decoy", help="Set the Borda winner apart.")] = False,
    reps: Reps = 10_000,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play many runs in the paper's synthetic world and count how often the best is found."""
    from heats.environments import Environment, Gaussian, Orders, Winners
    from heats.simulation import simulate as play

    strategy = one_of("strategy", strategy.lower(), (*options.STRATEGIES, *UNPLANNED, "all"))
    one_of("statistic", statistic, ("mean", "median", "win_rate", "power_mean"))
    one_of("feedback", feedback, FEEDBACKS)
    if (feedback, statistic) == ("ranking", "win_rate"):
        raise InvalidArgument(
            "{statistic} looks at who won only; take {feedback}.", statistic=statistic, feedback="winner"
        )
    chosen = heats.power_mean(2) if statistic == "power_mean" else getattr(heats, statistic)
    world: Environment = Gaussian(n_arms, gap, decoy, seed, redraw=True)
    if feedback != "reward":
        world = Winners(world) if feedback == "winner" else Orders(world)
    hint = "winner" if statistic == "win_rate" else feedback
    check_batches(strategy, batches)
    asked: dict[str, Any] = {"n_arms": n_arms, "heat_size": heat_size, "budget": budget, "strategy": strategy}
    asked |= {"seed": seed, "feedback": feedback, "statistic": statistic, "gap": gap, "decoy": decoy}
    problem = (n_arms, heat_size, budget)
    if strategy == "all":
        _refuse_details(schedule, record)
        scores = _simulate_all(problem, world, reps, seed, hint, chosen, blind=blind)
        typer.echo(encode({**asked, "reps": reps, "scores": scores}) if json else _format_scores(asked, scores, reps))
        return
    if strategy not in UNPLANNED:
        record = _choose_record(record, chosen)
    algorithm = _make_algorithm(*problem, strategy, schedule, record, blind, hint, chosen, batches)
    with count_progress("runs") as tick:
        found = play(algorithm, world, reps, seed, None if strategy in UNPLANNED else chosen, watch=tick)
    low, high = found.interval
    if json:
        asked |= {} if batches is None else {"batches": batches}
        asked |= {} if strategy in UNPLANNED else {"schedule": schedule, "record": algorithm.record}
        told = {**asked, "reps": reps, "pulls": found.pulls, "successes": found.successes}
        typer.echo(encode({**told, "success_rate": found.success_rate, "low": low, "high": high}))
        return
    typer.echo(
        f"{strategy} found the best of {n_arms} arms in {found.successes} of {reps} runs of "
        f"{count_things(found.pulls, 'pull')}: {found.success_rate:.1%} (95% interval {_format_interval(low, high)})"
    )


def _choose_record(record: str | None, statistic: Statistic) -> str | None:
    """Return the record that a plan is to have: a fitted one would rank heats by wins instead of other statistics."""
    return "ties" if record is None and statistic not in (heats.mean, heats.win_rate) else record


def _simulate_all(
    problem: tuple[int, int, int], world: Any, reps: int, seed: int, hint: str, statistic: Statistic, *, blind: bool
) -> list[dict[str, Any]]:
    """Return how often every strategy finds the best, or why it cannot play."""
    from heats.simulation import simulate as play

    scores: list[dict[str, Any]] = []
    names = (*options.STRATEGIES, *UNPLANNED)
    with count_progress("runs") as tick:
        for number, name in enumerate(names):
            is_plan = name not in UNPLANNED
            record = _choose_record(None, statistic) if is_plan else None
            try:
                algorithm = _make_algorithm(*problem, name, "exact", record, blind and is_plan, hint, statistic)
            except BudgetTooSmall:
                scores.append({"strategy": name, "why_not": "too few pulls"})
                continue

            def watch(done: int, _: int, before: int = number * reps) -> None:
                tick(before + done, len(names) * reps)

            found = play(algorithm, world, reps, seed, statistic if is_plan else None, watch=watch)
            told = {"strategy": name, "pulls": found.pulls, "successes": found.successes}
            low, high = found.interval
            scores.append({**told, "success_rate": found.success_rate, "low": low, "high": high})
    return scores


def _format_scores(asked: Mapping[str, Any], scores: Sequence[Mapping[str, Any]], reps: int) -> str:
    rows = [
        (each["strategy"], "", each["why_not"], "")
        if "why_not" in each
        else (
            *(each["strategy"], each["pulls"], f"{each['success_rate']:.1%}"),
            _format_interval(each["low"], each["high"]),
        )
        for each in scores
    ]
    about = f"how often each finds the best of {asked['n_arms']} arms, {asked['feedback']} feedback, {reps} runs each"
    return "\n".join([about, "", *format_table(("strategy", "pulls", "found", "95% interval"), rows)])


def _format_interval(low: float, high: float) -> str:
    """Return an interval of shares in percent, with as many digits as tell its ends from 0 and 1."""
    nearest = min(end for end in (low, 1 - low, high, 1 - high) if end > SMALLEST_END)
    places = max(1, math.ceil(-math.log10(nearest)) - 2)
    return f"{low:.{places}%} to {high:.{places}%}"


@app.command(
    epilog="Example: heats replay runs.csv -k 4 -B 300 --values runtime; heats replay runs.csv -k 4 --strategy all"
)
def replay(
    path: Annotated[str, typer.Argument(help="An ASlib folder, a PrefLib file (.soc, …), a .npz or a .csv.")],
    heat_size: options.HeatSize,
    budget: options.MaybeBudget = None,
    strategy: options.EveryStrategy = "planned",
    batches: options.Batches = None,
    schedule: options.Schedule = "exact",
    record: options.Record = None,
    blind: options.Blind = False,
    values: Annotated[str | None, typer.Option(help="What a .csv holds: score (default), loss or runtime.")] = None,
    feedback: Annotated[
        str | None, typer.Option(help="reward, winner, ranking or seconds, as the file allows.")
    ] = None,
    reps: Annotated[
        int | None, typer.Option(help="How many runs to play; left out: 1000, with all as many as take seconds.")
    ] = None,
    seed: options.Seed = 0,
    top: Annotated[int, typer.Option(help="How many of the candidates found most often to show.")] = 5,
    json: options.Json = False,
) -> None:
    """Play on recorded runtimes, scores or votes: how often who is found, and what that costs.

    With --strategy all: every strategy, with 1, 3 and 10 comparisons per candidate unless a budget is given.
    """
    from heats.environments import read
    from heats.simulation.comparison import compare_strategies
    from heats.simulation.replay import hint_feedback
    from heats.simulation.replay import replay as play

    strategy = one_of("strategy", strategy.lower(), (*options.STRATEGIES, *UNPLANNED, "all"))
    check_batches(strategy, batches)
    world = read(path, values, feedback)  # type: ignore[arg-type]  # checked there
    asked = {"path": path, "strategy": strategy, "heat_size": heat_size, "budget": budget, "seed": seed}
    asked |= {} if batches is None else {"batches": batches}
    if strategy == "all":
        _refuse_details(schedule, record)
        with count_progress("runs") as tick:
            budgets = None if budget is None else [budget]
            compared = compare_strategies(world, heat_size, budgets, reps, seed, blind=blind, watch=tick)
        typer.echo(encode({**asked, **msgspec.to_builtins(compared)}) if json else _format_comparison(compared))
        return
    if budget is None:
        raise InvalidArgument(
            "say how many comparisons may be made, as {budget}, or compare with {strategy}.", budget=300, strategy="all"
        )
    told = hint_feedback(world)
    details = (schedule, record, blind, told, heats.mean, batches)
    algorithm = _make_algorithm(world.n_arms, heat_size, budget, strategy, *details)
    with count_progress("runs") as tick:
        found = play(world, algorithm, 1000 if reps is None else reps, seed, top, tick)
    typer.echo(encode({**asked, **msgspec.to_builtins(found)}) if json else _format_replay(found, strategy))


def _refuse_details(schedule: str, record: str | None) -> None:
    if (schedule, record) != ("exact", None):
        raise InvalidArgument(
            "{strategy} plays every strategy as it comes; leave schedule and record out.", strategy="all"
        )


def _format_comparison(found: Any) -> str:
    titles = ("budget", "strategy", "pulls", "success", "95% interval", "regret", "±", "")
    lines = [
        f"all strategies on {found.rows} rows of {found.arms} arms, {found.feedback} feedback, {found.reps} runs each",
        "",
        *format_table(titles, [_format_score(each) for each in found.scores]),
        "",
        f"best by {found.best_by}: {found.best} with {_format_number(found.best_value, 4)}",
        f"regret: how much worse the arm found is on average; an arm drawn at random has "
        f"{_format_number(found.blind_regret, 4)}",
        "*: nobody has less regret with this budget, as far as these runs tell",
    ]
    if any(each.strategy == "successive-halving" and each.pulls for each in found.scores):
        lines.append("successive-halving: pulls single arms, as many as the heats of the others have places")
    return "\n".join(lines)


def _format_score(each: Any) -> tuple[object, ...]:
    if each.why_not is not None:
        return each.budget, each.strategy, "", each.why_not, "", "", "", ""
    interval = _format_interval(each.low, each.high)
    regret = _format_number(each.regret, 4), _format_number(each.error, 2)
    return each.budget, each.strategy, each.pulls, f"{each.success:.1%}", interval, *regret, "*" * each.leads


def _format_number(number: float, digits: int) -> str:
    """Return some digits of a number, all of them of a large one."""
    return f"{number:.0f}" if abs(number) >= 10**digits else f"{number:.{digits}g}"


def _make_algorithm(
    n_arms: int,
    heat_size: int,
    budget: int,
    strategy: str,
    schedule: str,
    record: str | None,
    blind: bool,
    feedback: str,
    statistic: Statistic,
    batches: int | None = None,
) -> Any:
    one_of("strategy", strategy, (*options.STRATEGIES, *UNPLANNED))
    if strategy in UNPLANNED:
        if (schedule, record, blind) != ("exact", None, False):
            raise InvalidArgument(
                "{strategy} has no schedule, no record and no blind heats; leave these out.", strategy=strategy
            )
        details = {} if batches is None else {"batches": batches}
        return UNPLANNED[strategy](n_arms, heat_size, budget, statistic=statistic, **details)
    return heats.plan(
        *(n_arms, heat_size, budget, strategy),
        feedback=feedback,  # type: ignore[arg-type]  # checked there
        schedule=schedule,  # type: ignore[arg-type]  # checked there
        record=record,  # type: ignore[arg-type]  # checked there
        blind=blind,
    )


def _format_replay(found: Any, strategy: str) -> str:
    rows = [(p.name, f"{p.share:.1%}", _format_interval(p.low, p.high), f"{p.value:.4g}") for p in found.picks]
    lines = [
        f"{strategy} on {found.rows} rows of {found.arms} arms, {found.feedback} feedback, "
        f"{found.reps} runs of {count_things(found.pulls, 'pull')}",
        "",
        *format_table(("arm", "found", "95% interval", found.best_by), rows),
        "",
        f"best by {found.best_by}: {found.best}, found in {found.best_share:.1%}; "
        f"{found.best_by} of the arm found {found.found_value:.4g}, of the best {found.best_value:.4g}",
    ]
    if found.total_seconds is not None:
        lines.append(f"seconds of a tournament, its heats run in parallel: {found.total_seconds:.0f}")
    return "\n".join(lines)


@app.command(epilog="Example: heats reproduce fig-reward --reps 1000 --out reproduction")
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="all, or names; without any, they are listed.")] = None,
    reps: Annotated[
        int | None, typer.Option(help="Tournaments per point of a curve, or world; left out: 1000, or 3 with --live.")
    ] = None,
    out: Annotated[str, typer.Option(help="Folder for figures, CSV and claims.md.")] = "reproduction",
    live: Annotated[
        bool, typer.Option("--live", help="With fig-race: run the solver for real, for k = 4 and B = 50.")
    ] = False,
    seed: options.Seed = 0,
    workers: Annotated[int | None, typer.Option(help="Processes to use; as many as cores if left out.")] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(help="For beyond and times: a recorded table, or a folder of them; may be repeated."),
    ] = None,
) -> None:
    """Reproduce the paper's experiments: figures, tables, its claims with verdicts; and those beyond it.

    beyond plays planned beside the paper's strategies, and adaptive beside planned.

    standings measures how often the stated chance to be the best is right.

    sure measures how often adaptive play that stops early is right.

    times measures whether times of races say more than wins.

    all leaves out standings (a quarter of an hour), sure, times and race-table.
    """
    from heats.experiments import LIVE_REPS, list_experiments
    from heats.experiments import live as run_live
    from heats.experiments import reproduce as run_all

    if not names:
        typer.echo("\n".join(["all", *list_experiments()]))
        return
    if Path(out).exists() and not Path(out).is_dir():
        raise InvalidArgument("{out} is a file; give a folder.", out=out)
    if live:
        with count_progress("runs") as tick:
            text, path = run_live(names, Path(out), LIVE_REPS if reps is None else reps, seed, workers, tick)
        typer.echo(f"{text}\n\n{path}")
        return
    with count_progress("points") as tick:
        written = run_all(names, Path(out), 1000 if reps is None else reps, seed, workers, tick, table or ())
    typer.echo("\n".join(str(path) for path in written))
