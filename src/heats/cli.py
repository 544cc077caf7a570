"""The command line: each command is a few lines over the library.

Exit codes: 0 done, 1 the run failed, 2 the request was wrong (one sentence, no traceback), 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import heats
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
    json: Json = False,
) -> None:
    """Show every round of a tournament, and what it costs, before anything is run."""
    made = heats.plan(n_arms, heat_size, budget, strategy, schedule=schedule, record=record, blind=blind)  # type: ignore[arg-type]  # checked there
    typer.echo(made.to_json() if json else str(made))


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
