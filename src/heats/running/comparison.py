"""The user's ``compare`` as a task: it gets the candidates of a heat, and what it names becomes arms."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from heats.base.text import describe_error, make_printable
from heats.engine.feedback import KINDS, Kind, Named, NoVerdict, Ranking, Winner, rewards
from heats.engine.machine import Query
from heats.errors import BadFeedback, InvalidArgument, show_value
from heats.planning.plan import FeedbackHint
from heats.running.calls import Job
from heats.running.outcomes import Noted


class Announced(NamedTuple):
    """What was said that ``compare`` returns, and the kinds of feedback that are meant by it."""

    hint: FeedbackHint
    kinds: frozenset[Kind]


class Wants(NamedTuple):
    """What ``compare`` takes besides the heat: the query, in which way, and how often it came to no verdict."""

    query: Literal["by name", "second", "not"]
    attempt: bool


class Comparison:
    """The user's ``compare`` as a task: it gets the candidates of a heat, and what it names becomes arms.

    A ``compare`` with an attribute ``varies = True`` says that it may answer otherwise if it is asked again; a number
    says how many answers may differ, of so many judges for example.
    """

    def __init__(
        self,
        compare: Callable[..., Any],
        candidates: tuple[Any, ...],
        names: tuple[str, ...],
        announced: Announced | None = None,  # None: any feedback will do
    ) -> None:
        self._compare = compare
        self._candidates = candidates
        self._names = names
        self._announced = announced
        self._wants = _find_wants(compare)
        self.is_awaited = is_coroutine_function(compare)
        self._varies = getattr(compare, "varies", False)

    def job(self, query: Query, attempt: int = 0) -> Job:
        """Send along the candidates of this heat only."""
        return compare_once, (*self.call(query, attempt)[1], self._announced)

    def call(self, query: Query, attempt: int = 0) -> Job:
        """Return what to call to have an answer, or something to wait for; ``read`` makes feedback of it."""
        return call_compare, (self._compare, self._wants, self._heat(query), query, attempt)

    def read(self, said: Any, query: Query) -> Any:
        """Return what ``compare`` said of a heat, with arms for the candidates it names."""
        return read_answer(said, self._heat(query), query, self._announced)

    def may_vary(self, answers: int) -> bool:
        """Whether there may be another answer to a pull after so many."""
        return self._varies is True or (type(self._varies) is int and answers < self._varies)

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull."""
        return ", ".join(make_printable(self._names[arm]) for arm in query.arms)

    def explain(self, query: Query, error: BaseException) -> str:
        """Say that ``compare`` gets several candidates, if it looks as if it was written for one."""
        is_ours = type(self._compare).__module__.partition(".")[0] == "heats"  # a judge
        if is_ours or not _took_heat_for_candidate(error, self._heat(query)):
            return ""
        return "compare gets a tuple of candidates, not one: return a number for each, as [score(c) for c in heat]."

    def _heat(self, query: Query) -> tuple[Any, ...]:
        return tuple([self._candidates[arm] for arm in query.arms])


def _took_heat_for_candidate(error: BaseException, heat: tuple[Any, ...]) -> bool:
    """Whether an error is one that functions raise which get a tuple where they expect something else.

    It may have travelled: then its kind and its message are all there is. One that may be about a candidate does not
    count.
    """
    if isinstance(error, KeyError):
        return _equal(error.args, (heat,))
    said = describe_error(error)
    if isinstance(error, (TypeError, AttributeError, IndexError)) and "tuple" in said:
        if "'tuple'" in said:  # a named tuple would be called by the name of its type
            return not any(type(candidate) is tuple for candidate in heat)
        return not any(isinstance(candidate, tuple) for candidate in heat)
    is_about_sequences = (isinstance(error, ValueError) and "values to unpack" in said) or (
        isinstance(error, TypeError) and "can't multiply sequence" in said
    )
    return is_about_sequences and not any(isinstance(candidate, Iterable) for candidate in heat)


def check_compare(compare: Any, *, may_wait: bool) -> None:
    """Refuse what cannot be called, and where nobody can wait for it, what is to be waited for."""
    if not callable(compare):
        raise InvalidArgument("{compare} must be a plain function of a tuple of candidates.", compare=compare)
    if is_coroutine_function(compare) and not may_wait:
        raise InvalidArgument(
            "{compare} is a coroutine function, which has to be awaited: await heats.find_best_async(candidates, "
            "compare, ...) takes it.",
            compare=compare,
        )


def check_announced(compare: Any, announced: Announced | None) -> None:
    """Refuse a judge that says itself that it returns something else than was announced, before it is asked."""
    said = getattr(compare, "feedback", None)
    is_ours = isinstance(said, str) and said in ("winner", "ranking")
    if announced is None or not is_ours or Kind(said) in announced.kinds:
        return
    raise InvalidArgument(
        f"{{feedback}} was said, but {show_value(compare)} is one with feedback={said!r}; make them equal, or leave "
        "it out.",
        feedback=announced.hint,
    )


def is_coroutine_function(compare: Any) -> bool:
    """Whether calling it gives something to await: an ``async def``, an object called as one, a partial of either."""
    while isinstance(compare, partial):
        compare = compare.func
    return any(map(inspect.iscoroutinefunction, (compare, getattr(compare, "__call__", None))))  # noqa: B004


