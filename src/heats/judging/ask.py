"""Calling whoever answers, plainly or with ``await``: what was kept is not asked again, and a limit is kept to."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import math
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from heats.base.checks import is_bool
from heats.base.text import make_encodable
from heats.errors import BadFeedback, InvalidArgument, show_value
from heats.journal.judged import add_costs
from heats.judging.cache import Store
from heats.judging.limit import Limit
from heats.running.aside import call_aside
from heats.running.comparison import is_coroutine_function
from heats.running.outcomes import Noted

T = TypeVar("T")


@dataclass
class Spending:
    """What a pull has cost so far: questions to a judge and outputs made for it, each asked for or kept before."""

    calls: int = 0
    hits: int = 0
    outputs: int = 0
    kept_outputs: int = 0
    cost: float | None = None

    def count(self, *, is_question: bool, is_kept: bool) -> None:
        """Count a question or an output."""
        if is_question:
            self.calls += not is_kept
            self.hits += is_kept
        else:
            self.outputs += not is_kept
            self.kept_outputs += is_kept


@dataclass(frozen=True)
class Call:
    """Something to be asked: ``function(*arguments)``; its answer is that of number ``number`` under ``key``.

    It is a question to a judge, or an output that is to be judged.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    is_question: bool
    spending: Spending
    kept: Store | None  # None: it is always asked
    key: str
    number: int
    limit: Limit | None
    turns: Turns


Steps: TypeAlias = Generator[Sequence[Call], Sequence[str], T]  # calls out, all that may be made at once; answers in


def take_together(all_steps: Sequence[Steps[T]]) -> Steps[list[T]]:
    """Take the steps of several at once: their first calls together, then their second ones, until all are over."""
    results: dict[int, T] = {}
    answers: dict[int, Sequence[str] | None] = dict.fromkeys(range(len(all_steps)))  # None begins
    while answers:
        calls: dict[int, Sequence[Call]] = {}
        for number, answered in answers.items():
            try:
                calls[number] = all_steps[number].send(answered)  # type: ignore[arg-type]
            except StopIteration as end:
                results[number] = end.value
        given = iter((yield [call for each in calls.values() for call in each])) if calls else iter(())
        answers = {number: [next(given) for _ in each] for number, each in calls.items()}
    return [results[number] for number in range(len(all_steps))]


def make_calls(steps: Steps[T]) -> T:
    """Make all calls one after the other."""
    answers: list[str] | None = None
    while True:
        try:
            calls = steps.send(answers)  # type: ignore[arg-type]  # None begins
        except StopIteration as end:
            result: T = end.value
            return result
        answers = [_make_call(call) for call in calls]


async def make_calls_async(steps: Steps[T]) -> T:
    """Make all calls, those that may be made at once at once."""
    answers: list[str] | None = None
    while True:
        try:
            calls = steps.send(answers)  # type: ignore[arg-type]  # None begins
        except StopIteration as end:
            result: T = end.value
            return result
        answers = await _make_together(calls)


async def _make_together(calls: Sequence[Call]) -> list[str]:
    """Make calls at once; if one fails, the others are waited for: their answers are paid for, and kept."""
    answers: list[str] = []
    for answer in await asyncio.gather(*map(_make_call_async, calls), return_exceptions=True):
        if isinstance(answer, BaseException):
            raise answer
        answers.append(answer)
    return answers


def _make_call(call: Call) -> str:
    with call.turns.hold(call.key) if call.kept else contextlib.nullcontext():
        if call.kept and (kept := call.kept.get(call.key, call.number)) is not None:
            call.spending.count(is_question=call.is_question, is_kept=True)
            return kept
        with call.limit.hold() if call.limit else contextlib.nullcontext():
            call.spending.count(is_question=call.is_question, is_kept=False)
            said = call.function(*call.arguments)
        answer = _take_answer(said, call)
        return call.kept.put(call.key, call.number, answer) if call.kept else answer


async def _make_call_async(call: Call) -> str:
    async with call.turns.hold_async(call.key) if call.kept else contextlib.nullcontext():
        if call.kept and (kept := await asyncio.to_thread(call.kept.get, call.key, call.number)) is not None:
            call.spending.count(is_question=call.is_question, is_kept=True)
            return kept
        async with call.limit.hold_async() if call.limit else contextlib.nullcontext():
            call.spending.count(is_question=call.is_question, is_kept=False)
            if is_coroutine_function(call.function):
                said = await call.function(*call.arguments)
            else:
                said = await call_aside(call.function, *call.arguments)
        answer = _take_answer(said, call)
        return await asyncio.to_thread(call.kept.put, call.key, call.number, answer) if call.kept else answer


def _take_answer(said: Any, call: Call) -> str:
    """Return the text of an answer; what it cost is added up."""
    text, notes = (said.feedback, said.notes) if isinstance(said, Noted) else (said, {})
    if not isinstance(text, str):
        if inspect.iscoroutine(text):
            text.close()
        raise BadFeedback(
            f"{name_function(call.function)} must return text, an empty one if there is none, not {show_value(text)}; "
            "write it as async def if it has to be awaited."
        )
    if (cost := notes.get("cost")) is not None:
        if is_bool(cost) or not isinstance(cost, Real) or not 0 <= float(cost) < math.inf:
            raise InvalidArgument(f"the cost of a call must be a number, not {show_value(cost)}.")
        call.spending.cost = add_costs(call.spending.cost, float(cost))
    return make_encodable(text)


def name_function(function: Callable[..., Any]) -> str:
    """Return what to call a function in messages."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def has_own_name(function: Callable[..., Any]) -> bool:
    """Whether its name says which function it is: not that of a lambda, a method, or one made within another."""
    return isinstance(function, FunctionType) and "<" not in function.__qualname__


class Turns:
    """One at a time for every key: who comes second finds what the first one kept."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[tuple[str, Any], tuple[Any, int]] = {}  # by key and loop, with how many hold or await each

    def __reduce__(self) -> tuple[type[Turns], tuple[()]]:
        return Turns, ()

    @contextlib.contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Wait for the others in this process."""
        with self._counted((key, None), threading.Lock) as lock, lock:
            yield

    @contextlib.asynccontextmanager
    async def hold_async(self, key: str) -> AsyncIterator[None]:
        """Wait for the others in this loop."""
        with self._counted((key, asyncio.get_running_loop()), asyncio.Lock) as lock:
            async with lock:
                yield

    @contextlib.contextmanager
    def _counted(self, key: tuple[str, Any], make: Callable[[], Any]) -> Iterator[Any]:
        with self._guard:
            lock, count = self._locks.get(key) or (make(), 0)
            self._locks[key] = lock, count + 1
        try:
            yield lock
        finally:
            with self._guard:
                lock, count = self._locks.pop(key)
                if count > 1:
                    self._locks[key] = lock, count - 1
