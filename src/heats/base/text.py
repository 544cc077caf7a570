"""Plain text for people: names on one line, tables with right-aligned columns under their titles."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

PUNCTUATION = re.compile(r"[.,;:!?](\s|$)")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # half of a pair, as in the names of odd files


def make_printable(name: str) -> str:
    """Return a name that cannot end a line or speak to the terminal: what is not printable is spelled out."""
    return name if name.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def make_lines_printable(text: str) -> str:
    """Return a text of several lines, none of which speaks to the terminal."""
    return "\n".join(map(make_printable, text.split("\n")))


def make_encodable(text: str) -> str:
    """Return text that any file takes: halves of surrogate pairs, as in odd file names, are spelled out."""
    return LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text: only line feeds and carriage returns end one, not all that Unicode calls a break."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def quote_argument(argument: str) -> str:
    """Return an argument as a shell reads it, on one line, with ``$'…'`` if it would speak to the terminal."""
    if argument.isprintable():
        return shlex.quote(argument)
    raw = argument.encode(errors="surrogateescape")
    return "$'" + "".join(chr(byte) if _is_plain(byte) else f"\\x{byte:02x}" for byte in raw) + "'"


def _is_plain(byte: int) -> bool:
    return 32 <= byte < 127 and byte not in b"\\'"


def describe_error(error: BaseException) -> str:
    """Return the kind and the message of somebody else's error, whatever it does when asked, as text any file takes."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # it is described in the words of an error: that must not become another one
        text = f"{type(error).__name__}, whose message fails"
    return text.encode(errors="backslashreplace").decode()


def end_sentence(text: object) -> str:
    """Return somebody else's words as the end of a sentence: with one full stop, whatever they end with."""
    return f"{str(text).rstrip().rstrip('.')}."


def set_off(name: str) -> str:
    """Return a name as part of a sentence: in quotes, if it looks like one itself or like several."""
    return f"“{name}”" if PUNCTUATION.search(name) else name


def count_things(count: int, word: str) -> str:
    """Return how many there are of what the word says: "1 batch", "15 batches"."""
    plural = f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}"


def count_times(count: int) -> str:
    """Return how often something was: "once", "twice", "3 times"."""
    return {1: "once", 2: "twice"}.get(count) or f"{count:,} times"


def format_table(titles: Sequence[str], rows: Sequence[Sequence[object]], words: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a table, each column as wide as its widest entry; columns of ``words`` begin on the left."""
    cells = [list(titles), *([str(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        aligned = (
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(aligned).rstrip()
