"""Whole validations: after a race, later, half way through; of times and of values; with programs that crash."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from heats.cli.app import run as heats
from heats.race.result import read_race, summarise_journal
from heats.race.run import reload_scenario
from heats.race.validation import find_record, make_request, validate
from tests.race.scenarios import write
from tests.screens import watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs programs")

NAPS = [{"nap": 0.1}, {"nap": 0.01}, {"nap": 0.2}]
RACE = {
    "command": ["sh", "-c", "sleep {nap}", "sh", "{instance}"],
    "instances": "seen/*",
    "budget": 4,
    "cutoff": "20s",
    "heat_size": 2,
    "slots": 2,
}


def write_race(folder: Path, candidates: Any = NAPS, *, against: str = "#0", held_out: int = 4, **race: Any) -> Path:
    """Write a scenario with instances that it races on, and others to validate on."""
    for name, count in (("seen", 2), ("held", held_out)):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            (folder / name / f"{number}").write_text(f"{number}\n")
    table = {"instances": "held/*", "against": against}
    return write(folder, RACE | race, candidates, validate=table if against else None)


def run_race(folder: Path, capsys: pytest.CaptureFixture[str], *options: str, **race: Any) -> dict[str, Any]:
    """Run a race from the command line and return its JSON."""
    file = write_race(folder, **race)
    assert heats(["race", str(file), "--journal", str(folder / "run.jsonl"), "--json", *options]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def list_pairs(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "run.validation.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "paired"]


def test_a_race_validates_against_the_default_of_its_space(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the end of the race, and later, whichever number it has."""
    file = write_race(tmp_path, NAPS[:2], against="default", held_out=2)
    file.write_text(f"{file.read_text()}\n[space]\ndefault = true\nnap = {{float = [0, 1], default = 0.15}}\n")
    journal = str(tmp_path / "run.jsonl")
    assert heats(["race", str(file), "--journal", journal]) == 0
    assert "times as fast as the default (95 %" in capsys.readouterr().out
    later = ["validate", journal, "--instances", "held/0", "--against", "default", "--json"]
    assert heats(later) == 0
    found = json.loads(capsys.readouterr().out)["race"]["validation"]
    assert (found["winner"]["arm"], found["against"]["arm"], found["asked"]) == (1, 2, 1)


def test_a_race_validates_its_winner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On all held-out instances, both with the same seed, taking turns; text, JSON and page say the same."""
    page = tmp_path / "run.html"
    found = run_race(tmp_path, capsys, "--html", str(page))["race"]["validation"]
    assert (found["winner"]["arm"], found["against"]["arm"]) == (1, 0)
    assert (found["asked"], found["done"], found["both"], found["bound"]) == (4, 4, 4, "exact")
    ratio = found["ratio_of_means"]
    assert 1 < ratio["low"] < ratio["estimate"] < ratio["high"]
    pairs = sorted(list_pairs(tmp_path), key=lambda pair: str(pair["instance"]))
    assert [[run["arm"] for run in pair["runs"]] for pair in pairs] == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert "On instances that the race never saw" in page.read_text()
    assert heats(["report", str(tmp_path / "run.jsonl")]) == 0
    assert (
        f"on 4 held-out instances: {ratio['estimate']:.2f} times as fast as nap=0.1 (95 % " in capsys.readouterr().out
    )


def test_a_broken_record_does_not_hide_its_race(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report says what is wrong with the validation, and all the rest."""
    run_race(tmp_path, capsys)
    with (tmp_path / "run.validation.jsonl").open("a") as file:
        file.write("garbage\n")
    with pytest.warns(UserWarning, match="the validation is left out"):
        result = summarise_journal(*read_race(str(tmp_path / "run.jsonl")))
    assert result.race is not None
    assert result.race.validation is None


