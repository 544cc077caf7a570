"""Options that several commands have, each spelled and explained once; and how an argument is spelled as an option."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heats.base.interrupts import take_sigterm_as_interrupt
from heats.cli.root import app
from heats.errors import show_value

if TYPE_CHECKING:
    from concurrent.futures import Executor

STRATEGIES = ("planned", "csws", "csr", "csh")

Arms = Annotated[int, typer.Option("-n", "--n-arms", help="How many candidates there are.")]
HeatSize = Annotated[int, typer.Option("-k", "--heat-size", help="How many are compared at once.")]
Budget = Annotated[int, typer.Option("-B", "--budget", help="How many comparisons may be made.")]
MaybeBudget = Annotated[int | None, typer.Option("-B", "--budget", help="How many comparisons may be made.")]
PlayedStrategy = Annotated[
    str | None,
    typer.Option(help="adaptive, planned, csws, csr or csh; left out: adaptive, unless what is said means a plan."),
]
Batches = Annotated[
    int | None, typer.Option(help="For adaptive: in how many batches it decides whom to compare; left out: 15.")
]
EveryStrategy = Annotated[
    str, typer.Option(help="planned, adaptive, csws, csr, csh, round-robin, or all to compare them.")
]
Edge = Annotated[float | None, typer.Option(help="For planned: how often the best beats the second best, if known.")]
Guaranteed = Annotated[bool, typer.Option("--guaranteed", help="Keep to what the paper's theorems cover.")]
Sure = Annotated[
    float | None, typer.Option(help="Adaptive play ends once the winner has this chance to be the best, as 0.95.")
]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal runs.")]
Sigma = Annotated[
    float | None,
    typer.Option(help="Rewards are sigma-sub-Gaussian; left out: 0.5, which fits all within an interval of 1."),
]
Schedule = Annotated[str, typer.Option(help="exact (spends all it can) or paper (as printed).")]
Record = Annotated[
    str | None, typer.Option(help="What earlier rounds decide: ties, off, pooled or fitted; planned chooses.")
]
Blind = Annotated[bool, typer.Option("--blind", help="Allow heats that nobody looks at.")]
JournalPath = Annotated[str | None, typer.Option("--journal", help="Keep the run in this file, or resume it.")]
Html = Annotated[str | None, typer.Option(help="Also write the report to this file, as one HTML page.")]
Csv = Annotated[str | None, typer.Option(help="Also write the standings to this file, as a CSV table.")]
Pulls = Annotated[str | None, typer.Option(help="Also write all pulls to this file, as a CSV table.")]
Spreadsheet = Annotated[
    bool, typer.Option("--spreadsheet", help="Put an apostrophe before what spreadsheets take for a formula.")
]
Dask = Annotated[str | None, typer.Option(help="Compare on a Dask cluster: tcp://host:port, or local.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

ARGUMENTS = ("path", "names", "scenario")  # are typed without a name


def spell_option(name: str, value: object) -> str:
    """Return an argument as it is typed here; one that no command has as Python spells it."""
    if name in ARGUMENTS:
        return shlex.join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    known = {each for command in app.registered_commands for each in inspect.signature(command.callback).parameters}  # type: ignore[arg-type]  # all have one
    if name not in known:
        return f"{name}={show_value(value)}"
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    return f"{option} {(str(value) or repr(value)) if isinstance(value, str | Path) else show_value(value)}"


def connect_executor(dask: str | None) -> AbstractContextManager[Executor | None]:
    """Return what comparisons are made on: a cluster, or this process."""
    if dask is None:
        return nullcontext()
    from heats.executors import dask as connect_dask

    return connect_dask(dask)


@contextmanager
def say_how_to_go_on(journal: str | None) -> Iterator[None]:
    """Say on an interrupt, or when the process is asked to end, how to go on."""
    with take_sigterm_as_interrupt():
        try:
            yield
        except KeyboardInterrupt:
            if journal is not None:
                typer.echo(f"heats: what was told is kept; go on with: heats resume {shlex.quote(journal)}", err=True)
            raise
