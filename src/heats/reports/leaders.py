"""Who came furthest in a race, each with its place, its chance and all its values: the winner may not stand alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heats.base.naming import find_title, tabulate_parameters
from heats.base.text import format_table, make_printable
from heats.engine.report import Report
from heats.engine.standings import Standing, say_chance

MOST_LEADERS = 8  # side by side in a text


def find_leaders(report: Report) -> list[Standing]:
    """Return winner, runner-up, who was in the last round, who is statistically tied with the winner; best first."""
    last = {arm for heat in report.rounds[-1].heats for arm in heat} if report.rounds else set()
    leading = last | set(report.rivals or ()) | ({report.winner, report.runner_up} - {None})
    return [row for row in report.standings.rows if row.arm in leading]


def describe_leaders(
    report: Report, names: Sequence[str], parameters: Sequence[Mapping[str, Any] | None]
) -> Iterator[str]:
    """Yield a table of the leaders, a column each: place, chance and parameters in full."""
    rows = [row for row in find_leaders(report) if parameters[row.arm] is not None]
    if report.winner is None or len(rows) < 2:
        return
    shown = rows[:MOST_LEADERS]
    table = tabulate_parameters([parameters[row.arm] or {} for row in shown], exactly=True)
    order = sorted(range(len(table.titles)), key=lambda column: find_title(table.titles[column], names[shown[0].arm]))
    yield "\nthe leading candidates in full:"
    cells = [
        ["place", *(str(row.place) for row in shown)],
        ["chance", *("–" if row.chance is None else say_chance(row.chance) for row in shown)],
        *([table.titles[column], *(each[column] or "–" for each in table.rows)] for column in order),
    ]
    titles = ("candidate", *(f"#{row.arm}" for row in shown))
    for line in format_table(titles, [list(map(make_printable, row)) for row in cells], words=(0,)):
        yield f"  {line}"
    if len(rows) > len(shown):
        yield f"  … and {len(rows) - len(shown)} more"
