"""What people may write beside an answer → what a journal can hold, or why it cannot."""

from __future__ import annotations

import msgspec

from heats.base.checks import between
from heats.base.text import end_sentence
from heats.errors import BadFeedback

MOST_SECONDS = 1e10  # of a comparison: three centuries
DEEPEST_NOTES = 100  # dicts and lists within each other


def check_seconds(took: float | None) -> float | None:
    """Return how long a comparison took, if that is known."""
    return None if took is None else between("took", took, 0, MOST_SECONDS, why="seconds")


def check_notes(notes: object) -> None:
    """Refuse notes that could not be written, or not be read again."""
    try:
        if not isinstance(notes, dict):
            raise TypeError(f"a {type(notes).__name__} is not a dict")
        if _depth(notes) > DEEPEST_NOTES:  # they must be readable from any depth of a program
            raise ValueError(f"they are more than {DEEPEST_NOTES} levels deep")
        msgspec.json.decode(msgspec.json.encode(notes))
    except (TypeError, ValueError, RecursionError) as error:  # msgspec's own are ValueErrors
        raise BadFeedback(f"the notes cannot be written as JSON: {end_sentence(error)}") from None


def _depth(value: object) -> int:
    """Return how many dicts and lists stand within each other, as far as it matters."""
    level, deepest = [value], 0
    while level and deepest <= DEEPEST_NOTES:
        nests = [each for each in level if isinstance(each, dict | list | tuple)]
        level = [inner for each in nests for inner in (each.values() if isinstance(each, dict) else each)]
        deepest += bool(nests)
    return deepest
