"""Functions to race; they import little, for every run imports them anew."""

from __future__ import annotations

import subprocess
import time


def nap(number: float) -> str:
    """Take a short nap."""
    time.sleep(0.01 * number)
    return "rested"


def doze(number: float, seed: int) -> int:
    """Take a long one."""
    assert seed > 0
    time.sleep(30)
    return seed


def linger(mark: str) -> None:
    """Have somebody else sleep, for longer than anybody waits."""
    subprocess.run(["sleep", mark], check=False)


def glance(mark: str) -> None:
    """Return before the other one can."""
    time.sleep(0.3)


def fail(number: float) -> None:
    """Fail."""
    raise ValueError("out of luck")


def leave(number: float) -> None:
    """Leave without a word."""
    raise SystemExit(0)


def double(number: float, *, seed: int) -> float:
    """Return a value that depends on the instance."""
    print("working", end="")
    return 2 * number + 0 * seed


def triple(number: float) -> float:
    """Return a larger one."""
    return 3 * number


def idle() -> None:
    """Do nothing, with nothing."""


def rest() -> None:
    """Need nothing, and take some time."""
    time.sleep(0.3)
