"""The live bar: its width depends on the terminal, whatever the names are."""

from __future__ import annotations

import re

import pytest

import heats
from heats.running import progress
from tests.screens import watch

LONG = [{f"a_long_parameter_{key}": arm / 7 + key / 3 for key in range(7)} for arm in range(12)]


@pytest.mark.parametrize(("columns", "width"), [(80, 10), (100, 30), (200, 40)])
def test_the_bar_keeps_its_width_with_long_names(columns: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time it is drawn, on one line; whoever leads is called by a number."""

    def show() -> None:
        heats.find_best(LONG, lambda heat: [x["a_long_parameter_0"] for x in heat], budget=40, progress=True)

    lines = [line.rstrip() for line in watch(monkeypatch, columns, show) if "━" in line]
    assert {len(re.findall("[━╸╺]", line)) for line in lines} == {width}
    assert all(len(line) <= columns for line in lines)
    assert lines[-1].endswith("adaptive, 14 batches · winner #11")
    assert "a_long_parameter" not in "".join(lines)


@pytest.mark.parametrize(("columns", "said"), [(80, " · leader"), (160, " · 184 heats of 4 · leader")])
def test_the_bar_stays_on_one_line(columns: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for all, the leader is named, and how many heats there are is left out."""
    machine, names = heats.Adaptive(66, 4, 900), [f"setting no {arm}" for arm in range(66)]
    while machine.round == 0:
        query = machine.ask()
        assert query is not None
        machine.tell(query, heats.Winner(max(query.arms)))

    def show() -> None:
        with progress.show_progress(machine, names, show=True) as tell:
            tell()

    lines = [line.strip() for line in watch(monkeypatch, columns, show) if line.strip()]
    assert all("━" in line for line in lines)
    assert f"adaptive, batch 2/15{said} setting no 60" in lines[-1]


@pytest.mark.parametrize(("strategy", "said"), [(None, "adaptive, 14 batches"), ("csh", "csh, 4 rounds")])
def test_the_bar_says_what_is_played(monkeypatch: pytest.MonkeyPatch, strategy: str | None, said: str) -> None:
    """Adaptive play in batches, a plan in rounds."""

    def show() -> None:
        heats.find_best(range(12), list, budget=40, strategy=strategy, progress=True)

    assert any(f"{said} · winner 11" in line for line in watch(monkeypatch, 120, show))


def test_one_heat_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not "1 heats"."""
    machine = heats.Adaptive(4, 4, 1)

    def show() -> None:
        with progress.show_progress(machine, ["a", "b", "c", "d"], show=True) as tell:
            tell()

    assert any("1 heat of 4" in line for line in watch(monkeypatch, 120, show))
