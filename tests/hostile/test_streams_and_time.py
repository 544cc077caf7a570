"""Closed streams, narrow terminals, comparisons that will not stop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heats
from heats.base.text import quote_argument
from heats.errors import ComparisonFailed

HEATS = f"{sys.executable} -m heats"


COMMANDS = ("demo -n 5 -k 2 -B 12", "simulate -n 5 -k 2 -B 12 --reps 20", "plan -n 5 -k 2 -B 12", "swgcp --count 1")
STREAMS = ("2>&-", ">&-", "<&-", ">&- 2>&-")


@pytest.mark.parametrize(
    ("command", "closed"),
    [
        pytest.param(command, closed, marks=() if command == COMMANDS[0] or closed == STREAMS[-1] else pytest.mark.slow)
        for command in COMMANDS
        for closed in STREAMS
    ],
)
def test_closed_streams_cost_nothing_but_what_they_show(command: str, closed: str, tmp_path: Path) -> None:
    """The command does its work; what still has a stream is printed there."""
    done = subprocess.run(
        ["sh", "-c", f"{HEATS} {command} {closed}"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert bool(done.stdout) == (">&-" not in closed.replace("2>&-", ""))


def test_progress_without_a_stream() -> None:
    """A program without standard error has no bar."""
    code = "import os, heats; os.close(2); import sys; sys.stderr = None; print(heats.find_best(range(4), list, budget=6, progress=True).winner)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "3\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "ascii"])
def test_terminals_that_lack_a_letter(encoding: str, tmp_path: Path) -> None:
    """Names are shown as far as they can be."""
    path = tmp_path / "run.jsonl"
    heats.find_best(["日本", "żółw"], lambda heat: [1.0, 2.0], budget=3, journal=path)
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*HEATS.split(), "report", str(path)], env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"winner:" in done.stdout


class Stubborn:
    """Comparisons that catch whatever they can."""

    def __init__(self, catch: type[BaseException]) -> None:
        self.catch = catch

    def __call__(self, heat: Any) -> Any:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(self.catch):
                time.sleep(0.05)
            if self.catch is BaseException and time.monotonic() > end - 19:
                self.catch = Exception  # it gives in, after a second
        return [1.0] * len(heat)


@pytest.mark.parametrize("catch", [ValueError, Exception, BaseException])
@pytest.mark.parametrize("timeout", [0.3, np.float32(0.25), Fraction(1, 4)])
def test_time_is_up_whatever_a_comparison_catches(catch: type[BaseException], timeout: Any) -> None:
    """It is told again and again; the old signal handler is back afterwards."""
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    mine = signal.getsignal(signal.SIGALRM)
    try:
        start = time.monotonic()
        with pytest.raises(ComparisonFailed, match="took longer than timeout="):
            heats.find_best(range(4), Stubborn(catch), budget=6, timeout=timeout)
        assert time.monotonic() - start < 15
        assert signal.getsignal(signal.SIGALRM) is mine
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "argument", ["plain", "two words", "it's", "\x1b[31mred", "tab\tend\n", "back\\slash\x07", "\udcff\udcfe", "ü\x01"]
)
def test_a_pasted_line_is_the_same_program(argument: str) -> None:
    """Quoted such that nothing speaks to the terminal and the shell gives back every byte."""
    quoted = quote_argument(argument)
    assert quoted.isprintable()
    done = subprocess.run(["bash", "-c", f"printf %s {quoted}"], capture_output=True, check=True)
    assert done.stdout == argument.encode(errors="surrogateescape")
