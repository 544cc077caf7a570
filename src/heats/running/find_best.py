"""``find_best``: the one call for people with candidates and a way to compare them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from heats.base.checks import between, whole
from heats.base.text import make_printable
from heats.engine.feedback import Named
from heats.engine.machine import Query
from heats.engine.report import Report, RoundReport, Sureness, describe_report
from heats.engine.statistics import StatisticLike, expected_feedback, mean, win_rate
from heats.engine.tournament import Tournament
from heats.errors import BadFeedback, InvalidArgument, show_value
from heats.journal import Journal, JournalFile
from heats.journal.fingerprint import take_fingerprints
from heats.planning.build import plan
from heats.planning.plan import FeedbackHint, Record, Schedule
from heats.planning.rules import Rule
from heats.running.driver import drive
from heats.running.outcomes import Noted
from heats.running.progress import show_progress

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor


@dataclass(frozen=True, eq=False)
class Found:
    """What ``find_best`` found: the candidates themselves, and the tournament's report, which speaks of arms."""

    candidates: tuple[Any, ...]
    names: tuple[str, ...]
    report: Report

    @property
    def winner(self) -> Any:
        """The candidate that won."""
        return self.candidates[self.report.winner]  # type: ignore[index]  # the run is done

    @property
    def runner_up(self) -> Any:
        """The candidate that came second in the last heat."""
        return self.candidates[self.report.runner_up]  # type: ignore[index]  # the run is done

    @property
    def rivals(self) -> tuple[Any, ...]:
        """Candidates of the last heat that the pulls cannot tell apart from the winner."""
        return tuple(self.candidates[arm] for arm in self.report.rivals or ())

    @property
    def sureness(self) -> Sureness | None:
        """How sure the last heat is."""
        return self.report.sureness

    @property
    def rounds(self) -> tuple[RoundReport, ...]:
        """Survivors and scores of every round, by arm: an index into ``candidates``."""
        return self.report.rounds

    @property
    def spent(self) -> int:
        """How many comparisons were made."""
        return self.report.spent

    def to_json(self) -> str:
        """Return the report as JSON, with the candidates' names."""
        return msgspec.json.encode(msgspec.to_builtins(self.report) | {"names": self.names}).decode()

    def __str__(self) -> str:
        return describe_report(self.report, self.names)


def find_best(
    candidates: Iterable[Any],
    compare: Callable[..., Any],
    *,
    budget: int,
    heat_size: int | None = None,
    strategy: str | Rule = "planned",
    feedback: FeedbackHint | None = None,
    statistic: StatisticLike | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | JournalFile | None = None,
    progress: bool | None = None,
    retries: int = 0,
    timeout: float | None = None,
    names: Sequence[str] | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule = "exact",
    record: Record | None = None,
    blind: bool = False,
) -> Found:
    """Find the best of ``candidates`` with at most ``budget`` comparisons of up to ``heat_size`` of them.

    Parameters
    ----------
    candidates
        Anything: numbers, strings, dicts, functions, models.
    compare
        ``compare(tuple_of_candidates)`` returns feedback: a sequence of numbers in the same order, larger is
        better; or ``Winner``, ``Ranking``, ``BestWorst`` or ``Race``, which name the candidates themselves.
        If it has a parameter called ``query``, or a second positional one without default, it also gets the
        ``Query``; ``query.seed`` makes a randomised comparison repeatable.
    budget, heat_size
        How many comparisons may be made, and of how many candidates at once (default: 4, or all if fewer).
    strategy, edge, guaranteed, schedule, record, blind
        How the tournament is planned, see :func:`heats.plan`.
    feedback
        What ``compare`` returns: ``"reward"`` (numbers), ``"winner"`` (``Winner``, ``BestWorst`` or ``Race``) or
        ``"ranking"``. The tournament is planned before the first comparison and better if it is known; left out, it is
        taken from the statistic where that says it, and else planned for any.
    statistic
        How the pulls of a heat become scores; default ``heats.mean``.
    seed
        Equal seeds and equal feedback give equal runs.
    executor
        Any ``concurrent.futures.Executor``; default: this thread.
    journal
        A file that keeps the run, or a :class:`heats.JournalFile`. If it is not there, it is begun; if it is, the
        run goes on where it stopped, however it stopped; if the run is over, its report is returned at once.
    progress
        True shows a live bar on a terminal; elsewhere it is silent.
    retries
        How often a comparison that failed is tried again before the run stops.
    timeout
        Seconds after which a comparison counts as failed. In this thread and in process pools it is stopped then;
        elsewhere its worker cannot be freed, and what it answers after that time does not count.
    names
        What to call the candidates in messages and reports.

    Raises
    ------
    ComparisonFailed
        If ``compare`` raised; the original error is the cause.
    BadFeedback
        If ``compare`` returned something that is no feedback on its candidates.

    Examples
    --------
    >>> find_best(range(20), lambda heat: [-abs(x - 13) for x in heat], budget=60, heat_size=4).winner
    13
    """
    field = _as_field(candidates)
    labels = _as_names(names, field)
    task = Comparison(compare, field, labels)
    if executor is not None and (isinstance(executor, type) or not hasattr(executor, "submit")):
        raise InvalidArgument(f"executor={executor!r} must be an executor, such as ThreadPoolExecutor(4), or None.")
    whole("retries", retries, 0)
    size = min(4, len(field)) if heat_size is None else heat_size
    if record is None and statistic not in (None, mean, win_rate):
        record = "ties"  # a fitted record would rank heats by wins or places instead of this statistic
    layout = plan(
        *(len(field), size, budget, strategy),
        feedback=expected_feedback(statistic) if feedback is None else feedback,
        edge=edge,
        guaranteed=guaranteed,
        schedule=schedule,
        record=record,
        blind=blind,
    )
    if timeout is not None:
        between("timeout", timeout, 0, 1e9, open_low=True, why="seconds")
    tournament = Tournament(layout, mean if statistic is None else statistic, seed)
    with (
        _kept(journal, tournament, field, labels, named=names is not None) as keeper,
        show_progress(tournament, labels, show=bool(progress)) as watch,
    ):
        drive(tournament, task, executor, retries, watch, keeper=keeper, timeout=timeout)
    return Found(field, labels, tournament.report())


