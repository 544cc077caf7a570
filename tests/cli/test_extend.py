"""``heats extend``: a run that is over goes on, and whatever cannot is told so in a sentence."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

import heats
from heats.cli.app import run
from heats.journal import Journal, Log, lock

DEMO = ["demo", "-n", "9", "-k", "3", "-B", "30", "--strategy", "adaptive"]


def read(path: Path) -> Log:
    log = Log(path)
    log.advance()
    return log


def test_extend_and_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By so many more, or to so many in all; then it goes on as the command that began it would."""
    path = tmp_path / "my run.jsonl"
    assert run([*DEMO, "--journal", str(path)]) == 0
    capsys.readouterr()
    assert run(["extend", str(path), "-B", "+10"]) == 0
    shown = capsys.readouterr().out
    assert shown == f"{path} has 40 pulls now, 30 of them spent. Go on with: heats resume '{path}'\n"
    assert run(["extend", str(path), "-B", "50", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["budget"], told["spent"], told["go_on"]) == (50, 30, f"heats resume '{path}'")
    assert run(["resume", str(path)]) == 0
    assert "50 of 50" in capsys.readouterr().out
    once = tmp_path / "once.jsonl"
    assert run([*DEMO, "--journal", str(once)]) == 0
    assert run(["extend", str(once), "-B", "50"]) == 0
    assert run(["resume", str(once)]) == 0
    assert read(path).machine.report() == read(once).machine.report()


def test_a_run_that_stopped_early_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also with no more than it had: what was saved is left to spend."""
    path = tmp_path / "run.jsonl"
    assert run([*DEMO, "--sure", "0.51", "--journal", str(path)]) == 0
    assert "stopped early" in capsys.readouterr().out
    spent = read(path).machine.spent
    assert spent < 30
    assert run(["extend", str(path), "-B", "30"]) == 0
    assert run(["resume", str(path)]) == 0
    assert read(path).machine.spent > spent


def test_what_cannot_be_extended_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, exit code 2, and the file stays as it is."""
    plan, adaptive = tmp_path / "plan.jsonl", tmp_path / "adaptive.jsonl"
    assert run([*DEMO[:-1], "planned", "--journal", str(plan)]) == 0
    heats.find_best(range(5), lambda heat: heats.Winner(max(heat)), budget=9, batches=3, journal=adaptive)
    before = plan.read_bytes(), adaptive.read_bytes()
    capsys.readouterr()
    for path, budget, why in (
        (plan, "+5", "only adaptive play can"),
        (adaptive, "9", "--budget 9 is no more than the 9 the run has"),
        (adaptive, "+0", "is no more than"),
        (adaptive, "many", "must be a whole number: 300"),
        (adaptive, "-5", "must be a whole number: 300"),
        (tmp_path / "nowhere.jsonl", "+5", "does not exist"),
    ):
        assert run(["extend", str(path), f"--budget={budget}"]) == 2
        assert why in capsys.readouterr().err
    with Journal(adaptive, heats.Adaptive(5, 4, 9, batches=3)) as journal:
        journal.extend(1)
        assert run(["extend", str(adaptive), "-B", "+5"]) == 2
        assert "process" in capsys.readouterr().err
    assert plan.read_bytes() == before[0]
    assert run(["extend", str(adaptive), "-B", "+5"]) == 0
    assert "Run the program that began it again" in capsys.readouterr().out


def test_a_journal_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the user's to mend, so the exit code is 2."""
    path = tmp_path / "run.jsonl"
    assert run([*DEMO, "--journal", str(path)]) == 0

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), f"{path}.lock")

    monkeypatch.setattr(lock, "open_to_append", refuse)
    assert run(["extend", str(path), "-B", "+10"]) == 2
    assert f"heats: {path} cannot be written: Permission denied; once that is mended" in capsys.readouterr().err


def test_a_new_candidate_needs_a_larger_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file and the option are named."""
    path = tmp_path / "run.jsonl"
    assert run([*DEMO, "--journal", str(path)]) == 0
    assert run(["demo", "-n", "10", *DEMO[3:], "--journal", str(path)]) == 2
    assert f"heats: {path}: with a budget of 30 no batch is left to compare a new arm in" in capsys.readouterr().err


def test_a_demo_goes_on_with_those_who_were_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command that an extension names."""
    path = tmp_path / "run.jsonl"
    assert run([*DEMO, "--journal", str(path)]) == 0
    assert run(["demo", "-n", "12", "-k", "3", "-B", "60", "--strategy", "adaptive", "--journal", str(path)]) == 0
    assert run(["extend", str(path), "-B", "+9"]) == 0
    capsys.readouterr()
    assert run(["resume", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert (report["n_arms"], report["spent"]) == (12, 69)
