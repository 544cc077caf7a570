"""The winner with its full values, wherever a result is shown: nothing that was handed over is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.cli.app import run
from heats.race.result import read_race, summarise_journal
from heats.reports.page import render_page

GRID = [
    {"C": 1000 / 11 * k, "gamma": 0.00042 / k, "kernel": {"name": "rbf", "degree": k}, "big": 10**30} for k in (1, 2, 3)
]
FORMAT1 = sorted((Path(__file__).parents[1] / "journal" / "format1").glob("*.jsonl"))


def largest(heat: tuple[dict[str, Any], ...]) -> list[float]:
    """Prefer a large C."""
    return [candidate["C"] for candidate in heat]


def prefer_sum(heat: tuple[dict[str, Any], ...]) -> list[float]:
    """Prefer one function."""
    return [float(candidate["f"] is sum) for candidate in heat]


def test_text_page_and_json_have_all_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From ``find_best``, and from its journal alone; names have only the digits they need."""
    path, page = tmp_path / "run.jsonl", tmp_path / "run.html"
    found = heats.find_best(GRID, largest, budget=9, heat_size=2, journal=path)
    told = json.loads(found.to_json())
    assert found.winner is GRID[2]
    assert told["winner"] == {"arm": 2, "name": found.names[2], "value": GRID[2]}
    assert told["parameters"] == GRID
    assert found.names[2].startswith("C=273 gamma=0.00014 kernel.name=rbf kernel.degree=3 big=1000")
    assert f"  C              {GRID[2]['C']!r}\n" in str(found)
    assert heats.find_best(GRID, largest, budget=9, heat_size=2).to_json() == found.to_json()
    assert run(["report", str(path), "--json", "--html", str(page)]) == 0
    assert {**json.loads(capsys.readouterr().out), "run": None} == told
    assert run(["report", str(path)]) == 0
    assert str(found) in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert f"<dt>C</dt><dd>{GRID[2]['C']!r}</dd>" in text
    assert text.index("<dt>gamma") < text.index("<dt>kernel.name") < text.index("<dt>big")  # as in the names


def test_a_name_that_says_all_is_not_followed_by_its_values() -> None:
    """It would be the same twice."""
    found = heats.find_best([{"b": 1, "a": 2}, {"b": 3, "a": 0.5}], lambda heat: [x["b"] for x in heat], budget=4)
    assert str(found).startswith("winner:     b=3 a=0.5\n")
    assert "in full" not in str(found)


def test_long_texts_are_shown_whole() -> None:
    """With their lines, none of which speaks to the terminal."""
    prompts = [f"Answer in {words} words.\nBe kind.\x1b[31m " + "Think. " * 20 for words in ("two", "three")]
    found = heats.find_best(prompts, lambda heat: [float(len(x)) for x in heat], budget=4)
    assert "the winner in full:\n  Answer in three words.\n  Be kind.\\x1b[31m Think. Think." in str(found)
    assert json.loads(found.to_json())["winner"]["value"] == prompts[1]


def test_what_is_no_json_is_told_in_words() -> None:
    """A function, an infinity; of an object that is no dict there is only the name."""
    found = heats.find_best([{"f": len, "C": 1.0}, {"f": sum, "C": float("inf")}], prefer_sum, budget=4)
    assert json.loads(found.to_json())["winner"]["value"] == {"f": "sum", "C": "inf"}
    named = heats.find_best([object(), object()], lambda heat: [1.0, 2.0], budget=4)
    assert json.loads(named.to_json())["winner"]["value"] is None


def test_of_a_candidate_too_large_for_a_journal_the_name_remains(tmp_path: Path) -> None:
    """The journal has a hash of it; who called ``find_best`` has it whole."""
    path = tmp_path / "run.jsonl"
    huge = [{"C": k, "table": ["x" * 100] * 200} for k in (1, 2)]
    found = heats.find_best(huge, largest, budget=4, journal=path)
    assert json.loads(found.to_json())["winner"]["value"] == huge[1]
    log, counts = read_race(str(path))
    result = summarise_journal(log, counts)
    assert result.winner is not None
    assert (result.winner.value, result.winner.name) == (None, found.names[1])
    assert result.winner.name.startswith("C=2 table=[")
    assert result.winner.name in render_page(log, result)


def test_nobody_has_won_yet(tmp_path: Path) -> None:
    """Then nobody is named."""
    path = tmp_path / "run.jsonl"
    machine = heats.Tournament(heats.plan(4, 2, 9))
    with heats.Journal(path, machine, names=["a", "b", "c", "d"]):
        pass
    log, counts = read_race(str(path))
    result = summarise_journal(log, counts)
    assert result.winner is result.parameters is None


@pytest.mark.parametrize("path", FORMAT1, ids=lambda path: path.stem)
def test_journals_of_before_are_shown(path: Path) -> None:
    """With the names they were given then, and the values they kept."""
    log, counts = read_race(str(path))
    result = summarise_journal(log, counts)
    winner = log.machine.winner
    assert (None if result.winner is None else result.winner.arm) == winner
    if result.winner is not None and winner is not None:
        assert (result.winner.name, result.winner.value) == (log.names[winner], log.values[winner])
    assert render_page(log, result).count("<h1>") == 1
