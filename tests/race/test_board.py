"""What a watcher sees of a race: candidates by names that fit, or by number."""

from __future__ import annotations

import io
import sys

import pytest

import heats
from heats.race.board import show_board
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
