"""What others wrote, in programs, names and journals: shown without speaking to the terminal, refused without a traceback."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import heats
from heats.cli.app import run
from tests.race.scenarios import NAPS, SLEEPERS, write

linux = pytest.mark.skipif(sys.platform != "linux", reason="races programs, with the process table of Linux")
NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31m"


def check_harmless(seen: Any) -> None:
    """Nothing that reaches a terminal is a control character but the end of a line."""
    for text in (seen.out, seen.err):
        assert all(letter.isprintable() or letter == "\n" for letter in text), repr(text)


@linux
def test_programs_cannot_speak_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither by their names nor by what they print when they crash."""
    race = SLEEPERS | {"command": ["sh", "-c", "printf '{word}'; {line}"], "budget": 4, "blind": True}
    candidates = [
        {"word": NASTY, "line": "sleep 0.05"},
        {"word": NASTY + "x", "line": "exit 3"},
        {"word": "plain", "line": "sleep 0.3"},
    ]
    file = write(tmp_path, race, candidates)
    assert run(["race", str(file), "--check"]) == 1
    check_harmless(capsys.readouterr())
    assert run(["race", str(file), "--journal", str(tmp_path / "run.jsonl")]) == 0
    check_harmless(capsys.readouterr())
    assert run(["report", str(tmp_path / "run.jsonl"), "--html", str(tmp_path / "run.html")]) == 0
    check_harmless(capsys.readouterr())
    assert "\x1b" not in (tmp_path / "run.html").read_text()
    crashing = write(tmp_path, race, [{"word": NASTY, "line": f"exit {code}"} for code in (3, 4)])
    assert run(["race", str(crashing), "--journal", str(tmp_path / "crash.jsonl")]) == 1
    check_harmless(capsys.readouterr())


def test_names_cannot_speak_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of candidates, in the report of their run."""
    path = tmp_path / "run.jsonl"
    print(heats.find_best([NASTY, "b\nc", "d"], lambda heat: list(range(len(heat))), budget=6, journal=path))
    assert run(["report", str(path)]) == 0
    check_harmless(capsys.readouterr())


def forge(path: Path, change: Any) -> None:
    """Change a journal, line by line, and seal it again as if nobody had."""
    last, forged = 0, []
    for number, line in enumerate(path.read_text().splitlines()):
        event = json.loads(line)
        del event["crc"]
        text = json.dumps(change(number, event), separators=(",", ":")).encode()[:-1]
        last = crc32(text, last)
        forged.append(b'%b,"crc":"%08x"}\n' % (text, last))
    path.write_bytes(b"".join(forged))


FORGERIES: dict[str, Any] = {
    "no runs": lambda number, event: event | {"notes": {"instance": None, "winner": 0}},
    "an arm too many": lambda number, event: event | {"notes": event.get("notes", {}) | {"winner": "first"}},
    "runs of nobody": lambda number, event: event | {"notes": {"instance": 1, "winner": 0, "runs": [1, 2]}},
    "notes that are none": lambda number, event: event | ({"notes": {}} if number else {}),
    "rules that are none": lambda number, event: (
        event | ({} if number else {"command": event["command"] | {"rules": 3}})
    ),
    "a scenario elsewhere": lambda number, event: (
        event | ({} if number else {"command": event["command"] | {"scenario": 5}})
    ),
    "a command unknown": lambda number, event: event | ({} if number else {"command": {"name": "fly"}}),
    "a command of lists": lambda number, event: event | ({} if number else {"command": {"name": ["race"]}}),
    "few lines to paste": lambda number, event: (
        event | ({} if number else {"command": event["command"] | {"command_lines": []}})
    ),
    "a template of others": lambda number, event: (
        event
        | (
            {}
            if number
            else {"command": event["command"] | {"rules": event["command"]["rules"] | {"command": ["{nobody}"]}}}
        )
    ),
    "an odd template": lambda number, event: (
        event
        | (
            {}
            if number
            else {"command": event["command"] | {"rules": event["command"]["rules"] | {"command": [3, {}]}}}
        )
    ),
}


@linux
@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_journals_of_races_are_spoken_of(
    forgery: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However well they are sealed: a report or a sentence."""
    path = tmp_path / "run.jsonl"
    assert run(["race", str(write(tmp_path, SLEEPERS, NAPS)), "--journal", str(path)]) == 0
    forge(path, FORGERIES[forgery])
    unfinished = path.read_bytes().splitlines(keepends=True)
    for whole in (unfinished, unfinished[:4]):
        path.write_bytes(b"".join(whole))
        for command in ("report", "resume"):
            assert run([command, str(path)]) in (0, 1, 2)
            seen = capsys.readouterr()
            assert "Traceback" not in seen.err
            assert seen.out or seen.err


def test_nothing_after_the_last_pull_loses_the_result() -> None:
    """A statistic that takes three axes, or fails on anything but the pulls themselves."""

    def three_axes(observations: Any) -> Any:
        assert len(observations.shape) == 3
        return observations.mean(axis=1)

    def picky(observations: Any) -> Any:
        if observations.shape[1] > 8 and len(np.unique(observations)) < observations.size / 2:
            raise ValueError("I do not like doubles")
        return np.median(observations, axis=-2)

    for statistic in (three_axes, picky):
        found = heats.find_best(
            range(4), lambda heat, query: [arm + (query.seed % 97) / 97 for arm in heat], budget=80, statistic=statistic
        )
        assert found.winner == 3
        assert str(found)


@pytest.mark.parametrize("budget", ["1" + "0" * 16, "1" + "0" * 400, "1" + "0" * 5000, "-1", "1e9"])
@pytest.mark.parametrize("command", ["plan -n 10 -k 2", "demo -n 10 -k 2", "simulate -n 10 -k 2"])
def test_absurd_budgets_are_one_sentence(command: str, budget: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Or are simply planned."""
    code = run([*command.split(), "-B", budget]) if not (command.startswith("demo") and len(budget) == 17) else 2
    seen = capsys.readouterr()
    assert code in (0, 2)
    assert "Traceback" not in seen.err
    assert seen.err.count("\n") <= 1
