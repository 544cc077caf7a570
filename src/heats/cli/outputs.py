"""Files that a command writes beside what it prints: checked before anything is spent, written at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heats.errors import InvalidArgument
from heats.journal import Log
from heats.reports.result import Result

if TYPE_CHECKING:
    from heats.running.found import Found


def check_places(
    *,
    html: str | None = None,
    csv: str | None = None,
    pulls: str | None = None,
    journal: str | None = None,
    spreadsheet: bool = False,
) -> None:
    """Refuse files that cannot be written before anything is spent, and one file for two things."""
    from heats.reports.frames import check_table
    from heats.reports.page import check_page
    from heats.reports.places import check_different

    if html is not None:
        check_page(html)
    for argument, path in (("csv", csv), ("pulls", pulls)):
        if path is not None:
            check_table(argument, path)
    check_different(html=html, csv=csv, pulls=pulls, journal=journal)
    if spreadsheet and csv is None and pulls is None:
        raise InvalidArgument("{spreadsheet} is about a table; say which, with --csv FILE.", spreadsheet=True)


def save_found(found: Found, html: str | None, csv: str | None, *, spreadsheet: bool) -> None:
    """Write the page and the standings of a run that need not have a journal, where they are asked for."""
    from heats.reports.frames import list_results, save_table
    from heats.reports.places import save_file

    if csv is not None:
        save_table("csv", csv, list_results(found.standings, found.names, ()), spreadsheet=spreadsheet)
    if html is not None:
        save_file("html", html, found.to_html().encode(errors="backslashreplace"))


def save_tables(log: Log, result: Result, csv: str | None, pulls: str | None = None, *, spreadsheet: bool) -> None:
    """Write the standings and the pulls as tables, where they are asked for."""
    from heats.reports.frames import list_kept_pulls, list_results, save_table

    if csv is not None:
        save_table("csv", csv, list_results(result.report.standings, log.names, log.values), spreadsheet=spreadsheet)
    if pulls is not None:
        save_table("pulls", pulls, list_kept_pulls(log), spreadsheet=spreadsheet)
