"""The user's ``compare`` as a task: it gets the candidates of a heat, and what it names becomes arms."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from heats.base.text import make_printable
from heats.engine.feedback import KINDS, Kind, Named, NoVerdict, rewards
from heats.engine.machine import Query
from heats.errors import BadFeedback, InvalidArgument, show_value
from heats.planning.plan import FeedbackHint
from heats.running.outcomes import Noted


class Announced(NamedTuple):
    """What was said that ``compare`` returns, and the kinds of feedback that are meant by it."""

    hint: FeedbackHint
    kinds: frozenset[Kind]


class Comparison:
    """The user's ``compare`` as a task: it gets the candidates of a heat, and what it names becomes arms."""

    def __init__(
        self,
        compare: Callable[..., Any],
        candidates: tuple[Any, ...],
        names: tuple[str, ...],
        announced: Announced | None = None,  # None: any feedback will do
    ) -> None:
        if not callable(compare) or inspect.iscoroutinefunction(compare):
            raise InvalidArgument("{compare} must be a plain function of a tuple of candidates.", compare=compare)
        self._compare = compare
        self._candidates = candidates
        self._names = names
        self._announced = announced
        self._query_goes = _where_query_goes(compare)

    def job(self, query: Query) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Send along the candidates of this heat only."""
        heat = tuple(self._candidates[arm] for arm in query.arms)
        return compare_once, (self._compare, self._query_goes, heat, query, self._announced)

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull."""
        return ", ".join(make_printable(self._names[arm]) for arm in query.arms)


def compare_once(
    compare: Callable[..., Any], query_goes: str, heat: tuple[Any, ...], query: Query, announced: Announced | None
) -> Any:
    """Call ``compare``, in whatever process this runs, and turn the candidates it names into arms."""
    match query_goes:
        case "by name":
            feedback = compare(heat, query=query)
        case "second":
            feedback = compare(heat, query)
        case _:
            feedback = compare(heat)
    said = feedback.feedback if isinstance(feedback, Noted) else feedback
    if announced is not None:
        _check_kind(said, announced, query)
    told = _in_arms(said, heat, query)
    return Noted(told, feedback.notes) if isinstance(feedback, Noted) else told


def _check_kind(feedback: Any, announced: Announced, query: Query) -> None:
    """Refuse a kind of feedback that was not announced; no verdict goes with all of them."""
    kind = KINDS.get(type(feedback), Kind.REWARDS)
    if kind not in announced.kinds and not isinstance(feedback, NoVerdict):
        if kind is Kind.REWARDS:
            rewards(feedback, query.arms)  # what is no feedback at all is told so
        raise BadFeedback(
            f"feedback={announced.hint!r} was said, but {kind.value} feedback was told; say what is told, or leave "
            "feedback out."
        )


def _in_arms(feedback: Any, heat: tuple[Any, ...], query: Query) -> Any:
    if not isinstance(feedback, Named):
        return feedback
    return feedback.rename(lambda candidate: query.arms[_place(candidate, heat)])


def _where_query_goes(compare: Callable[..., Any]) -> str:
    try:
        parameters = list(inspect.signature(compare).parameters.values())
    except (TypeError, ValueError):
        return "nowhere"  # a built-in that does not say what it takes
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    others = [each for each in parameters if each not in positional[:1]]  # the first one takes the heat
    if any(each.name == "query" and each.kind is not each.POSITIONAL_ONLY for each in others):
        return "by name"
    second = [each for each in positional[1:] if each.default is each.empty]
    if len(second) > 1 or not (positional or any(each.kind is each.VAR_POSITIONAL for each in parameters)):
        raise InvalidArgument(
            f"compare{inspect.signature(compare)} must take one tuple of candidates, and the query if it wants it."
        )
    return "second" if second else "nowhere"


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


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # arrays and the like refuse: then only identity counts
        return False
