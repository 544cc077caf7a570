"""How long a race will take: by the runs of a check of that very race, and not by anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from heats.cli.app import run as heats
from heats.race.forecast import bound_seconds, forecast_seconds, keep_runs, load_runs, say_how_long
from heats.race.outcome import Run, Verdict
from heats.race.scenario import load_scenario
from tests.race.scenarios import NAPS, SLEEPERS, sleepers, write


def make_runs(*seconds: float, verdict: Verdict = "finished") -> list[Run]:
    return [
        Run(arm=arm, verdict=verdict, seconds=each, wall=each, cpu=each, code=0) for arm, each in enumerate(seconds)
    ]


@pytest.mark.parametrize(
    ("race", "runs", "seconds"),
    [
        ({"mode": "parallel", "slots": 2}, make_runs(1, 1, 1), 6 * 1),
        ({"mode": "parallel", "slots": 4}, make_runs(1, 1, 1), 5 * 1),  # batches of 2, 1, 1, 1 and 1 heats
        ({"mode": "parallel", "slots": 4, "strategy": "csws"}, make_runs(1, 1, 1), 4 * 1),  # two rounds of 3 heats
        ({"mode": "capped", "slots": 1}, make_runs(1, 1, 1), 6 * 2),
        ({"mode": "capped", "slots": 3, "strategy": "csws"}, make_runs(1, 1, 1), 2 * 2),
        ({"mode": "capped", "slots": 100}, make_runs(1, 1, 1), 5 * 2),
        ({"mode": "parallel", "slots": 2}, make_runs(2, 2, 2, verdict="cutoff"), 6 * 2),
        ({"mode": "capped", "slots": 1}, make_runs(2, 2, 2, verdict="cutoff"), 6 * 4),
        ({"mode": "capped", "slots": 1, "objective": "(.)"}, make_runs(1, 1, 1), 6 * 2),
    ],
)
def test_heats_are_added_up(tmp_path: Path, race: dict[str, Any], runs: list[Run], seconds: float) -> None:
    """As many of a batch or round as go side by side, each as long as its fastest run or, in turn, all of them."""
    assert forecast_seconds(sleepers(tmp_path, **race), runs) == pytest.approx(seconds)


def test_slow_runs_are_stopped_by_faster_ones(tmp_path: Path) -> None:
    """In turn a slow one costs its own time only if it comes first: heats of two from 1 s, 100 s and 100 s."""
    found = forecast_seconds(sleepers(tmp_path, mode="capped", slots=1), make_runs(1, 100, 100))
    both_slow, fast_first, slow_first = 200, 2, 101
    assert found == pytest.approx(6 * (both_slow / 3 + fast_first / 3 + slow_first / 3), rel=0.15)


def test_validations_take_time_too(tmp_path: Path) -> None:
    """Two runs per held-out instance."""
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
    race = SLEEPERS | {"command": ["sleep", "{nap}", "{instance}"], "instances": ["a"], "slots": 1, "mode": "capped"}
    file = write(tmp_path, race, NAPS, validate={"instances": ["b", "c"], "against": "#2"})
    scenario = load_scenario(file)
    without = msgspec.structs.replace(scenario, held_out=None)
    runs = make_runs(1, 1, 5)
    assert forecast_seconds(scenario, runs) - forecast_seconds(without, runs) == pytest.approx(2 * (1 + 5))
    assert bound_seconds(scenario) - bound_seconds(without) == pytest.approx(2 * 2 * 20)


def test_a_check_tells_the_next_race(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If it is the same race; else there is a bound."""
    file = write(tmp_path, SLEEPERS | {"mode": "capped", "slots": 3}, NAPS)
    assert heats(["race", str(file), "-B", "3"]) == 0
    said = capsys.readouterr().err
    assert (
        "Its runs take at most about 2 min 0 s, if none finishes before the cutoff, and starting them comes on" in said
    )
    assert heats(["race", str(file), "--check"]) == 0
    assert "heats: a race takes about " in capsys.readouterr().err
    assert heats(["race", str(file), "-B", "3"]) == 0
    assert ", by the runs of --check." in capsys.readouterr().err
    assert heats(["race", str(file), "-B", "3", "--cutoff", "10s"]) == 0
    assert "Its runs take at most about 60 s" in capsys.readouterr().err


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    """What has the place of ours and is not ours is neither believed nor replaced."""
    scenario = sleepers(tmp_path)
    file = tmp_path / "race.check.json"
    for content in ("{}", "notes of mine", "[1]", ""):
        file.write_text(content)
        assert load_runs(scenario) is None
        keep_runs(scenario, make_runs(1, 2, 3))
        assert file.read_text() == content
        assert say_how_long(scenario).startswith("Its runs take at most")
    file.unlink()
    keep_runs(scenario, make_runs(1, 2))  # of fewer candidates
    assert load_runs(scenario) is None
    keep_runs(scenario, make_runs(1, 2, 3))
    assert load_runs(scenario) == tuple(make_runs(1, 2, 3))