def test_winners_are_validated_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the journal alone, on more instances too: what was run before is not run again."""
    assert run_race(tmp_path, capsys, against="")["race"]["validation"] is None
    journal = str(tmp_path / "run.jsonl")
    assert heats(["validate", journal]) == 2
    assert "say which instances" in capsys.readouterr().err
    assert heats(["validate", journal, "--instances", "held/[01]", "--against", "nap=0.1"]) == 0
    assert "on 2 held-out instances: " in capsys.readouterr().out
    before = list_pairs(tmp_path)
    assert heats(["validate", journal, "--instances", "held/*", "--against", "nap=0.1"]) == 0
    assert "on 4 held-out instances: " in capsys.readouterr().out
    assert list_pairs(tmp_path)[:2] == before
    assert len(list_pairs(tmp_path)) == 4
    (tmp_path / "held" / "0").write_text("p cnf 1 1")  # an instance by its name, not a file that lists some
    assert heats(["validate", journal, "--instances", "held/0", "--against", "runner-up", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["race"]["validation"]["against"]["arm"] == result["report"]["runner_up"]


def test_an_interrupted_validation_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With heats resume, from the pair after the last."""
    run_race(tmp_path, capsys, against="", slots=1)
    log, _ = read_race(str(tmp_path / "run.jsonl"))
    write(tmp_path, RACE | {"slots": 1}, NAPS, validate={"instances": "held/*", "against": "#0"})
    scenario, _ = reload_scenario(log)
    assert scenario.held_out is not None
    request = make_request(log, scenario.held_out)
    assert request is not None

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validate(scenario, log, request, stop)
    before = list_pairs(tmp_path)
    assert len(before) == 2
    assert heats(["report", str(log.path)]) == 0
    assert "on 2 held-out instances of 4 so far" in capsys.readouterr().out
    assert heats(["resume", str(log.path)]) == 0
    assert "on 4 held-out instances: " in capsys.readouterr().out
    assert list_pairs(tmp_path)[:2] == before
    kept = find_record(log.path).read_bytes()
    assert heats(["resume", str(log.path)]) == 0  # it is over, and left as it is
    assert find_record(log.path).read_bytes() == kept


def test_a_validation_that_was_killed_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Even by kill -9, before its first pair or after some."""
    file, journal = write_race(tmp_path, held_out=8), tmp_path / "run.jsonl"
    command = [sys.executable, "-m", "heats", "race", str(file), "--journal", str(journal)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not find_record(journal).exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = list_pairs(tmp_path)
    assert len(before) < 8
    assert heats(["resume", str(journal)]) == 0
    assert "on 8 held-out instances: " in capsys.readouterr().out
    assert list_pairs(tmp_path)[: len(before)] == before
    assert len(list_pairs(tmp_path)) == 8


def test_values_are_validated_by_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wins and the mean difference, in the direction of the goal."""
    command = ["sh", "-c", "echo cost = $(({x} + $(cat {instance})))"]
    race = {"command": command, "objective": r"cost = (\S+)", "candidates": [{"x": 3}, {"x": 1}, {"x": 9}]}
    found = run_race(tmp_path, capsys, **race)["race"]["validation"]
    assert found["goal"] == "value"
    assert (found["wins"], found["ties"], found["compared"]) == (4, 0, 4)
    assert found["difference"] == {"estimate": 2.0, "low": 2.0, "high": 2.0}
    assert (found["winner"]["mean"], found["against"]["mean"]) == (2.5, 4.5)


