"""Reports say what judges did, and whether who is shown first has an advantage."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.cli.app import run
from heats.journal.judged import JudgeCounts
from heats.judging import Judge
from heats.race.result import read_race, summarise_journal
from heats.reports.page import render_page

WORDS = [f"word {number}" for number in range(8)]


def fair(text: str) -> str:
    return random.Random(text).choice("ABC")


def always_a(text: str) -> str:
    return "A"


@pytest.mark.parametrize("both_orders", [False, True])
def test_a_judge_that_always_says_a_is_found_out(both_orders: bool, tmp_path: Path) -> None:
    """In text, page and JSON, with a journal or without, also where both orders leave no verdict."""
    path = tmp_path / "run.jsonl"
    judge = Judge(always_a, both_orders=both_orders)
    found = heats.find_best(WORDS, judge, budget=30, heat_size=3, journal=path)
    answers = 60 if both_orders else 30
    sentence = "more than chance: who is shown first has an advantage"
    assert f"the first shown won 100% of {answers} answers" in str(found)
    assert sentence in str(found)
    assert sentence in found.to_html()
    log, counts = read_race(str(path))
    result = summarise_journal(log, counts)
    assert sentence in str(result)
    assert sentence in render_page(log, result)
    shown = json.loads(found.to_json())["shown"]
    assert (shown["answers"], shown["share"], shown["high"]) == (answers, 1.0, 1.0)
    assert shown["by_chance"] < 0.5 < shown["low"]


def test_a_fair_judge_is_not_accused() -> None:
    """The share is told with its interval all the same."""
    found = heats.find_best(WORDS, Judge(fair, rows=range(60)), budget=60, heat_size=3)
    assert "the first shown won" in str(found)
    assert "more than chance" not in str(found)


def test_runs_without_judges_are_looked_at_too() -> None:
    """People who take the first they see are found out; nothing is said where nothing is wrong, or of numbers."""
    lazy = heats.find_best(range(9), lambda heat: heats.Winner(heat[0]), budget=40, heat_size=3)
    assert "shown:      the first shown won 100% of 40 answers" in str(lazy)
    assert "both orders" not in str(lazy)  # which only judges can be asked in
    assert "Shown first" in lazy.to_html()
    good = heats.find_best(range(9), lambda heat: heats.Winner(max(heat)), budget=40, heat_size=3)
    assert "shown" not in str(good)
    assert json.loads(good.to_json())["shown"]["answers"] == 40
    numbers = heats.find_best(range(9), list, budget=40, heat_size=3)
    assert json.loads(numbers.to_json())["shown"] is None


def test_ties_and_pulls_that_nobody_won_are_no_win_of_the_first() -> None:
    """Ties are counted beside."""
    told = iter([heats.Winner(None), heats.NoVerdict()] * 5)

    def compare(heat: Any, query: heats.Query) -> Any:
        return heats.Winner(*heat) if query.id % 2 else next(told)

    shown = json.loads(heats.find_best(range(6), compare, budget=20, heat_size=2).to_json())["shown"]
    assert shown == {
        "answers": 0,
        "ties": 10,
        "share": None,
        "low": None,
        "high": None,
        "by_chance": None,
        "is_more": False,
    }


def test_the_command_line_reports_calls_and_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the notes of the journal; as JSON, too."""
    path = tmp_path / "run.jsonl"
    judge = Judge(lambda text: heats.Noted(fair(text), {"cost": 0.5}), name="<b>\x1b[1m")
    heats.find_best(WORDS, judge, budget=20, heat_size=3, journal=path)
    assert run(["report", str(path), "--html", str(tmp_path / "page.html")]) == 0
    text = capsys.readouterr().out
    assert "judged:     20 pulls by 1 judge: 20 calls, which cost 10; 0 answers from the cache, 0 tried again" in text
    assert "\x1b" not in text
    page = (tmp_path / "page.html").read_text()
    assert "The judges" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert run(["report", str(path), "--json"]) == 0
    judging = json.loads(capsys.readouterr().out)["judging"]
    assert (judging["calls"], judging["cost"], judging["judges"][0]["answers"]) == (20, 10.0, 20)


@pytest.mark.parametrize(
    "notes",
    [
        None,
        {},
        {"judging": 7},
        {"judging": {"heard": "x"}},
        {"judging": {"heard": [{"judge": 1, "shown": []}]}},
        {"other": {"heard": []}},
    ],
)
def test_notes_of_others_are_left_alone(notes: Any) -> None:
    """Whatever stands in them, under whatever name."""
    counts = JudgeCounts()
    counts.add(notes)
    assert counts.pulls == 0


def test_forged_notes_do_not_break_a_report(tmp_path: Path) -> None:
    """Arms that are not there, nothing shown: it is counted as far as it makes sense."""
    forged = {"heard": [{"judge": "x", "shown": [99, 98], "best": [99]}, {"judge": "x", "shown": [], "best": []}]}

    def compare(heat: Any) -> Any:
        return heats.Noted(heats.Winner(heat[0]), {"judging": forged})

    found = heats.find_best(range(5), compare, budget=10, heat_size=2, journal=tmp_path / "run.jsonl")
    assert found.judging is not None
    assert found.judging.judges[0].agrees is None
    assert "judged:" in str(found)