@contextmanager
def _kept(
    journal: str | os.PathLike[str] | JournalFile | None,
    tournament: Tournament,
    field: tuple[Any, ...],
    labels: tuple[str, ...],
    *,
    named: bool,
) -> Iterator[Journal | None]:
    """Open the journal, if there is to be one; an interrupt then says how to go on."""
    if journal is None:
        yield None
        return
    with Journal(journal, tournament, candidates=take_fingerprints(field, labels, named=named)) as keeper:
        try:
            yield keeper
        except KeyboardInterrupt as stop:
            kept = f"{tournament.spent} of {tournament.plan.cost} pulls are kept in {keeper.path}"
            stop.add_note(f"{kept}; do the same again to go on.")
            raise


class Comparison:
    """The user's ``compare`` as a task: it gets the candidates of a heat, and what it names becomes arms."""

    def __init__(self, compare: Callable[..., Any], candidates: tuple[Any, ...], names: tuple[str, ...]) -> None:
        if not callable(compare) or inspect.iscoroutinefunction(compare):
            raise InvalidArgument(f"compare={compare!r} must be a plain function of a tuple of candidates.")
        self._compare = compare
        self._candidates = candidates
        self._names = names
        self._query_goes = _where_query_goes(compare)

    def job(self, query: Query) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Send along the candidates of this heat only."""
        heat = tuple(self._candidates[arm] for arm in query.arms)
        return compare_once, (self._compare, self._query_goes, heat, query)

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull."""
        return ", ".join(make_printable(self._names[arm]) for arm in query.arms)


def compare_once(compare: Callable[..., Any], query_goes: str, heat: tuple[Any, ...], query: Query) -> Any:
    """Call ``compare``, in whatever process this runs, and turn the candidates it names into arms."""
    match query_goes:
        case "by name":
            feedback = compare(heat, query=query)
        case "second":
            feedback = compare(heat, query)
        case _:
            feedback = compare(heat)
    if isinstance(feedback, Noted):
        return Noted(_in_arms(feedback.feedback, heat, query), feedback.notes)
    return _in_arms(feedback, heat, query)


def _in_arms(feedback: Any, heat: tuple[Any, ...], query: Query) -> Any:
    if not isinstance(feedback, Named):
        return feedback
    return feedback.renamed(lambda candidate: query.arms[_place(candidate, heat)])


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


def _as_field(candidates: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, Iterable):
        raise InvalidArgument(f"candidates={candidates!r} must be a list of the things to choose among.")
    if isinstance(candidates, (set, frozenset)):
        raise InvalidArgument(
            "candidates is a set, which has no fixed order, so runs could not be repeated; give a list."
        )
    field = tuple(candidates)
    if len(field) < 2:
        raise InvalidArgument(f"candidates holds {len(field)}, which leaves nothing to choose; give at least 2.")
    return field


def _as_names(names: Sequence[str] | None, field: tuple[Any, ...]) -> tuple[str, ...]:
    if names is None:
        made = [_name(candidate, arm) for arm, candidate in enumerate(field)]
        counts = Counter(made)
        return tuple(name if counts[name] == 1 else f"{name} #{arm}" for arm, name in enumerate(made))
    if not isinstance(names, (list, tuple)) or len(names) != len(field) or not all(isinstance(n, str) for n in names):
        raise InvalidArgument(f"names={names!r} must be one string per candidate, {len(field)} in all.")
    return tuple(names)


def _name(candidate: Any, arm: int) -> str:
    """Return one line of at most 60 characters that says which candidate it is."""
    text = candidate if isinstance(candidate, str) else getattr(candidate, "__name__", None) or show_value(candidate)
    if " at 0x" in text:  # a default repr says nothing
        return f"candidate {arm}"
    line = " ".join(str(text).split())
    return line if len(line) <= 60 else f"{line[:59]}…"
