"""The thread that brings a journal to the disk ends when it is told to, whenever that is."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from heats.journal.sync import Syncer, open_to_append


class _StoppedAtOnce(threading.Event):
    """An event that, just before it is cleared, is set by somebody who stops the thread."""

    syncer: Syncer

    def clear(self) -> None:
        self.syncer._stopping.set()
        self.set()
        super().clear()


def test_a_stop_is_not_missed_while_a_group_is_taken(tmp_path: Path) -> None:
    """It may come between waiting for more and forgetting what was waited for; the run would never end."""
    syncer = Syncer(open_to_append(tmp_path / "run.jsonl", os.O_CREAT), tmp_path / "run.jsonl")
    syncer._waiting = waiting = _StoppedAtOnce()
    waiting.syncer = syncer
    syncer.soon()
    assert syncer._thread is not None
    syncer._thread.join(10)
    assert not syncer._thread.is_alive()
