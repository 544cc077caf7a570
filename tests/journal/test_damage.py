"""A journal gives the run back whatever happened to it, or says why it cannot; it never guesses."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from heats.errors import BrokenFile, InvalidArgument
from heats.journal import Log
from tests.journal.runs import find, half_done, lines, never, told
from tests.playing import recall


@pytest.fixture
def quick() -> Iterator[Path]:
    """A path in memory, where syncing costs nothing."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder) / "run.jsonl"


def test_cut_at_every_byte(quick: Path) -> None:
    """The run resumes to the same report with every pull told once; within the first line it is refused."""
    path, small = quick, {"n": 5, "budget": 8}
    found = find(path, **small)
    expected, played = found.to_json(), recall(found.played)
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        if length < header:
            with pytest.raises(BrokenFile, match="is empty" if not length else "not a journal|within its first line"):
                find(path, **small)
            assert path.read_bytes() == whole[:length]
            continue
        found = find(path, **small)
        assert recall(found.played) == played
        assert sorted(told(path)) == list(range(8))
    assert found.to_json() == expected


def test_damage_at_any_byte(quick: Path) -> None:
    """A changed byte is refused with file and line, unless it is the end of the last line, which is put right."""
    path = quick
    expected = find(path).to_json()
    whole = path.read_bytes()
    for place in [*range(0, len(whole), 7), len(whole) - 1]:
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(damaged)
        if place == len(whole) - 1:
            assert find(path, compare=never).to_json() == expected
            assert path.read_bytes() == whole
            continue
        with pytest.raises(BrokenFile, match=r"line \d+ of .*run\.jsonl is damaged|is not a journal of heats"):
            find(path)
        assert path.read_bytes() == damaged


def test_damage_names_the_line_and_the_way_out(path: Path) -> None:
    """Cutting the file there resumes the run."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*kept[:6], b"\0" * 40 + b"\n", *kept[7:]]))
    with pytest.raises(BrokenFile, match=r"line 7 of .* The 6 lines before it are sound"):
        find(path)
    path.write_bytes(b"".join(kept[:6]))
    assert find(path).to_json() == expected


def test_a_torn_tail_of_zeros_is_cut(path: Path) -> None:
    """What file systems leave after a power failure."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:9]) + b"\0" * 5000)
    assert find(path).to_json() == expected
    assert b"\0" not in path.read_bytes()
    assert lines(path)[9]["cut"] == 5000


def test_a_line_that_lacks_only_its_end_is_kept(path: Path) -> None:
    """It was told; nothing is compared again."""
    expected = find(path).to_json()
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:9])[:-1])
    assert find(path).to_json() == expected
    assert path.read_bytes().startswith(b"".join(kept[:9]))
    assert "cut" not in lines(path)[9]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert find(path, compare=never).to_json() == expected
    assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"my notes", b'{"event":"danced"', b'\0\0{"event":"told"', b'{"event":"journal"'])
def test_a_tail_that_no_crash_leaves_is_refused(path: Path, tail: bytes) -> None:
    """Somebody wrote it, who may want it back."""
    half_done(path)
    path.write_bytes(before := path.read_bytes() + tail)
    with pytest.raises(BrokenFile, match=r"line 9 of .* has no end, and is nothing that a crash"):
        find(path)
    assert path.read_bytes() == before


def test_what_is_no_journal_is_refused(path: Path, tmp_path: Path) -> None:
    """One sentence each, and nothing is overwritten."""
    for content, message in [
        (b"", "is empty"),
        (b"x,y\n1,2\n", "is not a journal of heats"),
        (b"{}\n", "is not a journal of heats"),
        (b'{"event":"journal","format":1', "ends within its first line"),
        (b'{"event":"journal","format":1}\n', "line 1 of .* is damaged"),
        (seal_text(b'{"event":"journal","format":1}').replace(b"\n", b"\r\n"), "end as on Windows .* dos2unix"),
        (seal_text(b'{"event":"journal","format":4,"new":1}'), "format 4, which a newer heats wrote"),
        (seal_text(b'{"event":"journal","format":0}'), "format 0, which no heats ever wrote"),
        (seal_text(b'{"event":"journal","format":1}'), "line 1 of .* is not a header"),
    ]:
        path.write_bytes(content)
        for look in (find, Log):
            with pytest.raises(BrokenFile, match=message):
                look(path)
        assert path.read_bytes() == content
    for where, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "such.jsonl", "there is no folder"),
        (path / "below", "cannot be written: Not a directory"),
        ("nul\0byte", "leads nowhere"),
        (5, "leads nowhere"),
    ]:
        with pytest.raises(InvalidArgument, match=message):
            find(where)
    os.mkfifo(tmp_path / "pipe")
    for where in (tmp_path / "pipe", Path(os.devnull)):
        for look in (find, Log):
            with pytest.raises(InvalidArgument, match="is a pipe or a device; a journal is a file"):
                look(where)
    with pytest.raises(InvalidArgument, match="does not exist; give the journal of a run"):
        Log(tmp_path / "none")


def test_a_first_line_that_describes_no_run(path: Path) -> None:
    """However well it is sealed."""
    find(path)
    first = lines(path)[0]
    del first["crc"]
    for changed in (
        {"seed": "many"},
        {"seed": -1},
        {"statistic": {"name": "power_mean", "parameters": {"danced": 1}, "ours": True}},
        {"statistic": {"name": "power_mean", "parameters": [], "ours": True}},
        {"statistic": {"name": "quantile", "parameters": {"p": 7}, "ours": True}},
    ):
        path.write_bytes(seal_text(json.dumps(first | changed, separators=(",", ":")).encode()))
        with pytest.raises(BrokenFile, match=r"line 1 of .* describes no run: "):
            Log(path)


def test_events_that_do_not_fit_are_refused(path: Path) -> None:
    """However well they are sealed: another run's pulls, unknown events, a pull told twice."""
    half_done(path)
    whole = path.read_bytes()
    last = path.read_text().splitlines()[-1]
    event = json.loads(last)
    del event["crc"]
    for changed, message in [
        ({"id": 500}, "line 9 of .* does not fit the run"),
        ({"id": 7, "arms": [0, 1, 2]}, r"line 9 of .* does not fit the run: pull 7 compares the arms"),
        ({"id": event["id"], "feedback": [0.0, 0.0, 0.0]}, "line 9 of .* told before, and differently"),
        ({"event": "finished", "winner": 3}, "line 9 of .* it says that arm 3 won, what was told does not"),
        ({"event": "danced"}, "line 9 of .* is not an event"),
        ({"feedback": {"danced": 1}}, "line 9 of .* does not fit the run"),
    ]:
        path.write_bytes(whole + seal_text(json.dumps(event | changed).encode(), after=whole))
        with pytest.raises(BrokenFile, match=message):
            find(path)


def seal_text(text: bytes, after: bytes = b"") -> bytes:
    """Seal a line by hand, to stand after others."""
    from zlib import crc32

    before = int(json.loads(after.splitlines()[-1])["crc"], 16) if after else 0
    return b'%b,"crc":"%08x"}\n' % (text[:-1], crc32(text[:-1], before))
