"""What is chosen among, and what it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from heats.errors import InvalidArgument, show_value

LONGEST_NAME = 60  # characters


def take_candidates(candidates: Iterable[Any]) -> tuple[Any, ...]:
    """Return the candidates in a fixed order, or refuse what has none or would not be what it looks like."""
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, Iterable):
        raise InvalidArgument("{candidates} must be a list of the things to choose among.", candidates=candidates)
    if isinstance(candidates, (set, frozenset)):
        raise InvalidArgument(
            "candidates is a set, which has no fixed order, so runs could not be repeated; give a list."
        )
    if hasattr(candidates, "columns") and hasattr(candidates, "shape"):  # of pandas or polars: it yields its columns
        raise InvalidArgument(
            "candidates is a table, which would be taken for the names of its columns; give its rows, as "
            "df.to_dict('records') of pandas or df.to_dicts() of polars."
        )
    taken = tuple(candidates)
    if len(taken) < 2:
        raise InvalidArgument(f"candidates holds {len(taken)}, which leaves nothing to choose; give at least 2.")
    return taken


def name_candidates(names: Sequence[str] | None, candidates: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names the user gave, or names made of the candidates themselves; no two are equal."""
    if names is None:
        made = [_name(candidate, arm) for arm, candidate in enumerate(candidates)]
        counts = Counter(made)
        return tuple(name if counts[name] == 1 else f"{name} #{arm}" for arm, name in enumerate(made))
    if (
        not isinstance(names, (list, tuple))
        or len(names) != len(candidates)
        or not all(isinstance(n, str) for n in names)
    ):
        raise InvalidArgument(f"{{names}} must be one string per candidate, {len(candidates)} in all.", names=names)
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InvalidArgument(
            f"{{names}} has {name!r} {count} times: nobody could tell these candidates apart; give each its own name.",
            names=names,
        )
    return tuple(names)


def _name(candidate: Any, arm: int) -> str:
    """Return one short line that says which candidate it is."""
    text = candidate if isinstance(candidate, str) else getattr(candidate, "__name__", None) or show_value(candidate)
    if " at 0x" in str(text):  # a default repr says nothing
        return f"candidate {arm}"
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…"
