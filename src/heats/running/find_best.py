"""``find_best``: the one call for people with candidates and a way to compare them; ``run`` drives any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heats.base.checks import between, one_of, whole
from heats.base.frames import Frame, Library, make_frame
from heats.base.naming import shorten
from heats.base.plots import Axes
from heats.base.text import make_encodable
from heats.base.version import __version__
from heats.engine.feedback import Kind
from heats.engine.machine import Machine
from heats.engine.pulls import list_pulls
from heats.engine.report import Report, RoundReport, Sureness, summarise_report
from heats.engine.scoring import expected_feedback, is_meant
from heats.engine.specs import AdaptiveSpec, Spec, TournamentSpec, outline
from heats.engine.standings import Standings, plot_standings
from heats.engine.statistics import StatisticLike, mean, win_rate
from heats.engine.tournament import Tournament
from heats.errors import InvalidArgument
from heats.journal import Journal, JournalFile, Log
from heats.journal.fingerprint import Candidate, take_fingerprints
from heats.journal.judged import JudgeCounts
from heats.journal.reader import read_answers, read_header
from heats.journal.sameness import DECIDING
from heats.planning.build import plan as make_plan
from heats.planning.plan import FEEDBACKS, FeedbackHint, Plan, Record, Schedule
from heats.planning.rules import Rule
from heats.reports.frames import list_results
from heats.reports.judges import JudgingFacts, collect_judging, count_first
from heats.reports.result import Result
from heats.reports.winner import choose_winner, collect_parameters
from heats.running.candidates import describe_candidate, name_candidates, take_candidates, take_parameters
from heats.running.comparison import Announced, Comparison
from heats.running.driver import drive
from heats.running.lookout import check_sure, is_less_sure
from heats.running.outcomes import MachineOnly
from heats.running.progress import show_progress
from heats.running.strategies import Said, choose_heat_size, choose_strategy, is_adaptive, make_adaptive

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor


@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """What ``find_best`` found: the candidates themselves, and the machine's report, which speaks of arms."""

    candidates: tuple[Any, ...]
    names: tuple[str, ...]
    played: Machine
    journal: Path | None = None  # where the run was kept
    judged: JudgeCounts | None = None  # what the notes of judges come to

    @cached_property
    def report(self) -> Report:
        """All there is to say; made when it is first read."""
        return self.played.report()

    @property
    def machine(self) -> dict[str, Any]:
        """What was played: the machine's spec, without the rounds of a plan."""
        return outline(self.played.spec)

    @property
    def winner(self) -> Any:
        """The candidate that won."""
        return self.candidates[self.played.winner]  # type: ignore[index]  # the run is done

    @property
    def runner_up(self) -> Any:
        """The candidate that came second in the last heat."""
        return self.candidates[self.report.runner_up]  # type: ignore[index]  # the run is done

    @property
    def rivals(self) -> tuple[Any, ...]:
        """Candidates that the whole run cannot tell apart from the winner, at most ten."""
        return tuple(self.candidates[arm] for arm in self.report.rivals or ())

    @property
    def standings(self) -> Standings:
        """All candidates, best first, by arm: an index into ``candidates``."""
        return self.report.standings

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
        return self.played.spent

    @property
    def judging(self) -> JudgingFacts | None:
        """What judges did, calls and cost included, if the comparisons were made by ``heats.judging``."""
        return None if self.judged is None else collect_judging(self.judged, self.report)

    def to_json(self) -> str:
        """Return the result as JSON (see docs/scaling.md); equal runs give equal bytes."""
        return msgspec.structs.replace(self._result, judging=None).to_json()  # calls and hits are luck

    def to_frame(self, library: Library | None = None) -> Frame:
        """Return the standings as a frame of pandas or polars: one row per candidate, best first.

        Candidates that are dicts have a column per parameter; see docs/results.md for the others. ``library`` is
        ``"pandas"`` or ``"polars"``; left out, it is pandas if that is installed, else polars.
        """
        values = tuple(map(take_parameters, self.candidates))
        return make_frame(list_results(self.standings, self.names, values), library)

    def pulls_frame(self, library: Library | None = None) -> Frame:
        """Return all pulls as a frame of pandas or polars: one row per pull and candidate, in the order of the ids.

        ``round`` and ``heat`` count from 0, as in a ``Query``, and ``pull`` is its id. ``observation`` is null where a
        pull had no verdict. ``by`` and ``seconds`` come from the journal, which is read for it; they are null where
        none was kept, or where it is gone.
        """
        machine, journal = self.played, self.journal
        answers = read_answers(journal, machine) if journal is not None and journal.exists() else None
        return make_frame(list_pulls([*machine.evidence(), *machine.silence()], self.names, answers), library)

    def to_html(self) -> str:
        """Return the page that ``heats report`` writes of a journal, without what only a journal knows."""
        from heats.reports.page import compose_page

        return compose_page(self._result, self.played, self._values)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the strengths of the best candidates, at most 30, with intervals and chances; needs matplotlib."""
        return plot_standings(self.standings, self.names, ax)

    def __repr__(self) -> str:
        winner = repr(shorten(self.names[self.played.winner]))  # type: ignore[index]  # the run is done
        return f"<Found: {summarise_report(self.report, winner)}>"

    def __str__(self) -> str:
        return str(self._result)

    def _repr_html_(self) -> str:
        from heats.reports.notebook import render_notebook

        return render_notebook(self.report, tuple(map(make_encodable, self.names)), self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        """The candidates as plain data."""
        return tuple(map(describe_candidate, self.candidates))

    @property
    def _result(self) -> Result:
        return Result(
            heats=__version__,
            machine=self.machine,
            names=(names := tuple(map(make_encodable, self.names))),
            parameters=collect_parameters(values := self._values),
            winner=choose_winner(self.report, names, values),
            report=self.report,
            shown=count_first(self.played, self.judged),
            judging=self.judging,
        )


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
        ``NoVerdict``, which says nothing.
        If it has a parameter called ``query``, or a second positional one without default, it also gets the
        ``Query``; ``query.seed`` makes a randomised comparison repeatable.
    budget, heat_size
        How many comparisons may be made, and of how many candidates at once (default: 4, or all if fewer).
    strategy
        ``"adaptive"`` plays :class:`heats.Adaptive`, which goes on with whoever looks best; ``"planned"``, ``"csws"``,
        ``"csr"``, ``"csh"`` or a function play a tournament that is planned before the first comparison, see
        :func:`heats.plan`. Left out: adaptive, unless something else that is said means a plan (``plan``, ``edge``,
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
        If ``compare`` returned something that is not feedback on its candidates.

    Examples
    --------
    >>> import heats
    >>> find_best(range(20), lambda heat: [-abs(x - 13) for x in heat], budget=60, heat_size=4).winner
    13
    """
    taken = take_candidates(candidates)
    planning = {"edge": edge, "guaranteed": guaranteed, "schedule": schedule, "record": record, "blind": blind}
    said = Said(
        n_arms=len(taken),
        heat_size=heat_size,
        budget=budget,
        feedback=feedback,
        strategy=strategy,
        batches=batches,
        sure=sure,
        statistic=statistic,
        planning=planning | {"plan": plan, "early": early},
    )
    begun = None if journal is None else _read_begun(journal)
    chosen, announced, log = choose_strategy(said, begun), None, None
    if is_adaptive(chosen):
        machine: Machine = make_adaptive(said, _need_budget(budget), begun, seed)
        announced = _bind(feedback, machine)
        log = _read_adaptive(journal, begun)
    else:
        layout = _lay_out(said, chosen, planning) if plan is None else _check_plan(plan, said, planning)
        machine = Tournament(_as_begun(begun, layout), mean if statistic is None else statistic, seed, early=early)
    return _play(
        machine,
        compare,
        announced,
        candidates=taken,
        executor=executor,
        journal=journal,
        progress=progress,
        retries=retries,
        timeout=timeout,
        names=names,
        sure=sure,
        log=log,
    )


