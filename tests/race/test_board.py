"""What a watcher sees of a race: candidates by names that fit, or by number."""

from __future__ import annotations

import io
import sys

import pytest

import heats
from heats.race.board import MOST_ROWS, show_board
from heats.race.counts import RunCounts
from tests.screens import watch
from tests.waiting import wait_until


def test_the_board_cuts_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they do not fit, numbers stand for them; where they do, they are there in full."""
    names = [f"a_long_parameter={arm} and_another_one={arm}" for arm in range(3)]
    machine, counts = heats.Tournament(heats.plan(3, 2, 9)), RunCounts()
    for arm in range(3):
        counts.runs[arm] += 1

    def show() -> None:
        with show_board(machine, names, counts):
            pass

    narrow, wide = (watch(monkeypatch, columns, show) for columns in (60, 120))
    assert "…" not in "".join(narrow + wide)
    assert any(line.startswith("#1 ") for line in narrow)
    assert any(line.startswith(names[1]) for line in wide)


def test_the_clock_of_the_board_goes_on_while_no_heat_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nobody takes a race of long runs for one that hangs."""
    machine = heats.Tournament(heats.plan(3, 2, 9))

    def show() -> None:
        with show_board(machine, ["a", "b", "c"], RunCounts()):
            wait_until(lambda: "1 s so far" in sys.stderr.getvalue())  # type: ignore[union-attr]  # a screen

    assert any("heats 0/9" in line and "1 s so far" in line for line in watch(monkeypatch, 120, show))


def test_narrow_and_low_terminals_have_a_smaller_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer than the terminal, no number broken or cut off: a column goes before that, and rows do."""
    names = [f"a_long_parameter={arm} and_another_one={arm}" for arm in range(12)]
    machine, counts = heats.Tournament(heats.plan(12, 3, 60)), RunCounts()
    for arm in range(12):
        counts.runs[arm], counts.cpu_seconds[arm], counts.finishes = 34, 1234.5, 1

    def show() -> None:
        with show_board(machine, names, counts):
            pass

    for width, columns in ((8, 0), (12, 1), (17, 2), (30, 3), (40, 4), (120, 4)):
        lines = watch(monkeypatch, width, show)
        assert all(len(line) <= width for line in lines)
        rows = [line.split() for line in lines if "#3 " in f"{line} " or "=3 " in line]
        expected = ["0", "34", "1234.5", "s"][: (0, 0, 1, 2, 4)[columns]]
        assert all(row[-len(expected) :] == expected for row in rows if expected)
        assert bool(rows) == bool(columns)
    monkeypatch.setenv("LINES", "8")
    assert 0 < sum("34  1234.5 s" in line for line in watch(monkeypatch, 100, show)) < 2 * MOST_ROWS


@pytest.mark.parametrize(
    ("names", "leader"),
    [
        (["a_long_parameter=0 and_another_one=0 more=0", "a_long_parameter=1 and_another_one=1 more=1"], "#1"),
        (["a_long_parameter=0 and_another_one=0 and more=0", "short=1"], "#1"),
        (["noise=0.08263 restart=2000", "noise=0.0826 restart=200"], "noise=0.0826 restart=200"),
    ],
)
def test_a_line_per_round_is_short_too(monkeypatch: pytest.MonkeyPatch, names: list[str], leader: str) -> None:
    """Off a terminal; candidates are called by names or by numbers, never by names here and by numbers there."""
    machine, counts = heats.Tournament(heats.plan(2, 2, 1)), RunCounts()
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    with show_board(machine, names, counts) as look:
        query = machine.ask()
        assert query is not None
        machine.tell(query, heats.Winner(1))
        counts.finishes += 1
        look()
    assert f"· leader {leader} ·" in told.getvalue()
