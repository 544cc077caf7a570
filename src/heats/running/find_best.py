"""``find_best``: the one call for people with candidates and a way to compare them; ``run`` drives any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from heats.base.checks import whole
from heats.engine.machine import Machine
from heats.engine.statistics import StatisticLike
from heats.errors import InvalidArgument
from heats.executors.checks import check_executor
from heats.journal import JournalFile
from heats.planning.plan import FeedbackHint, Plan, Record, Schedule
from heats.planning.rules import Rule
from heats.running.driver import drive
from heats.running.found import Found
from heats.running.preparing import Made, Prepared, Terms, prepare_run, prepare_search

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor

BACKOFF = (0.5, 30.0)  # seconds: the first wait after a failure, and the longest


def find_best(
    candidates: Iterable[Any],
    compare: Callable[..., Any],
    *,
    budget: int | None = None,
    heat_size: int | None = None,
    strategy: str | Rule | None = None,
    batches: int | None = None,
    sure: float | None = None,
    plan: Plan | None = None,
    feedback: FeedbackHint | None = None,
    statistic: StatisticLike | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | JournalFile | None = None,
    progress: bool | None = None,
    retries: int = 0,
    backoff: tuple[float, float] | None = BACKOFF,
    timeout: float | None = None,
    names: Sequence[str] | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule | None = None,
    record: Record | None = None,
    blind: bool = False,
    early: bool = False,
) -> Found:
    """Find the best of ``candidates`` with at most ``budget`` comparisons of up to ``heat_size`` of them.

    Parameters
    ----------
    candidates
        Anything: numbers, strings, dicts, functions, models.
    compare
        ``compare(tuple_of_candidates)`` returns feedback: a sequence of numbers in the same order, larger is
        better; or ``Winner``, ``Ranking``, ``BestWorst`` or ``Race``, which name the candidates themselves; or
        ``NoVerdict``, which says nothing. Where ``feedback="winner"`` is said, the candidate itself will do, and a
        list of candidates, best first, where ``"ranking"`` is. One that is a coroutine function is for
        :func:`find_best_async`.
        If it has a parameter called ``query``, or a second positional one without default, it also gets the
        ``Query``; ``query.seed`` makes a randomised comparison repeatable.
    budget, heat_size
        How many comparisons may be made, and of how many candidates at once (default: 4, or all if fewer).
    strategy
        ``"adaptive"`` plays :class:`heats.Adaptive`, whose winner stays; ``"planned"``, ``"csws"``,
        ``"csr"``, ``"csh"`` or a function play a tournament that is planned before the first comparison, see
        :func:`heats.plan`. Left out: adaptive, unless another argument implies a plan (``plan``, ``edge``,
        ``guaranteed``, ``schedule``, ``record``, ``blind``, ``early``, or a statistic other than ``mean`` and
        ``win_rate``), there is more than adaptive play can deal (3 million comparisons), or the journal holds a
        planned run.
    batches
        In how many batches adaptive play decides whom to compare next (default: 15); saying it means adaptive play.
    sure
        End the run as soon as the standings give whoever would win at least this chance to be the best, as 0.95; it
        is looked at after every batch. Saying it means adaptive play, too.
    plan
        A plan to play, made by :func:`heats.plan` and looked at; then nothing else is said about how to plan.
    edge, guaranteed, schedule, record, blind
        How the tournament is planned, see :func:`heats.plan`; saying any of them means a planned one.
    early
        True leaves out comparisons that can no longer change who stays in a heat: the same candidate wins, with fewer
        of them. For winners, races and rankings, and ``record="off"``; see :class:`heats.Tournament`.
    feedback
        What ``compare`` returns: ``"reward"`` (numbers), ``"winner"`` (``Winner``, ``BestWorst`` or ``Race``) or
        ``"ranking"``; anything else is then refused. A tournament that is planned before the first comparison is
        better if it is known; left out, it is taken from the statistic where that says it, and else planned for any.
    statistic
        How the pulls of a heat become scores; default ``heats.mean``.
    seed
        Equal seeds and equal feedback give equal runs.
    executor
        Any ``concurrent.futures.Executor``; default: this thread.
    journal
        A file that keeps the run, or a :class:`heats.JournalFile`. If it is not there, it is begun; if it is, the
        run goes on where it stopped, however it stopped; if the run is over, its report is returned at once. Adaptive
        play goes further if it is asked to: with a larger ``budget``, with more ``candidates`` after the known ones,
        or, once it stopped early, with a larger ``sure``.
    progress
        True shows a live bar on a terminal or in a notebook; elsewhere it is silent.
    retries
        How often a comparison that failed is tried again before the run stops; with a journal, the same call then
        goes on. So often, too, is a pull asked again that came to ``NoVerdict``, if ``compare.varies`` is True, or says
        how many answers may differ; see docs/scaling.md.
    backoff
        Seconds to wait before a comparison that raised is tried again: about as many as the first number says, twice
        as many every time, and no more than the second; other comparisons are made meanwhile. An error that has a
        ``retry_after`` is waited for as long as that says. None: at once.
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
        If ``compare`` returned something that is not feedback on its candidates.

    Examples
    --------
    >>> import heats
    >>> find_best(range(20), lambda heat: [-abs(x - 13) for x in heat], budget=60, heat_size=4).winner
    13
    """
    said = dict(locals())  # first of all: every argument by its name
    check_executor(said.pop("executor"))
    with prepare_search(**said) as prepared:
        _drive(prepared, executor)
    return prepared.found


async def find_best_async(
    candidates: Iterable[Any],
    compare: Callable[..., Any],
    *,
    budget: int | None = None,
    heat_size: int | None = None,
    strategy: str | Rule | None = None,
    batches: int | None = None,
    sure: float | None = None,
    plan: Plan | None = None,
    feedback: FeedbackHint | None = None,
    statistic: StatisticLike | None = None,
    seed: int = 0,
    concurrency: int = 8,
    journal: str | os.PathLike[str] | JournalFile | None = None,
    progress: bool | None = None,
    retries: int = 0,
    backoff: tuple[float, float] | None = BACKOFF,
    timeout: float | None = None,
    names: Sequence[str] | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule | None = None,
    record: Record | None = None,
    blind: bool = False,
    early: bool = False,
) -> Found:
    """Find the best as :func:`find_best` does, with comparisons that are awaited, several at a time.

    It runs in the event loop of whoever awaits it, in a notebook, a server or a test as well, and gives the same bytes
    as ``find_best``, whichever comparison ends first.

    Parameters
    ----------
    compare
        A coroutine function: ``await compare(tuple_of_candidates)`` gives feedback, as for ``find_best``. It must not
        block, or all wait for it. A plain function runs in a thread, so that it may.
    concurrency
        How many comparisons may be under way at once.
    timeout
        Seconds after which a comparison is cancelled and counts as failed. A thread cannot be stopped; what it answers
        after that time does not count.
    candidates, budget, heat_size, ...
        All else is as for ``find_best``, ``journal`` and ``retries`` among it. A comparison that waits to be tried
        again keeps no place from the others. If the task is cancelled, what is under way is cancelled, what came back
        is told, and with a journal the same call goes on.

    Examples
    --------
    >>> import asyncio, heats
    >>> async def judge(pair):
    ...     await asyncio.sleep(0.001)  # a language model, say
    ...     return heats.Winner(max(pair))
    >>> asyncio.run(find_best_async(range(20), judge, budget=60, heat_size=2, concurrency=20)).winner
    19
    """
    said = dict(locals())  # first of all: every argument by its name
    from heats.running.async_driver import drive_async  # who awaits nothing need not import asyncio

    places = whole("concurrency", said.pop("concurrency"), 1)
    with prepare_search(**said, may_wait=True) as prepared:
        await drive_async(prepared, places)
    return prepared.found


def run(
    machine: Machine,
    compare: Callable[..., Any],
    *,
    candidates: Iterable[Any] | None = None,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | JournalFile | None = None,
    progress: bool | None = None,
    retries: int = 0,
    backoff: tuple[float, float] | None = BACKOFF,
    timeout: float | None = None,
    names: Sequence[str] | None = None,
    sure: float | None = None,
) -> Found:
    """Drive any machine to its end: make all its comparisons, here or on an executor, and return what it found.

    ``machine`` is a fresh Tournament, Adaptive, RoundRobin or SuccessiveHalving. Without ``candidates`` its arms are
    compared by their numbers, 0 to n_arms - 1. All else is as for :func:`find_best`.

    Examples
    --------
    >>> import heats
    >>> machine = heats.RoundRobin(n_arms=5, heat_size=2, budget=10)
    >>> run(machine, lambda arms: heats.Winner(max(arms))).winner
    4
    """
    if not isinstance(machine, Machine) or not machine.is_fresh:
        raise InvalidArgument(
            "{machine} must be a fresh machine, such as a new Tournament: nothing asked, told, added or left out.",
            machine=machine,
        )
    check_executor(executor)
    terms = Terms(
        journal=journal, progress=progress, retries=retries, backoff=backoff, timeout=timeout, names=names, sure=sure
    )
    with prepare_run(Made(machine), compare, candidates, terms) as prepared:
        _drive(prepared, executor)
    return prepared.found


def _drive(run: Prepared, executor: Executor | None) -> None:
    drive(
        run.machine,
        run.task,
        executor,
        run.retries,
        run.watch,
        keeper=run.keeper,
        backoff=run.backoff,
        timeout=run.timeout,
        sure=run.sure,
    )