def run(
    machine: Machine,
    compare: Callable[..., Any],
    *,
    candidates: Iterable[Any] | None = None,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | JournalFile | None = None,
    progress: bool | None = None,
    retries: int = 0,
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
            "{machine} must be a machine that nothing was told, such as a Tournament.", machine=machine
        )
    return _play(
        machine,
        compare,
        None,
        candidates=candidates,
        executor=executor,
        journal=journal,
        progress=progress,
        retries=retries,
        timeout=timeout,
        names=names,
        sure=sure,
        log=None,
    )


def _play(
    machine: Machine,
    compare: Callable[..., Any],
    announced: Announced | None,
    *,
    candidates: Iterable[Any] | None,
    executor: Executor | None,
    journal: str | os.PathLike[str] | JournalFile | None,
    progress: bool | None,
    retries: int,
    timeout: float | None,
    names: Sequence[str] | None,
    sure: float | None,
    log: Log | None,
) -> Found:
    """Check what was handed over, and drive the machine; or that of a ``log``, as far as the other one asks for.

    ``announced`` is what was said that ``compare`` returns.
    """
    taken = tuple(range(machine.n_arms)) if candidates is None else take_candidates(candidates)
    if len(taken) != machine.n_arms:
        raise InvalidArgument(f"{len(taken)} candidates were given for {machine.n_arms} arms; give one each.")
    labels = name_candidates([f"arm {arm}" for arm in taken] if candidates is names is None else names, taken)
    task = Comparison(compare, taken, labels, announced)
    if executor is not None and (isinstance(executor, type) or not hasattr(executor, "submit")):
        raise InvalidArgument(
            "{executor} must be an executor, such as ThreadPoolExecutor(4), or None.", executor=executor
        )
    whole("retries", retries, 0)
    if timeout is not None:
        timeout = between("timeout", timeout, 0, 1e9, open_low=True, why="seconds")
    sure = check_sure(sure, machine)
    known = None if journal is None else take_fingerprints(taken, labels, named=names is not None or candidates is None)
    with _keep(journal, machine, known, log) as keeper:
        machine = machine if keeper is None else keeper.machine
        if keeper is not None and is_less_sure(machine, sure):
            keeper.extend(0)
        with show_progress(machine, labels, show=bool(progress)) as watch:
            kept = keeper or MachineOnly(machine)
            drive(machine, task, executor, retries, watch, keeper=kept, timeout=timeout, sure=sure)
    judged = kept.judged if isinstance(kept, MachineOnly) else kept.log.judged
    return Found(taken, labels, machine, None if keeper is None else keeper.path, judged)


