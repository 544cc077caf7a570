"""Waiting for what other processes do, as long as a busy machine may need."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 60.0


def wait_until(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until something holds, or fail."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)
