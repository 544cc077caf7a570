"""The winner with all its values, as they were given: a name only has the digits that tell it from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from heats.base.naming import find_title, is_said, tabulate_parameters
from heats.base.text import make_lines_printable, make_printable
from heats.engine.report import Report


class Chosen(msgspec.Struct, frozen=True):
    """The candidate that won, and its values in full."""

    arm: int
    name: str
    value: Any  # the candidate as JSON; None where only its name is known, or a hash


def choose_winner(report: Report, names: Sequence[str], values: Sequence[Any]) -> Chosen | None:
    """Return the winner of a report, if it has one."""
    arm = report.winner
    return None if arm is None else Chosen(arm, names[arm], values[arm] if values else None)


def collect_parameters(values: Sequence[Any]) -> tuple[dict[str, Any] | None, ...] | None:
    """Return the values of candidates that are tables of parameters, by arm; None if none is."""
    found = tuple(value if isinstance(value, dict) else None for value in values)
    return found if any(each is not None for each in found) else None


def list_values(name: str, value: Any, *, name_is_shown: bool = True) -> list[tuple[str, str]]:
    """Return what a name leaves out: (parameter, value) in full, or the whole text under no title; else nothing."""
    if isinstance(value, dict):
        known = {title: each for title, each in value.items() if not (name_is_shown and each == name)}
        table = tabulate_parameters([known], exactly=True)
        said = [(title, str(text)) for title, text in zip(table.titles, table.rows[0], strict=True)]
        is_known = name_is_shown and all(is_said(title, text, name) for title, text in said)
        return [] if is_known else sorted(said, key=lambda pair: find_title(pair[0], name))
    if value is not None and not (name_is_shown and ("…" not in name or value == name)):
        return [("", value if isinstance(value, str) else msgspec.json.encode(value).decode())]
    return []


def describe_winner(winner: Chosen | None) -> Iterator[str]:
    """Yield the lines with the winner's values in full, where its name does not say them."""
    said = [] if winner is None else list_values(winner.name, winner.value)
    if not said:
        return
    yield "\nthe winner in full:"
    width = max(len(make_printable(title)) for title, _ in said)
    for title, text in said:
        lines = make_lines_printable(text) if not title else f"{make_printable(title):<{width}}  {make_printable(text)}"
        yield "\n".join(f"  {line}" for line in lines.split("\n"))
