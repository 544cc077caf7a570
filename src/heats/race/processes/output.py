"""What a command prints → what is kept of it: the beginning, the end, and the last lines between them that match.

A command may print gigabytes, and must not be slowed down by that. So pieces are large, are not copied, and are decoded
only where a pattern may match: in lines that hold the text which every match must hold.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

BUFFER_BYTES = 1 << 19  # small enough to stay in the processor's cache while it is searched
MOST_MATCHES = 10  # lines kept for each pattern
MOST_CANDIDATES = 100  # lines of a piece that are looked at one by one, before the pattern is searched for in all
COMMON_BYTES = b"zxjqkvbpygfwmucldrhsnioate.:-0123456789 "  # in what programs print; those that are not here are rare
LONGEST_LINE_BYTES = 1 << 16  # of a line that comes in several pieces, the end is searched

_TOKEN = re.compile(
    r"\\(?:x..|u.{4}|U.{8}|N\{[^}]*\}|[0-9]+|.)"  # an escape
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"  # a class
    r"|\{[0-9]*,?[0-9]*\}"  # a repetition
    r"|.",
    re.DOTALL,
)


class Output:
    """What was printed so far."""

    def __init__(self, keep: int, patterns: Sequence[str]) -> None:
        self.printed = 0  # bytes
        self._half = max(1, keep // 2)  # bytes to keep, of the beginning and of the end
        self._head = bytearray()
        self._tail: deque[bytearray] = deque()
        self._tail_bytes = 0
        self._open_line = b""  # what came after the last line break
        self._matches = [MatchingLines(pattern) for pattern in dict.fromkeys(patterns)]

    def take(self, buffer: bytearray, size: int) -> None:
        """Take in the first bytes of a buffer."""
        view = memoryview(buffer)
        room = min(size, self._half - len(self._head))
        self.printed += size
        if room > 0:
            self._head += view[:room]
        if room < size:
            self._search_lines(buffer, room, size)
            self._add_to_tail(view[max(room, size - self._half) : size])

    def _search_lines(self, buffer: bytearray, start: int, end: int) -> None:
        """Look for lines that match in ``buffer[start:end]``, which follows what was taken in before."""
        if not self._tail:
            self._open_line = bytes(self._head.rpartition(b"\n")[2][-LONGEST_LINE_BYTES:])
        first = buffer.find(b"\n", start, end)
        if first < 0:
            piece = bytes(memoryview(buffer)[max(start, end - LONGEST_LINE_BYTES) : end])
            if len(piece) < LONGEST_LINE_BYTES:
                piece = (self._open_line + piece)[-LONGEST_LINE_BYTES:]
            self._open_line = piece
            return
        last = buffer.rfind(b"\n", first, end)
        line = self._open_line + buffer[start:first]
        for each in self._matches:
            each.search(line, 0, len(line))
            each.search(buffer, first + 1, last)
        self._open_line = bytes(buffer[max(last + 1, end - LONGEST_LINE_BYTES) : end])

    def _add_to_tail(self, piece: memoryview) -> None:
        if self._tail and len(self._tail[-1]) + len(piece) <= BUFFER_BYTES:
            self._tail[-1] += piece
        else:
            self._tail.append(bytearray(piece))
        self._tail_bytes += len(piece)
        while self._tail_bytes - len(self._tail[0]) >= self._half:
            self._tail_bytes -= len(self._tail.popleft())

    def get_text(self, *, whole_lines: bool) -> str:
        """Return what was kept, without parts of lines beside a gap and, if only ``whole_lines`` count, at the end."""
        tail = b"".join(self._tail)[-self._half :]
        text = (self._head + tail).decode(errors="replace")
        if self.printed > len(self._head) + len(tail):
            before = self._head.rpartition(b"\n")[0].decode(errors="replace")
            between = [line for each in self._matches for line in each.lines]
            text = "\n".join([before, "[...]", *between, tail.partition(b"\n")[2].decode(errors="replace")])
        return "".join(text.rpartition("\n")[:2]) if whole_lines else text


class MatchingLines:
    """The last lines that match a pattern."""

    def __init__(self, pattern: str) -> None:
        self.lines: deque[str] = deque(maxlen=MOST_MATCHES)
        self._pattern = re.compile(pattern, re.MULTILINE)
        self._text = find_required_text(pattern)
        self._rare_byte = bytes(sorted(self._text, key=COMMON_BYTES.find)[:1])

    def search(self, data: bytes | bytearray, start: int, end: int) -> None:
        """Look through the whole lines ``data[start:end]``, from the last, which comes without its line break."""
        if self._rare_byte and data.find(self._rare_byte, start, end) < 0:  # by far the fastest search there is
            return
        found: list[str] = []
        candidates = 0
        while self._text and start <= end and candidates < MOST_CANDIDATES and len(found) < MOST_MATCHES:
            at = data.rfind(self._text, start, end)
            if at < 0:
                break
            candidates += 1
            begin = data.rfind(b"\n", start, at) + 1 or start
            close = data.find(b"\n", at, end)
            found += self._match_line(data[begin : end if close < 0 else close].decode(errors="replace"))
            end = begin - 1
        if candidates == (MOST_CANDIDATES if self._text else 0) and start <= end:
            found += self._search_text(data[start:end].decode(errors="replace"))
        self.lines.extend(reversed(found[:MOST_MATCHES]))

    def _search_text(self, text: str) -> Iterator[str]:
        """Yield the last lines that match; where there is none, which is soon known, lines are not told apart."""
        if self._pattern.search(text):
            matches = (match for line in reversed(text.split("\n")) for match in self._match_line(line))
            yield from islice(matches, MOST_MATCHES)

    def _match_line(self, line: str) -> tuple[str, ...]:
        return (line,) if self._pattern.search(line) else ()


def find_required_text(pattern: str) -> bytes:
    """Return a text that is in every match of a pattern, as far as that is plain to see; else nothing."""
    if "|" in pattern or "(?" in pattern or "\ufffd" in pattern:  # the last stands for bytes that are not UTF-8
        return b""
    texts, depth = [""], 0
    for token in _TOKEN.findall(pattern):
        if token in ("*", "?") or (token[0] == "{" and len(token) > 1):
            texts[-1] = texts[-1][:-1]  # what comes before may be missing
            texts.append("")
        elif token in tuple(".^$+()") or token[0] == "[" or (token[0] == "\\" and token[1].isalnum()):
            depth += (token == "(") - (token == ")")
            texts.append("")
        elif depth == 0:
            texts[-1] += token[-1]
    return max(texts, key=len).encode()
