"""Driving a machine whose heats end early: the same result however many work at it, and nothing it saved stops it."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import ComparisonFailed, InvalidArgument
from tests.journal.runs import lines

OPTIONS: dict[str, Any] = {"budget": 60, "heat_size": 3, "strategy": "csws", "record": "off", "seed": 4}


def compare(heat: tuple[int, ...], query: heats.Query) -> heats.Winner:
    draw = random.Random(query.seed)
    return heats.Winner(max(heat, key=lambda value: value + draw.gauss(0, 3)))


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_any_number_of_workers_finds_the_same(workers: int, tmp_path: Path) -> None:
    """To the byte, with a journal, and the winner is that of a run that makes all comparisons."""
    expected = heats.find_best(range(9), compare, early=True, **OPTIONS)
    with ThreadPoolExecutor(workers) as pool:
        found = heats.find_best(range(9), compare, early=True, executor=pool, journal=tmp_path / "run.jsonl", **OPTIONS)
    assert found.to_json() == expected.to_json()
    whole = heats.find_best(range(9), compare, **OPTIONS)
    assert found.winner == whole.winner
    assert [each.survivors for each in found.rounds] == [each.survivors for each in whole.rounds]
    assert found.spent + found.report.saved == whole.spent
    assert found.report.saved > 0
    numbers = [line["id"] for line in lines(tmp_path / "run.jsonl") if line["event"] in ("told", "late")]
    assert len(set(numbers)) == len(numbers) >= found.spent


def test_pages_say_what_was_saved() -> None:
    """Next to what was spent; the winner's rounds have the pulls they took."""
    found = heats.find_best(range(9), compare, early=True, **OPTIONS)
    page = found.to_html()
    assert f"<dt>pulls saved</dt><dd>{found.report.saved}</dd>" in page
    assert f"<dd>{found.spent} of {found.spent + found.report.saved}</dd>" in page
    counted = found.rounds[-1].counted
    assert counted is not None
    assert f"{counted[0]} pulls; best first" in page


def test_a_comparison_that_fails_in_vain_does_not_stop_the_run() -> None:
    """Its heat was decided without it; one that is needed does."""
    decided = threading.Event()
    machine = heats.Tournament(heats.Plan(2, 2, 3, (heats.Round(1, 2, 1, 3),), record="off"), seed=1, early=True)

    def third_fails(arms: tuple[int, ...], query: heats.Query) -> heats.Winner:
        if query.id == 2:
            decided.wait(5)
            raise ValueError("too late to matter")
        if query.id == 1:
            threading.Timer(0.05, decided.set).start()
        return heats.Winner(1)

    with ThreadPoolExecutor(3) as pool:
        found = heats.run(machine, third_fails, executor=pool)
    assert (found.winner, found.spent, found.report.saved) == (1, 2, 1)
    whole = heats.Tournament(machine.plan, seed=1)
    with pytest.raises(ComparisonFailed, match="too late to matter"), ThreadPoolExecutor(3) as pool:
        heats.run(whole, third_fails, executor=pool)


def test_adaptive_play_has_no_heats_to_end() -> None:
    """So it is refused there, as all that speaks of a planned tournament."""
    with pytest.raises(InvalidArgument, match="early=True is about a planned tournament"):
        heats.find_best(range(9), compare, budget=60, strategy="adaptive", early=True)


def test_early_beside_a_plan() -> None:
    """It is not about planning, so both may be said; what the plan makes impossible is refused."""
    plan = heats.plan(9, 3, 60, "csws", record="off")
    assert heats.find_best(range(9), compare, plan=plan, early=True, seed=4).report.saved > 0
    with pytest.raises(InvalidArgument, match="plan with record='off'"):
        heats.find_best(range(9), compare, budget=60, early=True)