def compare_once(
    compare: Callable[..., Any],
    wants: Wants,
    heat: tuple[Any, ...],
    query: Query,
    attempt: int,
    announced: Announced | None,
) -> Any:
    """Call ``compare``, in whatever process this runs, and turn the candidates it names into arms."""
    said = call_compare(compare, wants, heat, query, attempt)
    if hasattr(said, "__await__"):
        raise _refuse_awaitable(said, "a function that returns one is for: await heats.find_best_async(...)")
    return read_answer(said, heat, query, announced)


def call_compare(compare: Callable[..., Any], wants: Wants, heat: tuple[Any, ...], query: Query, attempt: int) -> Any:
    """Call ``compare`` with what it wants."""
    more = {"attempt": attempt} if wants.attempt else {}
    match wants.query:
        case "by name":
            return compare(heat, query=query, **more)
        case "second":
            return compare(heat, query, **more)
        case _:
            return compare(heat, **more)


def read_answer(answer: Any, heat: tuple[Any, ...], query: Query, announced: Announced | None) -> Any:
    """Return feedback in arms, with its notes if it has some, or refuse what is none."""
    said = answer.feedback if isinstance(answer, Noted) else answer
    if hasattr(said, "__await__"):
        raise _refuse_awaitable(said, "write return await")
    if announced is not None:
        said = _take_bare(said, heat, announced)
        _check_kind(said, announced, heat, query)
    told = _in_arms(said, heat, query)
    return Noted(told, answer.notes) if isinstance(answer, Noted) else told


def _refuse_awaitable(said: Any, way_out: str) -> BadFeedback:
    shown = show_value(said)
    if inspect.iscoroutine(said):
        said.close()  # else Python complains, too, that nobody awaited it
    return BadFeedback(f"compare returned something to await, {shown}: {way_out}.")


def _take_bare(said: Any, heat: tuple[Any, ...], announced: Announced) -> Any:
    """Return feedback for a bare answer: the winner itself, or a list of candidates, where that is what was announced.

    Where numbers are meant as well, a list of as many stays what it is.
    """
    is_row = isinstance(said, (list, tuple, np.ndarray))
    if isinstance(said, Named) or said is None or (is_row and Kind.REWARDS in announced.kinds):
        return said
    if announced.hint == "winner" and _stands_in(said, heat):
        return Winner(said)
    if announced.hint == "ranking" and is_row and any(_stands_in(each, heat) for each in said):
        return Ranking(said)
    return said


def _check_kind(feedback: Any, announced: Announced, heat: tuple[Any, ...], query: Query) -> None:
    """Refuse a kind of feedback that was not announced; no verdict goes with all of them."""
    kind = KINDS.get(type(feedback), Kind.REWARDS)
    if kind not in announced.kinds and not isinstance(feedback, NoVerdict):
        if kind is Kind.REWARDS:
            try:
                rewards(feedback, query.arms)  # what is no feedback at all is told so
            except BadFeedback as error:
                bare = "a list of candidates" if announced.hint == "ranking" else "the winner itself"
                raise BadFeedback(f"{error} Here {bare} will do, too, out of {show_value(heat)}.") from None
        raise BadFeedback(
            f"{{feedback}} was said, but {kind.value} feedback was told; say what is told, or leave feedback out.",
            feedback=announced.hint,
        )


def _in_arms(feedback: Any, heat: tuple[Any, ...], query: Query) -> Any:
    if not isinstance(feedback, Named):
        return feedback
    return feedback.rename(lambda candidate: query.arms[_place(candidate, heat)])


def _find_wants(compare: Callable[..., Any]) -> Wants:
    try:
        parameters = list(inspect.signature(compare).parameters.values())
    except (TypeError, ValueError):
        return Wants("not", attempt=False)  # a built-in that does not say what it takes
    attempt = [
        each
        for each in parameters[1:]
        if each.name == "attempt" and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    rest = [each for each in parameters if each not in attempt]
    return Wants(_find_query(compare, rest), attempt=bool(attempt))


def _find_query(
    compare: Callable[..., Any], parameters: list[inspect.Parameter]
) -> Literal["by name", "second", "not"]:
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    others = [each for each in parameters if each not in positional[:1]]  # the first one takes the heat
    if any(each.name == "query" and each.kind is not each.POSITIONAL_ONLY for each in others):
        return "by name"
    second = [each for each in positional[1:] if each.default is each.empty]
    if len(second) > 1 or not (positional or any(each.kind is each.VAR_POSITIONAL for each in parameters)):
        raise InvalidArgument(
            f"compare{inspect.signature(compare)} must take one tuple of candidates, and the query if it wants it."
        )
    return "second" if second else "not"


def _place(candidate: Any, heat: tuple[Any, ...]) -> int:
    """Return where a candidate stands in the heat: the very object, or else the only one equal to it."""
    if candidate is heat:
        raise BadFeedback(
            "the whole heat was named: compare gets one tuple of candidates; name one of them, as heat[0]."
        )
    places = [place for place, other in enumerate(heat) if other is candidate]
    places = places or [place for place, other in enumerate(heat) if _equal(other, candidate)]
    if len(places) == 1:
        return places[0]
    if places:
        raise BadFeedback(
            f"{show_value(candidate)} may be any of {len(places)} candidates of this heat; "
            "candidates that are named must be different objects: name the very one that was handed over."
        )
    raise BadFeedback(f"{show_value(candidate)} is not in this heat; name one of {show_value(heat)}.")


def _stands_in(candidate: Any, heat: tuple[Any, ...]) -> bool:
    return any(other is candidate or _equal(other, candidate) for other in heat)


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # arrays and the like refuse: then only identity counts
        return False