def _bind(feedback: FeedbackHint | None, machine: Machine) -> Announced | None:
    """Return what was said of feedback, with the kinds that are meant by it."""
    if feedback is None:
        return None
    one_of("feedback", feedback, FEEDBACKS)
    return Announced(feedback, frozenset(kind for kind in Kind if is_meant(feedback, kind, machine.statistic)))


def _need_budget(budget: int | None) -> int:
    if budget is None:
        raise InvalidArgument("say how many comparisons may be made, as budget=100, or hand over a plan.")
    return budget


def _lay_out(said: Said, strategy: str | Rule, planning: dict[str, Any]) -> Plan:
    """Plan for what will be told, as far as that was said or the statistic says it."""
    budget, size = _need_budget(said.budget), choose_heat_size(said.heat_size, said.n_arms)
    asked = {name: value for name, value in planning.items() if value is not None}
    if "record" not in asked and not any(said.statistic is each for each in (None, mean, win_rate)):
        asked["record"] = "ties"  # a fitted record would rank heats by wins or places instead of this statistic
    hint = expected_feedback(said.statistic) if said.feedback is None else said.feedback
    made = make_plan(said.n_arms, size, budget, strategy, feedback=hint, **asked)
    return made if said.feedback is not None else msgspec.structs.replace(made, feedback=None)  # a guess binds nobody


def _check_plan(plan: Plan, said: Said, planning: dict[str, Any]) -> Plan:
    """Refuse a plan for another number of candidates, and whatever else is said about planning."""
    if not isinstance(plan, Plan):
        raise InvalidArgument("{plan} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).", plan=plan)
    others = {name: getattr(said, name) for name in ("budget", "heat_size", "strategy", "feedback")} | planning
    for name, value in others.items():
        if not (value is None or value is False or (isinstance(value, str) and value in ("planned", "exact"))):
            raise InvalidArgument(
                f"{{{name}}} was said next to a plan, which says it all; leave it out.", **{name: value}
            )
    if plan.n_arms != said.n_arms:
        raise InvalidArgument(
            f"the plan is for {plan.n_arms} candidates, but there are {said.n_arms}; make them equal."
        )
    return plan


def _read_begun(journal: str | os.PathLike[str] | JournalFile) -> Spec | None:
    """Return what a journal that is there plays."""
    header = read_header(journal.path if isinstance(journal, JournalFile) else journal)
    return None if header is None else header.machine


def _as_begun(begun: Spec | None, layout: Plan) -> Plan:
    """Return the plan a run began with, if it was made for the same: how plans are made may have changed since."""
    if not isinstance(begun, TournamentSpec):
        return layout
    same = all(getattr(begun.plan, name) == getattr(layout, name) for name in DECIDING)
    return msgspec.structs.replace(layout, rounds=begun.plan.rounds) if same else layout


def _read_adaptive(journal: str | os.PathLike[str] | JournalFile | None, begun: Spec | None) -> Log | None:
    """Return the journal of adaptive play that is there: its run may go further than it did."""
    if journal is None or not isinstance(begun, AdaptiveSpec):
        return None
    return Log(journal.path if isinstance(journal, JournalFile) else journal)


@contextmanager
def _keep(
    journal: str | os.PathLike[str] | JournalFile | None,
    machine: Machine,
    known: tuple[Candidate, ...] | None,
    log: Log | None,
) -> Iterator[Journal | None]:
    """Open the journal, if there is to be one; an interrupt then says how to go on."""
    if journal is None:
        yield None
        return
    with Journal(journal, machine, candidates=known, log=log) as keeper:
        try:
            yield keeper
        except KeyboardInterrupt as stop:
            machine = keeper.machine
            of_all = "" if machine.total is None else f" of {machine.total}"
            stop.add_note(f"{machine.spent}{of_all} pulls are kept in {keeper.path}; do the same again to go on.")
            raise
