"""Plain text for people: names on one line, tables with right-aligned columns under their titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair, as in the names of odd files


def make_printable(name: str) -> str:
    """Return a name that cannot end a line or speak to the terminal: what is not printable is spelt out."""
    return name if name.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def make_encodable(text: str) -> str:
    """Return text that any file takes: halves of surrogate pairs, as in odd file names, are spelt out."""
    return LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text: only line feeds and carriage returns end one, not all that Unicode calls a break."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def describe_error(error: BaseException) -> str:
    """Return the kind and the message of somebody else's error, whatever it does when asked, as text any file takes."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = f"{type(error).__name__}, whose message fails"
    return text.encode(errors="backslashreplace").decode()


def format_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a table, each column as wide as its widest entry."""
    cells = [list(titles), *([str(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
