"""What is chosen among, and what it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heats.base.naming import say_object, tabulate_parameters, tell_apart
from heats.base.text import make_encodable
from heats.errors import InvalidArgument
from heats.journal.fingerprint import make_plain

LONGEST_NAME = 60  # characters, of what is not made of parameters


def take_candidates(candidates: Iterable[Any]) -> tuple[Any, ...]:
    """Return the candidates in a fixed order, or refuse what has none or would not be what it looks like."""
    if isinstance(candidates, (str, bytes, bytearray, memoryview)) or not _is_iterable(candidates):
        raise InvalidArgument("{candidates} must be a list of the things to choose among.", candidates=candidates)
    if isinstance(candidates, Mapping):
        raise InvalidArgument(
            f"candidates is a {type(candidates).__name__}, of which only the keys would be compared. Give "
            "list(d.values()) with names=list(d) to choose among its values, or list(d) to choose among its keys."
        )
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


def _is_iterable(candidates: Any) -> bool:
    try:
        iter(candidates)
    except TypeError:  # of arrays without dimensions, too, which have the method
        return False
    return isinstance(candidates, Iterable)


def name_candidates(names: Sequence[str] | None, candidates: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names the user gave, or names made of the candidates themselves; no two are equal."""
    if names is None:
        made = _name_dicts({arm: each for arm, each in enumerate(candidates) if isinstance(each, Mapping)})
        return tell_apart([made.get(arm) or _name(each, arm) for arm, each in enumerate(candidates)])
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


def describe_candidate(candidate: Any) -> Any:
    """Return a candidate as plain data; a dict that is not JSON with its values as texts, anything else as None."""
    plain = make_plain(candidate)
    if plain is not None or not isinstance(candidate, Mapping):
        return plain
    try:
        table = tabulate_parameters([candidate], exactly=True)
    except Exception:  # somebody else's object, which is only to be described
        return None
    return {
        make_encodable(title): make_encodable(text or "")
        for title, text in zip(table.titles, table.rows[0], strict=True)
    }


def take_parameters(candidate: Any) -> Mapping[Any, Any] | None:
    """Return the parameters of a candidate as a journal keeps them, or as they are where it cannot; None of others."""
    plain = make_plain(candidate)
    if isinstance(plain, dict):
        return plain
    return candidate if isinstance(candidate, Mapping) else None


def _name(candidate: Any, arm: int) -> str:
    """Return one short line that says which candidate it is; one that is a dict is named together with the others."""
    said = " ".join(candidate.split()) if isinstance(candidate, str) else say_object(candidate)
    text = said or f"#{arm}"
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _name_dicts(dicts: Mapping[int, Mapping[Any, Any]]) -> dict[int, str]:
    """Return the names of candidates that are dicts, by arm: all their parameters, as short as tells them apart."""
    try:
        return dict(zip(dicts, tabulate_parameters(list(dicts.values())).names, strict=True))
    except Exception:  # somebody else's objects, which are only to be named: they are named like any other
        return {}
