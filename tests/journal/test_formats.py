"""Journals of earlier formats are read and resumed. Those in format1/ were written by the last version that wrote it."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.cli.app import run
from heats.journal import Journal, Log
from heats.journal.events import FORMAT
from tests.journal.runs import lines, told

FOLDER = Path(__file__).parent / "format1"


def values(query: heats.Query) -> dict[int, float]:
    """Return what the arms showed in a pull when the journals were written."""
    draw = random.Random(query.seed)
    return {arm: arm / 6 + draw.gauss(0, 1) for arm in query.arms}


def ranking(query: heats.Query) -> list[int]:
    draw = random.Random(query.seed)
    return sorted(query.arms, key=lambda arm: -arm / 6 - draw.gauss(0, 1))


def first_finisher(query: heats.Query) -> heats.Race:
    draw = random.Random(query.seed)
    seconds = {arm: draw.expovariate(1) * (20 - arm) for arm in query.arms}
    best = min(seconds, key=lambda arm: seconds[arm])
    return heats.Race({best: seconds[best]})


ANSWERS: dict[str, Any] = {
    "winner": lambda query: heats.Winner(max(values(query), key=lambda arm: values(query)[arm])),
    "ranking": lambda query: heats.Ranking(ranking(query)),
    "reward": lambda query: list(values(query).values()),
    "race": first_finisher,
}


@pytest.mark.parametrize(
    ("name", "winner", "spent"),
    [
        ("winner-fitted", 19, 100),
        ("ranking-fitted", 13, 60),
        ("reward-ties", 13, 60),
        ("best-worst", 10, 60),
        ("find-best", 9, 40),
        ("demo", 6, 30),
    ],
)
def test_finished_runs_are_read(name: str, winner: int, spent: int) -> None:
    """Every kind of feedback, records that rank and records that do not: the same arm wins."""
    log = Log(FOLDER / f"{name}.jsonl")
    log.advance()
    assert log.header.format == 1 < FORMAT
    assert log.finished is not None
    assert (log.machine.winner, log.machine.spent) == (winner, spent)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("winner-fitted-stopped", "winner"),
        ("ranking-fitted-stopped", "ranking"),
        ("reward-pooled-stopped", "reward"),
        ("race-csr-off-stopped", "race"),
    ],
)
@pytest.mark.parametrize("torn", [b"", b'{"event":"told","id":9'])
def test_stopped_runs_go_on(name: str, kind: str, torn: bytes, tmp_path: Path) -> None:
    """In their own format, also after a crash; the run ends as one that was never interrupted."""
    path = tmp_path / "run.jsonl"
    path.write_bytes((FOLDER / f"{name}.jsonl").read_bytes() + torn)
    begun = Log(path)
    machine = heats.Machine.from_spec(begun.header.machine, begun.machine.statistic, int(begun.header.seed))
    with Journal(path, machine) as journal:
        assert 0 < machine.spent < machine.total
        while query := machine.ask():
            journal.tell(query, ANSWERS[kind](query), by="ann")
    undisturbed = heats.Machine.from_spec(begun.header.machine, begun.machine.statistic, int(begun.header.seed))
    while query := undisturbed.ask():
        undisturbed.tell(query, ANSWERS[kind](query))
    assert machine.report() == undisturbed.report()
    assert sorted(told(path)) == list(range(machine.total))
    again = Log(path)
    again.advance()
    assert again.finished is not None
    assert lines(path)[0]["format"] == 1


def test_find_best_goes_on_with_the_plan_it_began_with(tmp_path: Path) -> None:
    """How plans are made may change from version to version; a run that has begun keeps its rounds."""
    path = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"budget": 40, "heat_size": 3, "seed": 3, "statistic": heats.quantile(0.4)}
    candidates = [{"x": i, "y": i / 7} for i in range(12)]

    def compare(heat: tuple[dict[str, float], ...]) -> list[float]:
        return [each["x"] % 5 + each["y"] for each in heat]

    shutil.copy(FOLDER / "find-best.jsonl", path)
    found = heats.find_best(candidates, compare, journal=path, **options)
    assert found.winner == {"x": 9, "y": 9 / 7}
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:20]))
    assert heats.find_best(candidates, compare, journal=path, **options).to_json() == found.to_json()


def test_the_command_line_goes_on_with_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By what the first line says of the command that began it."""
    path = tmp_path / "demo.jsonl"
    whole = (FOLDER / "demo.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:15]))
    assert run(["resume", str(path), "--json"]) == 0
    assert '"winner":6' in capsys.readouterr().out
