"""The command line: each command is a few lines over the library.

Exit codes: 0 done, 1 the run failed, 2 the request was wrong (one sentence, no traceback), 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import heats
from heats.engine.table import table
from heats.errors import HeatsError, InvalidArgument

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
Strategy = Annotated[str, typer.Option(help="csws (winner stays), csr (last leaves) or csh (better half stays).")]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal runs.")]
Feedback = Annotated[str, typer.Option(help="What bounds are about: winner or reward.")]
Sigma = Annotated[float, typer.Option(help="Rewards are sigma-sub-Gaussian; 0.5 fits all within an interval of 1.")]
Blind = Annotated[bool, typer.Option("--blind", help="Allow heats that nobody looks at.")]
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


@app.command(epilog="Example: heats plan -n 100 -k 4 -B 500 --strategy csh")
def plan(
    n_arms: Arms,
    heat_size: HeatSize,
    budget: Budget,
    strategy: Strategy = "csh",
    schedule: Annotated[str, typer.Option(help="exact (spends all it can) or paper (as printed).")] = "exact",
    record: Annotated[str, typer.Option(help="What earlier rounds decide: ties, off or pooled.")] = "ties",
    blind: Blind = False,
    delta: Annotated[float | None, typer.Option(help="Add the gap each round resolves but for delta.")] = None,
    feedback: Feedback = "winner",
    sigma: Sigma = 0.5,
    json: Json = False,
) -> None:
    """Show every round of a tournament, and what it costs, before anything is run."""
    made = heats.plan(n_arms, heat_size, budget, strategy, schedule=schedule, record=record, blind=blind)  # type: ignore[arg-type]  # checked there
    if delta is None:
        typer.echo(made.to_json() if json else str(made))
        return
    from heats.theory import guarantee
    from heats.theory.tables import rate_of_plan

    promised = guarantee(made, rate_of_plan(made, feedback, delta, sigma))  # type: ignore[arg-type]  # checked there
    if json:
        typer.echo(_json({"plan": made, "gaps": promised.gaps, "gap": promised.gap, "delta": delta}))
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
    """Show how much budget finds the best candidate for sure (up to delta), and how much never can."""
    from heats.theory import tables as theory

    if tables:
        filled = theory.paper_tables(n_arms, heat_size, gap, delta, feedback, sigma)  # type: ignore[arg-type]  # checked there
        typer.echo(_json(filled) if json else _show_tables(filled))
        return
    found = theory.bounds(n_arms, heat_size, gap, delta, feedback, sigma)  # type: ignore[arg-type]  # checked there
    if json:
        typer.echo(_json(found))
        return
    titles = ("strategy", "paper's formula", "exact constant", "exact plan", "tight constants", "lower bound")
    rows = [(b.strategy, b.formula, b.printed, b.exact, b.tight, b.lower) for b in found]
    spread = f", {sigma:g}-sub-Gaussian" if feedback == "reward" else ""
    typer.echo(
        f"{n_arms} candidates, heats of {heat_size}, {feedback} feedback{spread}: pulls that resolve a gap of {gap:g}"
    )
    typer.echo(f"with probability {1 - delta:g}\n")
    typer.echo("\n".join(table(titles, rows)))


@app.command(epilog="Example: heats demo --seed 7")
def demo(
    n_arms: Arms = 30,
    heat_size: HeatSize = 4,
    budget: Budget = 300,
    strategy: Strategy = "csh",
    seed: Seed = 0,
    pause: Annotated[float, typer.Option(help="Longest wait per heat, to watch it; none off a terminal.")] = 0.01,
    blind: Blind = False,
    json: Json = False,
) -> None:
    """Race simulated solvers with live progress, then show the report."""
    from heats.demo import play

    if not 0 <= pause <= 60:
        raise InvalidArgument(f"--pause {pause:g} must be 0 to 60 seconds.")
    longest = 20 / max(budget, 1) if sys.stderr.isatty() else 0  # nobody wants to watch for more than 20 seconds
    found, fastest = play(n_arms, heat_size, budget, strategy, seed, min(pause, longest), blind=blind)
    if json:
        typer.echo(found.to_json())
        return
    typer.echo(f"{n_arms} simulated solvers raced {heat_size} at a time: the first to finish wins.\n\n{found}")
    hit = "found" if found.winner is fastest else "missed"
    typer.echo(f"\nTruly fastest: {fastest.name} ({fastest.typical:.2f} s typical): {hit}.")


def _show_tables(tables: dict[str, Any]) -> str:
    """Return the paper's tables as text."""
    parts = []
    for title, rows in tables.items():
        titles = ("algorithm", *rows[0].values)
        parts.append("\n".join([title, "", *table(titles, [(row.algorithm, *row.values.values()) for row in rows])]))
    return "\n\n".join(parts)


def _json(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def main() -> None:
    """Run the command line with the exit codes above."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; a user's mistake is one sentence on standard error."""
    try:
        code: int = app(arguments, prog_name="heats", standalone_mode=False) or 0
    except InvalidArgument as error:
        return _complain(_as_options(str(error)), 2)
    except HeatsError as error:
        return _complain(str(error), 1)
    except typer.TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "heats")
        return _complain(f"{error.format_message().rstrip('.?')}. See '{command} --help'.", 2)
    except OSError as error:  # standard output is full, say
        return _complain(f"{error}.", 1)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    return _complain("interrupted.", code) if code == 130 else code


def _as_options(sentence: str) -> str:
    """Speak of options as they are typed here."""
    spoken = {
        "blind=True": "--blind",
        "schedule='exact'": "--schedule exact",
        ", or give a function f(size) that says how many arms of a heat stay": "",
    }
    for python, typed in spoken.items():
        sentence = sentence.replace(python, typed)
    return sentence


def _complain(sentence: str, code: int) -> int:
    typer.echo(f"heats: {sentence}", err=True)
    return code
