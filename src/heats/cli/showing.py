"""A result, shown: printed, and written as a page where that is asked for."""

from __future__ import annotations

import typer

from heats.errors import HeatsError
from heats.journal import Log
from heats.reports.result import Result


def show_result(log: Log, result: Result, html: str | None, *, json: bool) -> None:
    """Print a result, after its page was written."""
    if html is not None:
        from heats.reports.page import save_page

        save_page(html, log, result)
    typer.echo(result.to_json() if json else str(result))


def end_with(result: Result, failure: HeatsError | None) -> None:
    """End with what went wrong in a validation, or with the exit code of a failure if nobody won a race."""
    if failure is not None:
        raise failure
    if result.race is not None and not result.race.decided:
        raise typer.Exit(1)
