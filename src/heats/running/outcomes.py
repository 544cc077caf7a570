"""Answers that came back → what is told, noted, tried again, or the end of the run."""

from __future__ import annotations

import contextlib
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from heats.base.text import describe_error
from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback, ComparisonFailed, HeatsError
from heats.journal.judged import JudgeCounts
from heats.running.calls import Answer, Job


@dataclass(frozen=True)
class Noted:
    """Feedback with facts for the journal, whatever JSON holds: ``Noted(Winner(x), {"cpu_seconds": 3.2})``."""

    feedback: Any
    notes: dict[str, Any]


class Task(Protocol):
    """What is to be done for a query, and in which words to speak of it."""

    def job(self, query: Query) -> Job:
        """Return a function and its arguments, no more than it needs: they may travel to another process."""

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull, for error messages."""


class Keeper(Protocol):
    """Who is told: a machine alone, or a journal with its machine."""

    def tell(
        self, query: Query, feedback: Any, *, by: str | None, took: float | None, notes: dict[str, Any] | None
    ) -> None:
        """Take the answer to a pull."""

    def requeue(self, query: Query, why: str) -> None:
        """Take a pull back."""

    def late(self, query: Query, answer: Any, *, by: str | None, took: float | None) -> None:
        """Hear an answer to a pull that was told before."""

    def stop(self, chance: float | None) -> None:
        """End the run between two batches."""

    def together(self) -> AbstractContextManager[None]:
        """Take all that is told within at once, before anything more is asked."""


class MachineOnly:
    """A machine without a journal."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.judged = JudgeCounts()  # what the notes of judges come to

    def tell(
        self, query: Query, feedback: Any, *, by: str | None, took: float | None, notes: dict[str, Any] | None
    ) -> None:
        """Tell the machine."""
        self._machine.tell(query, feedback, by=by)
        self.judged.add(notes)

    def requeue(self, query: Query, why: str) -> None:
        """Take a pull back."""
        self._machine.requeue(query)

    def late(self, query: Query, answer: Any, *, by: str | None, took: float | None) -> None:
        """Ignore it."""

    def stop(self, chance: float | None) -> None:
        """Stop the machine."""
        self._machine.stop(chance)

    def together(self) -> AbstractContextManager[None]:
        """Do nothing special."""
        return contextlib.nullcontext()


class Outcomes:
    """Settles the answers to pulls: one that failed is tried again, up to ``retries`` times."""

    def __init__(self, machine: Machine, task: Task, keeper: Keeper, retries: int) -> None:
        self._machine = machine
        self._task = task
        self._keeper = keeper
        self._retries = retries
        self._failed: Counter[int] = Counter()
        self._lost: Counter[int] = Counter()

    def settle(self, query: Query, answer: Answer, by: str) -> None:
        """Tell an answer, or deal with its failure."""
        if answer.error is not None:
            self.fail(query, answer.error)
            return
        try:
            self._tell(query, answer, by)
        except BadFeedback as error:
            self.fail(query, error)

    def settle_late(self, query: Query, answer: Answer, by: str) -> None:
        """Tell an answer that had been given up, unless another one came first: that is then noted."""
        if self._machine.told(query):
            said = answer.error if answer.value is None else _parts(answer.value)[0]
            self._keeper.late(query, said, by=by, took=answer.seconds)
        elif answer.error is None:
            with contextlib.suppress(BadFeedback):  # it was counted as a failure when it was given up
                self._tell(query, answer, by)

    def fail(self, query: Query, error: BaseException) -> None:
        """Try a pull again whose comparison failed, or stop the run."""
        if not self._machine.counts(query):
            return
        self._failed[query.id] += 1
        if self._failed[query.id] > self._retries:
            raise self._failure(query, error) from error
        self.retry(query, describe_error(error))

    def lose(self, query: Query, error: BaseException) -> None:
        """Try a pull again that may have died with its worker, innocently or not: once more, or as often as failed."""
        if not self._machine.counts(query):
            return
        self._lost[query.id] += 1
        if self._lost[query.id] > max(1, self._retries):
            raise self._failure(query, error) from error
        self.retry(query, describe_error(error))

    def retry(self, query: Query, why: str) -> None:
        """Take a pull back, so that it is handed out again."""
        if not self._machine.told(query):
            self._keeper.requeue(query, why)

    def _tell(self, query: Query, answer: Answer, by: str) -> None:
        if self._machine.told(query):  # by an answer that had been given up
            self._keeper.late(query, _parts(answer.value)[0], by=by, took=answer.seconds)
            return
        feedback, notes = _parts(answer.value)
        self._keeper.tell(query, feedback, by=by, took=answer.seconds, notes=notes)

    def _failure(self, query: Query, error: BaseException) -> HeatsError:
        what = f"comparing {self._task.describe(query)} (pull {query.id})"
        if isinstance(error, BadFeedback):
            return BadFeedback(f"{what} gave feedback that cannot be used: {error}")
        return ComparisonFailed(f"{what} failed: {describe_error(error)}")


def _parts(value: Any) -> tuple[Any, dict[str, Any] | None]:
    return (value.feedback, value.notes) if isinstance(value, Noted) else (value, None)
