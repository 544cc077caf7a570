"""Futures that cannot call back → futures that do: they are asked now and then whether they are done."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

POLL_SECONDS = 0.05  # between two looks


class Polled(Future[Any]):
    """The job of an engine whose futures only say whether they are done."""

    def __init__(self, job: Any) -> None:
        super().__init__()
        self._job = job

    def look(self) -> bool:
        """Take over how the job ended, if it has; return whether this is over."""
        try:
            if not self.done() and self._job.done():
                self.set_result(self._job.result())
        except Exception as error:  # of the work, or of an engine that does not know the job any more
            self.set_exception(error)
        return self.done()

    def cancel(self) -> bool:
        """Cancel the job too, where that can be done: it may wait in a queue for hours."""
        cancelled = super().cancel()
        if cancelled and hasattr(self._job, "cancel"):
            self._job.cancel()
        return cancelled
