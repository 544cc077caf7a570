"""Answers that came back → what is told, noted, tried again, or the end of the run."""

from __future__ import annotations

import contextlib
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from heats.base.text import count_things, describe_error, end_sentence
from heats.engine.feedback import NoVerdict
from heats.engine.machine import Machine, Query
from heats.errors import BadFeedback, ComparisonFailed, HeatsError, InvalidArgument
from heats.journal.judged import JudgeCounts
from heats.running.calls import Answer, Job
from heats.running.waits import Backoff, Waits, choose_wait


@dataclass(frozen=True)
class Noted:
    """Feedback with facts for the journal, whatever JSON holds: ``Noted(Winner(x), {"cpu_seconds": 3.2})``."""

    feedback: Any
    notes: dict[str, Any]


@runtime_checkable
class Task(Protocol):
    """What is to be done for a query, and in which words to speak of it."""

    def may_vary(self, answers: int) -> bool:
        """Whether a pull that came to no verdict so often may come to one if it is made again."""

    def job(self, query: Query, attempt: int = 0) -> Job:
        """Return a function and its arguments, no more than it needs: they may travel to another process.

        ``attempt`` is how often the pull was made before and came to no verdict.
        """

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull, for error messages."""

    def explain(self, query: Query, error: BaseException) -> str:
        """Say what an error of the first comparison probably comes from, in a sentence; nothing if that is unknown."""


class Keeper(Protocol):
    """Who is told: a machine alone, or a journal with its machine."""

    @property
    def path(self) -> Path | None:
        """The file the run is kept in."""

    def tell(
        self, query: Query, feedback: Any, *, by: str | None, took: float | None, notes: dict[str, Any] | None
    ) -> None:
        """Take the answer to a pull."""

    def requeue(self, query: Query, why: str, *, notes: dict[str, Any] | None) -> None:
        """Take a pull back, with the notes of an answer that is not told because another one is asked for."""

    def late(self, query: Query, answer: Any, *, by: str | None, took: float | None) -> None:
        """Hear an answer to a pull that was told before."""

    def stop(self, chance: float | None) -> None:
        """End the run between two batches."""

    def together(self) -> AbstractContextManager[None]:
        """Take all that is told within at once, before anything more is asked."""


class MachineOnly:
    """A machine without a journal."""

    path = None

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.judged = JudgeCounts()  # what the notes of judges come to

    def tell(
        self, query: Query, feedback: Any, *, by: str | None, took: float | None, notes: dict[str, Any] | None
    ) -> None:
        """Tell the machine."""
        self._machine.tell(query, feedback, by=by)
        self.judged.add(notes)

    def requeue(self, query: Query, why: str, *, notes: dict[str, Any] | None) -> None:
        """Take a pull back."""
        self._machine.requeue(query)
        self.judged.add_given_up(notes)

    def late(self, query: Query, answer: Any, *, by: str | None, took: float | None) -> None:
        """Ignore it."""

    def stop(self, chance: float | None) -> None:
        """Stop the machine."""
        self._machine.stop(chance)

    def together(self) -> AbstractContextManager[None]:
        """Do nothing special."""
        return contextlib.nullcontext()


class Outcomes:
    """Settles the answers to pulls, and says which one is to be made next.

    A pull that failed is made again, up to ``retries`` times, after a while, unless that cannot help; None: that cannot
    be said here, and is 0.
    """

    def __init__(
        self, machine: Machine, task: Task, keeper: Keeper, retries: int | None = 0, backoff: Backoff | None = None
    ) -> None:
        self._machine = machine
        self._task = task
        self._keeper = keeper
        self._said = retries
        self._retries = retries or 0
        self._backoff = backoff
        self._failed: Counter[int] = Counter()
        self._lost: Counter[int] = Counter()
        self._silent: Counter[int] = Counter()  # answers without a verdict that were not told
        self._waits = Waits(machine)

    def ask(self) -> Query | None:
        """Return a pull to be made: one that has waited long enough, or one that is owed; None while there is none."""
        return self.take_waited() or self._machine.ask()

    def take_waited(self) -> Query | None:
        """Return a pull that failed and has waited long enough."""
        return self._waits.take()

    def job(self, query: Query) -> Job:
        """Return what is to be done for a pull."""
        return self._task.job(query, self.count_attempts(query))

    def count_attempts(self, query: Query) -> int:
        """Return how often a pull came to no verdict; failures do not count: no answer may depend on accidents."""
        return self._silent[query.id]

    @property
    def seconds_left(self) -> float | None:
        """How long until a pull that failed has waited long enough; None if none waits."""
        return self._waits.seconds_left

    def settle(self, query: Query, answer: Answer, by: str) -> None:
        """Tell an answer, or deal with its failure; one without a verdict is asked for again where that may help."""
        if answer.error is not None:
            self.fail(query, answer.error)
            return
        try:
            if self._may_say_more(query, answer):
                self._ask_again(query, *_parts(answer.value))
            else:
                self._tell(query, answer, by)
        except BadFeedback as error:
            self.fail(query, error)

    def settle_late(self, query: Query, answer: Answer, by: str) -> None:
        """Tell an answer that had been given up, unless another one came first: that is then noted."""
        if self._machine.told(query):
            said = answer.error if answer.value is None else _parts(answer.value)[0]
            self._keeper.late(query, said, by=by, took=answer.seconds)
        elif answer.error is None and not self._may_say_more(query, answer):
            with contextlib.suppress(BadFeedback):  # it was counted as a failure when it was given up
                self._tell(query, answer, by)

    def fail(self, query: Query, error: BaseException) -> None:
        """Make a pull again whose comparison failed, or stop the run."""
        if not self._machine.counts(query):
            return
        self._failed[query.id] += 1
        if self._failed[query.id] > self._retries or _is_mistake(error):
            raise self._failure(query, error) from error
        self.retry(query, describe_error(error), choose_wait(self._backoff, query, self._failed[query.id], error))

    def lose(self, query: Query, error: BaseException) -> None:
        """Make a pull again that may have died with its worker, innocently or not: once more, or as often as failed."""
        if not self._machine.counts(query):
            return
        self._lost[query.id] += 1
        if self._lost[query.id] > max(1, self._retries):
            raise self._failure(query, error) from error
        self.retry(query, describe_error(error))

    def retry(self, query: Query, why: str, wait: float = 0.0, notes: dict[str, Any] | None = None) -> None:
        """Take a pull back, so that it is made again: by whoever asks next, or after a while."""
        if self._machine.told(query):
            return
        self._keeper.requeue(query, why, notes=notes)
        if wait and self._machine.counts(query):
            self._waits.put(query, wait)

    def _may_say_more(self, query: Query, answer: Answer) -> bool:
        """Whether an answer has no verdict, and another one is still to be asked for."""
        return (
            isinstance(_parts(answer.value)[0], NoVerdict)
            and self._silent[query.id] < self._retries
            and self._task.may_vary(self._silent[query.id] + 1)
            and not self._machine.told(query)
        )

    def _ask_again(self, query: Query, silence: NoVerdict, notes: dict[str, Any] | None) -> None:
        self.retry(query, f"no verdict: {silence.why}", notes=notes)
        self._silent[query.id] += 1

    def _tell(self, query: Query, answer: Answer, by: str) -> None:
        if self._machine.told(query):  # by an answer that had been given up
            self._keeper.late(query, _parts(answer.value)[0], by=by, took=answer.seconds)
            return
        feedback, notes = _parts(answer.value)
        self._keeper.tell(query, feedback, by=by, took=answer.seconds, notes=notes)

    def _spell(self, query: Query, name: str, value: object) -> str:
        """Return what an error speaks of in the words of this run: an arm by the name of its candidate."""
        if name == "arm" and value in query.arms:
            return self._task.describe(msgspec.structs.replace(query, arms=(value,)))
        return BadFeedback.spell_argument(name, value)

    def _failure(self, query: Query, error: BaseException) -> HeatsError:
        what = f"comparing {self._task.describe(query)} (pull {query.id})"
        if isinstance(error, BadFeedback):
            return BadFeedback(f"{what} gave feedback that cannot be used: {error.spell(partial(self._spell, query))}")
        message = f"{what} failed: {end_sentence(describe_error(error))}"
        if self._machine.settled == 0 and (cause := self._task.explain(query, error)):
            message += f" {cause}"
        elif self._said is not None and not _is_mistake(error):
            times = count_things(self._failed[query.id] + self._lost[query.id], "time")
            message += f" It failed {times}, and retries={self._said} allows no more; a larger number tries it again."
        if self._keeper.path is not None:
            message += f" What was told is kept in {self._keeper.path}: do the same again and the run goes on."
        return ComparisonFailed(message)


def _is_mistake(error: BaseException) -> bool:
    """Whether heats itself refused what it was handed: it would do so again, however often that is paid for."""
    return type(error) is InvalidArgument


def _parts(value: Any) -> tuple[Any, dict[str, Any] | None]:
    return (value.feedback, value.notes) if isinstance(value, Noted) else (value, None)
