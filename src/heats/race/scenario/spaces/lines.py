"""Files of one thing per line → their lines without comments; and mistakes named with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heats.base.text import end_sentence, make_printable, split_lines
from heats.errors import BrokenFile, InvalidArgument

_UP_TO_COMMENT = re.compile(r"""(?:"[^"]*"|'[^']*'|[^#])*+""")


def list_lines(text: str, *, quoted: bool = False) -> list[tuple[int, str]]:
    """Return what stands before the comments, with the number of its line, where there is anything.

    ``quoted``: where a # between quotes begins no comment.
    """
    lines = enumerate(split_lines(text), 1)
    said = ((number, (_cut_comment(raw) if quoted else raw.partition("#")[0]).strip()) for number, raw in lines)
    return [(number, line) for number, line in said if line]


def _cut_comment(raw: str) -> str:
    found = _UP_TO_COMMENT.match(raw)
    return raw if found is None else found[0]


@contextmanager
def blame_line(path: Path, number: int) -> Iterator[None]:
    """Turn what is wrong into a sentence that begins with file and line."""
    try:
        yield
    except (ValueError, InvalidArgument) as error:
        raise BrokenFile(make_printable(f"{path}, line {number}: {end_sentence(error)}")) from None
