"""The command itself: ``heats``, its version and its help. Commands are added to it by the files of their groups."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

import heats


class OnceCommand(TyperCommand):
    """A command that refuses an option that is given twice, of which the last would count."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, after a look at how often each option is there."""
        _, _, said = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(each for each in said if isinstance(each, TyperOption)).items():
            if times > 1 and not (option.multiple or option.is_flag):
                ctx.fail(f"{option.opts[-1]} is given {times} times; give it once.")
        return super().parse_args(ctx, args)


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
