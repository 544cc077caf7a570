"""The command itself: ``heats``, its version and its help. Commands are added to it by the files of their groups."""

from __future__ import annotations

from typing import Annotated

import typer

import heats

app = typer.Typer(
    name="heats",
    help="Find the best of n candidates with B trials, each comparing up to k of them side by side.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