def test_a_default_that_crashes_is_said_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Then nothing is said of speed; the race itself is not spoilt by it."""
    command = ["sh", "-c", "[ {nap} != 9 ] || {{ echo no licence; exit 3; }}; sleep {nap}", "sh", "{instance}"]
    naps = [{"nap": 0.2}, {"nap": 0.01}, {"nap": 9}]
    found = run_race(tmp_path, capsys, command=command, candidates=naps, against="#2")["race"]["validation"]
    assert (found["against"]["crashed"], found["against"]["last_words"]) == (4, "no licence")
    assert (found["ratio_of_means"], found["compared"], found["only_winner"]) == (None, 0, 4)
    assert heats(["validate", str(tmp_path / "run.jsonl")]) == 1
    seen = capsys.readouterr()
    assert "crashed: nap=9, on 4 of 4 (no licence)" in seen.out
    assert "nothing could be compared" in seen.err


def test_two_that_crash_at_once_stop_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Held-out instances in another format, say: the race is shown, and what to look at."""
    command = ["sh", "-c", "case $1 in */held/*) echo bad format; exit 3;; esac; sleep {nap}", "sh", "{instance}"]
    file = write_race(tmp_path, command=command, slots=1)
    assert heats(["race", str(file), "--journal", str(tmp_path / "run.jsonl")]) == 1
    seen = capsys.readouterr()
    assert seen.out.startswith("winner:     nap=0.01")
    assert "on the first held-out instance both crashed" in seen.err
    assert "bad format" in seen.err
    assert list_pairs(tmp_path) == []


def test_a_winner_is_not_compared_with_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The race says so and is done; whoever asks for it is asked for another one."""
    file = write_race(tmp_path, against="#1")
    assert heats(["race", str(file), "--journal", str(tmp_path / "run.jsonl")]) == 0
    assert "the winner is the candidate that it was to be validated against" in capsys.readouterr().err
    assert heats(["validate", str(tmp_path / "run.jsonl")]) == 2
    assert "--against runner-up" in capsys.readouterr().err


def test_without_a_winner_there_is_nothing_to_validate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody finished any heat."""
    file = write_race(tmp_path, cutoff="1ms", budget=2)
    assert heats(["race", str(file), "--journal", str(tmp_path / "run.jsonl")]) == 1
    assert "no winner" in capsys.readouterr().out
    assert not (tmp_path / "run.validation.jsonl").exists()
    assert heats(["validate", str(tmp_path / "run.jsonl")]) == 2
    assert "has no winner to validate" in capsys.readouterr().err


def test_validations_of_other_things_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that is no race, a race that has changed, and a record that is in the way of a new race."""
    assert heats(["demo", "-B", "60", "--journal", str(tmp_path / "demo.jsonl")]) == 0
    assert heats(["validate", str(tmp_path / "demo.jsonl")]) == 2
    assert "is not a race of programs" in capsys.readouterr().err
    (tmp_path / "run.validation.jsonl").write_text("of an earlier race\n")
    file, journal = write_race(tmp_path), tmp_path / "run.jsonl"
    assert heats(["race", str(file), "--journal", str(journal)]) == 2
    assert f"the validation of another race; move it away, or choose another --journal {journal}." in (
        capsys.readouterr().err
    )
    assert not journal.exists()
    (tmp_path / "run.validation.jsonl").unlink()
    assert heats(["race", str(file), "--journal", str(journal)]) == 0
    write(tmp_path, RACE, [{"nap": 0.3}, {"nap": 0.01}, {"nap": 0.2}], validate={"instances": "held/*"})
    assert heats(["validate", str(journal), "--against", "#0"]) == 2
    capsys.readouterr()
    write(tmp_path, RACE, [{"nap": 0.3}, {"nap": 0.01}, {"nap": 0.2}])
    assert heats(["validate", str(journal), "--against", "#0", "--instances", "held/*"]) == 2
    assert "its candidates are others now" in capsys.readouterr().err


def test_a_bar_counts_instances_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing anywhere else."""
    run_race(tmp_path, capsys, against="")
    command = ["validate", str(tmp_path / "run.jsonl"), "--against", "#0", "--instances", "held/[01]"]
    assert "held-out" in "".join(watch(monkeypatch, 100, lambda: heats(command)))
    monkeypatch.undo()
    capsys.readouterr()
    assert heats([*command[:-1], "held/[23]"]) == 0
    assert capsys.readouterr().err == ""
