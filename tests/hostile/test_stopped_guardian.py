"""Runs that stop whoever guards them (SIGSTOP): cutoffs hold all the same, and Ctrl-C works."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.hostile.races import are_namespaces_allowed, find_guardians, start, wait_for, write_race
from tests.race.programs import token, wait_until_ended, wait_until_gone

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")]

PARENT = "kill -STOP $PPID"
BOTH_PARENTS = "above=$(ps -o ppid= -p $PPID); kill -STOP $above $PPID"


@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("script", [PARENT, BOTH_PARENTS], ids=["guardian", "watcher-and-guardian"])
def test_stopped_once(tmp_path: Path, isolate: bool, script: str) -> None:
    """It goes on, and the cutoff is a little late at worst."""
    mark = token()
    scripts = [f"{script}; sleep {mark}", f"sleep {mark}"]
    race = start(write_race(tmp_path, scripts, isolate=isolate, cutoff="500ms", budget=2))
    started = time.monotonic()
    out, err = race.communicate(timeout=60)
    assert race.returncode == 1
    assert out.startswith("no winner: nobody finished any heat")
    assert "Traceback" not in err
    assert time.monotonic() - started < 25
    assert wait_until_gone(mark, 0) == []


@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("script", [PARENT, BOTH_PARENTS], ids=["guardian", "watcher-and-guardian"])
def test_stopped_again_and_again(tmp_path: Path, isolate: bool, script: str) -> None:
    """The race ends with a sentence, unless the runs cannot reach their guardian; nothing stays."""
    mark = token()
    scripts = [f"while :; do {script}; done # {mark}", f"sleep {mark}"]
    race = start(write_race(tmp_path, scripts, isolate=isolate, cutoff="500ms"))
    out, err = race.communicate(timeout=60)
    assert race.returncode == 1
    assert "Traceback" not in err
    if isolate and are_namespaces_allowed():
        assert out.startswith("no winner: nobody finished any heat")
    else:
        assert "was stopped (SIGSTOP) again and again" in err or out.startswith("no winner: nobody finished any heat")
    assert wait_until_gone(mark, 0) == []


@pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])
@pytest.mark.parametrize("victims", [(0,), (1,), (0, 1)], ids=["watcher", "guardian", "both"])
def test_ctrl_c_while_they_are_stopped(tmp_path: Path, isolate: bool, victims: tuple[int, ...]) -> None:
    """From outside, where no namespace helps: exit code 130, and nothing stays."""
    mark = token()
    race = start(write_race(tmp_path, [f"sleep {mark}; true", f"sleep {mark}"], isolate=isolate))
    guardians = find_guardians(race)
    wait_for(mark, 3)
    for victim in victims:
        os.kill(guardians[victim], signal.SIGSTOP)
    race.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, err = race.communicate(timeout=60)
    assert race.returncode == 130
    assert err.endswith("heats: interrupted.\n")
    assert "Traceback" not in err
    assert time.monotonic() - started < 15
    assert wait_until_gone(mark, 0) == []
    assert wait_until_ended(list(guardians)) == []
