"""Files of one thing per line → their lines without comments; and mistakes named with file and line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heats.base.text import end_sentence, make_printable, split_lines
from heats.errors import BrokenFile, InvalidArgument


def list_lines(text: str) -> list[tuple[int, str]]:
    """Return what stands before the comments, with the number of its line, where there is anything."""
    lines = ((number, raw.partition("#")[0].strip()) for number, raw in enumerate(split_lines(text), 1))
    return [(number, line) for number, line in lines if line]


@contextmanager
def blame_line(path: Path, number: int) -> Iterator[None]:
    """Turn what is wrong into a sentence that begins with file and line."""
    try:
        yield
    except (ValueError, InvalidArgument) as error:
        raise BrokenFile(make_printable(f"{path}, line {number}: {end_sentence(error)}")) from None
