"""A data set → the row of a pull: all rows in a seeded order, then all again in another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from heats.base.randomness import Purpose, draw_in_turn
from heats.errors import InvalidArgument


def take_rows(rows: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """Return the rows in a fixed order, or refuse what has none, or would not be what it looks like."""
    if rows is None:
        return None
    if hasattr(rows, "columns") and hasattr(rows, "shape"):  # of pandas or polars: it yields its columns
        raise InvalidArgument(
            "rows is a table, which would be taken for the names of its columns; give its rows, as "
            "df.to_dict('records') of pandas or df.to_dicts() of polars."
        )
    if isinstance(rows, (str, bytes, Mapping, set, frozenset)) or not isinstance(rows, Iterable):
        raise InvalidArgument("{rows} must be a list of what to judge on, in a fixed order.", rows=rows)
    if not (taken := tuple(rows)):
        raise InvalidArgument("rows is empty, so there is nothing to judge on; give at least one row, or leave it out.")
    return taken


def choose_row(count: int, seed: int, pull: int) -> int:
    """Return which of ``count`` rows a pull is judged on."""
    return draw_in_turn(seed, Purpose.ROW, pull, count)
