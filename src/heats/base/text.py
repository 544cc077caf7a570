"""Plain text for people: names on one line, tables with right-aligned columns under their titles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def make_printable(name: str) -> str:
    """Return a name that cannot end a line or speak to the terminal: what is not printable is spelt out."""
    return name if name.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text: only line feeds and carriage returns end one, not all that Unicode calls a break."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def describe_error(error: BaseException) -> str:
    """Return the kind and the message of somebody else's error, likewise."""
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
