"""What is kept of a program's output: compared with plain code that has all of it at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.race.processes import output
from heats.race.processes.output import MatchingLines, Output, find_required_text

PATTERNS = ("^cost = (\\S+)$", "UNKNOWN", "^(\\d+)$", "o+k?", "é")

words = st.sampled_from(["cost = ", "cost", "7", "x", "UNKNOWN", "ok", "o", "é", " ", "\udcff"])
lines = st.lists(st.lists(words, max_size=4).map("".join), max_size=40)
printed = lines.map("\n".join).map(lambda text: text.encode(errors="surrogateescape"))


def take(pieces: Sequence[bytes], keep: int, patterns: Sequence[str] = PATTERNS) -> Output:
    """Return an output that came in these pieces."""
    kept = Output(keep, patterns)
    for piece in pieces:
        kept.take(bytearray(piece) + b"left over from another", len(piece))
    return kept


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    bounds = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(bounds) if start < end]


def model(data: bytes, keep: int, patterns: Sequence[str]) -> str:
    """Return what is kept, said plainly."""
    half = max(1, keep // 2)
    if len(data) <= 2 * half:
        return data.decode(errors="replace")
    head, tail = data[:half], data[-half:]
    start = head.rfind(b"\n") + 1  # the line that goes on after the head counts as one between
    whole = data[start : data.rfind(b"\n", start)] if b"\n" in data[half:] else None
    between = []
    for pattern in patterns:
        found = [] if whole is None else [line.decode(errors="replace") for line in whole.split(b"\n")]
        between += [line for line in found if re.search(pattern, line, re.MULTILINE)][-output.MOST_MATCHES :]
    parts = [head.rpartition(b"\n")[0], b"[...]", tail.partition(b"\n")[2]]
    first, dots, last = (part.decode(errors="replace") for part in parts)
    return "\n".join([first, dots, *between, last])


@given(printed, st.integers(0, 60), st.lists(st.integers(0, 300), max_size=30))
def test_it_does_not_matter_in_which_pieces_output_comes(data: bytes, keep: int, places: list[int]) -> None:
    """The beginning, the end, and of the lines between them the last ones that match each pattern."""
    kept = take(cut(data, places), keep)
    assert kept.printed == len(data)
    assert kept.get_text(whole_lines=False) == model(data, keep, PATTERNS)


@pytest.mark.parametrize("candidates", [1, 3, 1000])
def test_it_does_not_matter_how_lines_are_searched(candidates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one from the end, or all at once, where many hold the text that a match must hold."""
    monkeypatch.setattr(output, "MOST_CANDIDATES", candidates)
    data = b"".join(b"cost = %d\n" % i + b"no cost = here \n" * (i % 7) + b"ok\n" * 9 for i in range(60))
    for size in (10, 57, 1000, len(data)):
        kept = take(cut(data, range(0, len(data), size)), 20)
        assert kept.get_text(whole_lines=False) == model(data, 20, PATTERNS)


def test_a_part_of_a_line_is_left_out_of_a_run_that_was_killed() -> None:
    """It was going to print more of it."""
    assert take([b"cost = 9000\ncost = 8"], 100).get_text(whole_lines=True) == "cost = 9000\n"
    assert take([b"cost = 9000\ncost = 8"], 100).get_text(whole_lines=False) == "cost = 9000\ncost = 8"


def test_memory_is_bounded() -> None:
    """Whatever is printed, in whatever pieces."""
    kept = take([b"x" * 1000] * 5000, 10_000)
    assert sum(map(len, kept._tail)) < 10_000 + output.BUFFER_BYTES
    assert len(kept._open_line) <= output.LONGEST_LINE_BYTES
    kept = take([b"x"] * 5000, 10_000)
    assert len(kept._tail) == 0
    kept = take([b"x"] * 50_000, 10_000)
    assert len(kept._tail) == 1


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^cost = (\S+)$", b"cost = "),
        (r"s SATISFIABLE", b"s SATISFIABLE"),
        (r"^o (-?\d+)", b"o "),
        (r"best: \[(.*)\]", b"best: ["),
        (r"colou?r", b"colo"),
        (r"b{2}cd*ee+f", b"ee"),
        (r"(maybe)? never", b" never"),
        (r"a|b", b""),
        (r"(?i)cost", b""),
        (r"\x41\u00e9\101b", b"b"),
        (r"[abc]d", b"d"),
        (r"[]abc]d", b"d"),
        (r"\d+", b""),
        (r"größe", "größe".encode()),
    ],
)
def test_the_text_that_every_match_holds(pattern: str, text: bytes) -> None:
    """As far as it is plain to see."""
    assert find_required_text(pattern) == text


pieces = st.sampled_from(
    [
        "a",
        "b",
        "é",
        ".",
        "^",
        "$",
        "(a)",
        "(b)?",
        "c*",
        "d+",
        "e?",
        "f{2}",
        "g{0,1}",
        "[hi]",
        "[^j]",
        r"\.",
        r"\d",
        "{",
        "{}",
        r"\x41",
        " ",
    ]
)


@given(st.data(), st.lists(pieces, max_size=8).map("".join))
def test_every_match_holds_the_required_text(data: st.DataObject, pattern: str) -> None:
    """Whatever the pattern: lines without that text are never looked at."""
    matched = data.draw(st.from_regex(re.compile(pattern)))
    assert find_required_text(pattern) in matched.encode(errors="replace")


@given(printed, st.sampled_from(PATTERNS))
def test_matching_lines(data: bytes, pattern: str) -> None:
    """The last ones, in their order."""
    matching = MatchingLines(pattern)
    matching.search(data, 0, len(data))
    every = [line.decode(errors="replace") for line in data.split(b"\n")]
    assert list(matching.lines) == [line for line in every if re.search(pattern, line)][-output.MOST_MATCHES :]
