"""One result: ``find_best``, ``race``, ``resume``, ``report`` and ``demo`` print one JSON schema."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import heats
from heats.cli.app import run
from heats.engine.report import BatchReport, list_batches
from heats.reports.result import Result, schema
from tests.race.scenarios import NAPS, SLEEPERS, write

KEYS = ["heats", "machine", "names", "parameters", "winner", "report", "run", "race", "shown", "judging"]


def check(text: str) -> dict[str, Any]:
    """Read a result strictly, and check what every one has."""
    told: dict[str, Any] = json.loads(text)
    assert list(told) == KEYS
    result = msgspec.json.decode(text, type=Result, strict=True)
    again = json.loads(result.to_json())
    more = {"borda", "copeland", "copeland_winner"}  # what only a round-robin has to say
    assert {**told, "report": {key: told["report"][key] for key in told["report"] if key not in more}} == again
    assert told["heats"] == heats.__version__
    assert told["machine"]["machine"] in ("tournament", "adaptive", "round-robin", "successive-halving")
    assert "rounds" not in told["machine"].get("plan", {})
    assert len(told["names"]) == told["report"]["n_arms"]
    return told


def test_find_best_and_run_return_it() -> None:
    """Without a journal there is nothing to say of the run; equal runs give equal bytes."""
    found = [heats.find_best(range(9), list, budget=30, seed=3) for _ in range(2)]
    told = check(found[0].to_json())
    assert told["run"] is told["race"] is None
    assert found[0].to_json() == found[1].to_json()
    for machine in (heats.RoundRobin(5, 2, 20), heats.SuccessiveHalving(5, 20)):
        kind = check(heats.run(machine, lambda arms: [float(arm) for arm in arms]).to_json())["machine"]["machine"]
        assert kind in repr(type(machine)).lower() or kind in ("round-robin", "successive-halving")


@pytest.mark.skipif(sys.platform != "linux", reason="races programs, with the process table of Linux")
def test_all_commands_print_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """demo, race, and report and resume of both."""

    def call(*arguments: object) -> dict[str, Any]:
        assert run([*map(str, arguments), "--json"]) == 0
        return check(capsys.readouterr().out)

    demo, race = tmp_path / "demo.jsonl", tmp_path / "race.jsonl"
    alone = call("demo", "-n", 9, "-k", 3, "-B", 30)
    assert call("demo", "-n", 9, "-k", 3, "-B", 30, "--journal", demo) == alone
    raced = call("race", write(tmp_path, SLEEPERS, NAPS), "--journal", race)
    for command in ("report", "resume"):
        told = call(command, demo)
        assert told["run"]["requeued"] == 0
        assert {**told, "run": None} == alone
        assert call(command, race) == raced
    assert raced["race"]["decided"] is True
    assert raced["race"]["winner"]["parameters"] == {"nap": 0.05}
    assert raced["report"]["winner"] == raced["race"]["winner"]["arm"] == raced["run"]["leader"]


def test_the_schema_is_that_of_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    """``heats schema`` prints it: JSON Schema, made by msgspec, with a word on every part."""
    assert run(["schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(msgspec.json.encode(schema()))
    parts = printed["$defs"]
    assert list(parts["Result"]["properties"]) == KEYS
    assert {"Report", "RunFacts", "RaceFacts", "Entrant"} <= set(parts)
    assert all(part["description"] for part in parts.values())


def test_any_name_can_be_written() -> None:
    """Also the half of a pair that undecodable file names have."""
    found = heats.find_best(["a\udcff", "b"], lambda heat: [1.0, 2.0], budget=4)
    assert "a" in check(found.to_json())["names"][0]


def test_workers_of_a_resumed_run_are_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two processes, one after the other, are not said to be two workers of a run; standings are a table, too."""
    path, table = tmp_path / "run.jsonl", tmp_path / "table.csv"
    heats = [sys.executable, "-m", "heats"]
    subprocess.run([*heats, "demo", "-n", "5", "-B", "20", "--journal", str(path)], check=True, capture_output=True)
    assert run(["report", str(path)]) == 0
    assert "workers:    1\n" in f"{capsys.readouterr().out}\n"
    assert run(["extend", str(path), "-B", "+10"]) == 0
    assert run(["resume", str(path), "--csv", str(table)]) == 0
    assert "workers:    1; the run was resumed once and extended once\n" in capsys.readouterr().out
    assert len(table.read_text().splitlines()) == 6


def test_a_tie_of_a_batch_is_said() -> None:
    """Nothing is left blank: who was compared most often may be several, and names that are sentences are set off."""
    batches = (BatchReport(3, 4, None, 2), BatchReport(5, 4, 1, 4))
    rows = list_batches(batches, ["tea", "Tea, with milk."])
    assert [row[3] for row in rows] == ["several, in 2 each", "“Tea, with milk.”, in 4"]
