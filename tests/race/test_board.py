"""What a watcher sees of a race: candidates by names that fit, or by number."""

from __future__ import annotations

import io
import sys

import pytest

import heats
from heats.race.board import MOST_ROWS, show_board
from heats.race.counts import RunCounts
from tests.screens import watch


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


def test_a_line_per_round_is_short_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off a terminal."""
    names = [f"a_long_parameter={arm} and_another_one={arm}" for arm in range(2)]
    machine, counts = heats.Tournament(heats.plan(2, 2, 1)), RunCounts()
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    with show_board(machine, names, counts) as look:
        query = machine.ask()
        assert query is not None
        machine.tell(query, heats.Winner(1))
        counts.finishes += 1
        look()
    assert "· leader #1 ·" in told.getvalue()
