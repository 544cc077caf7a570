"""A terminal for tests: what is shown on it, as lines."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest


class Screen(io.StringIO):
    """A terminal that keeps what it is told."""

    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch, columns: int, show: Callable[[], Any]) -> list[str]:
    """Return the lines shown on a terminal, without what moves the cursor or colours."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    show()
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue()).replace("\r", "\n").split("\n")
