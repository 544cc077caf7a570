"""Nothing outlives a race, whoever of heats, the watcher and the guardian is killed, and whatever the runs do."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hostile.races import are_namespaces_allowed, find_guardians, start, wait_for, write_race
from tests.race.programs import token, wait_until_ended, wait_until_gone

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")]

# Each has 2 processes with the mark on their command line, or more.
ESCAPES = {
    "child": "sleep {0}; true",
    "daemon": "(setsid sleep {0} &); sleep {0}",
    "deaf": "trap '' TERM INT HUP; sleep {0}; true",
    "nameless": "(env -i setsid sleep {0} &); sleep {0}",
    "busy": "setsid sh -c 'while :; do sleep {0}; done'; true",
}


def start_race(folder: Path, script: str, mark: str, isolate: bool) -> tuple[subprocess.Popen[str], int, int]:
    """Start a race of two such programs; return it, its watcher and its guardian."""
    file = write_race(folder, [script.format(mark), f"sleep {mark}"], isolate=isolate)
    race = start(file)
    watcher, guardian = find_guardians(race)
    wait_for(mark, 3)
    return race, watcher, guardian


def kill_all(pids: Sequence[int], number: int = signal.SIGKILL) -> None:
    """Kill these together: none gets to do anything between."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # the others may have ended with the first
            os.kill(pid, number)


@pytest.mark.parametrize("script", ESCAPES.values(), ids=ESCAPES)
@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("victim", ["watcher", "guardian"])
def test_two_are_killed_at_once(tmp_path: Path, script: str, isolate: bool, victim: str) -> None:
    """Heats, and the watcher or the guardian: the other one ends everything."""
    mark = token()
    race, watcher, guardian = start_race(tmp_path, script, mark, isolate)
    kill_all([race.pid, watcher if victim == "watcher" else guardian])
    race.communicate()
    assert wait_until_gone(mark) == []
    assert wait_until_ended([watcher, guardian]) == []


@pytest.mark.parametrize("script", ESCAPES.values(), ids=ESCAPES)
def test_all_three_are_killed_at_once(tmp_path: Path, script: str) -> None:
    """Where there are PID namespaces, the kernel ends everything."""
    if not are_namespaces_allowed():
        pytest.skip("PID namespaces are not allowed here: then this can leave something behind, as the docs say")
    mark = token()
    race, watcher, guardian = start_race(tmp_path, script, mark, True)
    kill_all([race.pid, watcher, guardian])
    race.communicate()
    assert wait_until_gone(mark) == []


@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("victims", [("watcher",), ("guardian",), ("watcher", "guardian")])
@pytest.mark.parametrize("script", [ESCAPES["child"], ESCAPES["daemon"]], ids=["child", "daemon"])
def test_heats_lives_and_says_so(tmp_path: Path, isolate: bool, victims: tuple[str, ...], script: str) -> None:
    """In one sentence, with exit code 1, and after everything has ended."""
    mark = token()
    race, watcher, guardian = start_race(tmp_path, script, mark, isolate)
    kill_all([{"watcher": watcher, "guardian": guardian}[victim] for victim in victims])
    _, err = race.communicate(timeout=60)
    assert race.returncode == 1
    assert "the guardian of the running programs was killed, and all they started is ended" in err
    assert "Traceback" not in err
    assert wait_until_gone(mark, 0) == []


@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("who", ["race", "everybody", "guardians"])
def test_a_race_is_asked_to_end(tmp_path: Path, isolate: bool, number: int, who: str) -> None:
    """By a signal to heats alone, or to all processes, as an init system does it: no traceback from anybody."""
    mark = token()
    race, watcher, guardian = start_race(tmp_path, ESCAPES["deaf"], mark, isolate)
    for pid in {"race": [race.pid], "everybody": [race.pid, watcher, guardian], "guardians": [guardian, watcher]}[who]:
        with suppress(ProcessLookupError):  # the first one asked may have ended the others already
            os.kill(pid, number)
    _, err = race.communicate(timeout=60)
    assert "Traceback" not in err
    assert race.returncode == (1 if who == "guardians" else -number)
    assert wait_until_gone(mark) == []
    assert wait_until_ended([watcher, guardian]) == []


def test_runs_cannot_end_their_guardian_by_a_signal(tmp_path: Path) -> None:
    """It is deaf to all that can be caught; in a namespace of its own, to all."""
    numbers = "1 2 3 10 12 13 14 15 20 21 22" + (" 9 19" if are_namespaces_allowed() else "")
    script = f"for n in {numbers}; do kill -$n $PPID; done; sleep 0.1"
    race = start(write_race(tmp_path, [script, f"{script}; sleep 5"], budget=3), "--json")
    out, err = race.communicate(timeout=60)
    assert (race.returncode, "Traceback" in err) == (0, False)
    assert '"winner":{"arm":0' in out
