"""k outputs → the text that a judge is asked: it sees letters, never names, and is told how to answer."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import msgspec

from heats.errors import InvalidArgument

LETTERS = string.ascii_uppercase
QUESTION = "Which of these answers is the best?"


def show_outputs(
    outputs: Sequence[str], row: Any = None, question: str = QUESTION, *, ranking: bool = False, ties: bool = False
) -> str:
    """Return the text with which a judge is asked about ``outputs``, which are called A, B, C, … in this order."""
    letters = LETTERS[: check_size(len(outputs))]
    parts = [question]
    if row is not None:
        parts.append(f"<task>\n{write_row(row)}\n</task>")
    parts += [f"<{letter}>\n{output}\n</{letter}>" for letter, output in zip(letters, outputs, strict=True)]
    parts.append(_say_how_to_answer(letters, ranking=ranking, ties=ties))
    return "\n\n".join(parts)


def check_size(size: int) -> int:
    """Return how many are shown, or refuse more than there are letters."""
    if size > len(LETTERS):
        raise InvalidArgument(
            f"{{heat_size}} is more than a judge is shown at once, {len(LETTERS)}: it answers with a letter.",
            heat_size=size,
        )
    return size


def write_row(row: Any) -> str:
    """Return a row of a data set as text: a text as it is, other things as JSON if they can be."""
    if isinstance(row, str):
        return row
    try:
        return msgspec.json.format(msgspec.json.encode(row), indent=1).decode()
    except (TypeError, ValueError):
        return str(row)


def _say_how_to_answer(letters: str, *, ranking: bool, ties: bool) -> str:
    if ranking:
        return (
            f"Rank all of them, best first. Answer with the {len(letters)} letters {', '.join(letters)} only, in that "
            f"order, separated by >, as in {' > '.join(reversed(letters))}."
        )
    named = f"{', '.join(letters[:-1])} or {letters[-1]}"
    return f"Answer with one letter only: {named}{', or TIE if none is better than the others' if ties else ''}."
