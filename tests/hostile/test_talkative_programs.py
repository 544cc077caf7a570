"""Output is taken in as fast as it comes: who prints a lot is not slower for it. Times are compared side by side."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from heats.cli.app import run
from heats.race.processes import Guardian
from tests.hostile.races import write_race
from tests.race.programs import shell

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="compares with pipes of Linux")]

MUCH = 200_000_000  # bytes
PATTERNS = ("s UNKNOWN", r"^cost = (\S+)$")


def measure_into_cat(script: str) -> float:
    """Return the seconds a script takes that prints into a pipe which cat reads."""
    started = time.monotonic()
    subprocess.run(["sh", "-c", f"({script}) | cat > /dev/null"], check=True)
    return time.monotonic() - started


@pytest.mark.parametrize(
    "script",
    [
        f"head -c {MUCH} /dev/zero",  # one line that never ends
        f"yes | head -c {MUCH}",  # many short ones
        f"yes '{'c progress ' * 20}' | head -c {MUCH}",  # longer ones
        f"yes 'cost = 7' | head -c {MUCH}",  # all of which match
        f"tr '\\0' x < /dev/zero | head -c {MUCH}",  # one line of letters
        f"head -c {MUCH // 4} /dev/urandom",  # neither text nor lines
    ],
    ids=["zeros", "short-lines", "long-lines", "matches", "letters", "noise"],
)
@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
def test_printing_is_not_held_up(script: str, isolate: bool) -> None:
    """Reading what is printed takes about as long as a pipe does; ``make bench`` says how long exactly.

    Who rests a millisecond after every piece needs thirty times as long: that is what must not come back, however
    busy the machine is on which this runs.
    """
    guardian = Guardian(0, isolate=isolate)
    try:
        ours, theirs = [], []
        for _ in range(5):
            theirs.append(measure_into_cat(script))
            (end,) = guardian.run([shell(script, patterns=PATTERNS, keep=65536)])
            ours.append(end.wall)
            assert end.code == 0
            assert end.printed >= MUCH // 4
            if min(ours) <= 1.5 * min(theirs):
                break
    finally:
        guardian.close()
    assert min(ours) <= 5 * min(theirs) + 0.3


def test_who_prints_a_lot_beats_who_sleeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a race from the command line."""
    file = write_race(tmp_path, ["head -c 300000000 /dev/zero", "sleep 3"], budget=2)
    assert run(["race", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["winner"]["arm"] == 0


def test_a_cutoff_holds_for_who_prints_endlessly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And their flood does not keep others from being stopped in time."""
    file = write_race(tmp_path, ["yes", "cat /dev/zero", "yes c some more words"], heat_size=3, slots=3, cutoff="500ms")
    assert run(["race", str(file), "--json"]) == 1  # nobody finishes
    assert json.loads(capsys.readouterr().out)["race"]["winner"] is None
    (journal,) = tmp_path.glob("*.jsonl")
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    runs = [each for event in events if event["event"] == "told" for each in event["notes"]["runs"]]
    assert [each["verdict"] for each in runs] == ["cutoff"] * 3
    assert all(0.5 <= each["wall"] < 10 for each in runs)


def test_the_last_value_of_a_flood_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever it stands in the output."""
    flood = "yes c nothing | head -c 30000000"
    scripts = [f"echo cost = {cost + 5}; {flood}; echo cost = {cost}; {flood}" for cost in (4, 2, 3)]
    file = write_race(tmp_path, scripts, objective=r"^cost = (\S+)$", heat_size=3, slots=3)
    assert run(["race", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["winner"]["arm"] == 1
