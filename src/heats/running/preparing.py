"""What is said in one call → a machine, a task and a journal, all checked: what any driver needs to play.

This is shared by ``find_best``, ``find_best_async`` and ``run``, which differ in who drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heats.base.checks import between, one_of, whole
from heats.engine.feedback import Kind
from heats.engine.machine import Machine
from heats.engine.scoring import expected_feedback, is_meant
from heats.engine.specs import AdaptiveSpec, Spec, TournamentSpec
from heats.engine.statistics import mean, win_rate
from heats.engine.tournament import Tournament
from heats.errors import InvalidArgument
from heats.journal import Journal, JournalFile, Log
from heats.journal.fingerprint import Candidate, take_fingerprints
from heats.journal.reader import read_header
from heats.journal.sameness import keep_rounds
from heats.planning.build import plan as make_plan
from heats.planning.plan import FEEDBACKS, FeedbackHint, Plan
from heats.planning.rules import Rule
from heats.running.candidates import name_candidates, take_candidates
from heats.running.comparison import Announced, Comparison, check_announced, check_compare
from heats.running.found import Found
from heats.running.lookout import check_sure, is_less_sure
from heats.running.outcomes import Keeper, MachineOnly, Task
from heats.running.progress import show_progress
from heats.running.strategies import Said, choose_heat_size, choose_strategy, is_adaptive, make_adaptive
from heats.running.waits import Backoff, check_backoff

if TYPE_CHECKING:
    import os

    from heats.running.driver import Watch

    Kept = str | os.PathLike[str] | JournalFile | None


PLANNING: dict[str, Any] = {  # what only planned tournaments know, and what it is where nothing is said
    "plan": None,
    "early": False,
    "guaranteed": False,
    "blind": False,
    "edge": None,
    "schedule": None,
    "record": None,
}


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is said about how comparisons are made and kept, whatever is played."""

    journal: Kept = None
    progress: bool | None = None
    retries: int = 0
    backoff: tuple[float, float] | None = None
    timeout: float | None = None
    names: Sequence[str] | None = None
    sure: float | None = None


class Made(NamedTuple):
    """A machine to play, or one that says how far that of a ``log`` is to go."""

    machine: Machine
    log: Log | None = None


class Prepared(NamedTuple):
    """All that a driver needs, checked."""

    machine: Machine
    task: Task
    keeper: Keeper
    watch: Watch
    retries: int
    backoff: Backoff | None
    timeout: float | None
    sure: float | None
    found: Found


@contextmanager
def prepare_run(
    made: Made,
    compare: Callable[..., Any] | Task,
    candidates: Iterable[Any] | None,
    terms: Terms,
    *,
    feedback: FeedbackHint | None = None,
    may_wait: bool = False,
    known: tuple[Candidate, ...] | None = None,
) -> Iterator[Prepared]:
    """Check what was handed over, open the journal and the bar, and yield what a driver needs.

    ``feedback`` is what was said that ``compare`` returns, ``may_wait`` whether that may have to be awaited, ``known``
    what a journal knows the candidates by, where that is more than they say themselves.
    """
    machine, names = made.machine, terms.names
    taken = tuple(range(machine.n_arms)) if candidates is None else take_candidates(candidates)
    if len(taken) != machine.n_arms:
        raise InvalidArgument(f"{len(taken)} candidates were given for {machine.n_arms} arms; give one each.")
    labels = name_candidates([f"arm {arm}" for arm in taken] if candidates is names is None else names, taken)
    if isinstance(compare, Task):
        task: Task = compare
    else:
        check_compare(compare, may_wait=may_wait)
        announced = _announce(feedback, machine)
        check_announced(compare, announced)
        task = Comparison(compare, taken, labels, announced)
    retries, backoff = whole("retries", terms.retries, 0), check_backoff(terms.backoff)
    timeout = terms.timeout
    if timeout is not None:
        timeout = between("timeout", timeout, 0, 1e9, open_low=True, why="seconds")
    sure, journal = check_sure(terms.sure, machine), terms.journal
    if journal is not None and known is None:
        known = take_fingerprints(taken, labels, named=names is not None or candidates is None)
    with _keep(journal, machine, known, made.log) as keeper:
        machine = machine if keeper is None else keeper.machine
        if keeper is not None and is_less_sure(machine, sure):
            keeper.extend(0)
        alone = MachineOnly(machine)
        told, judged = (alone, alone.judged) if keeper is None else (keeper, keeper.log.judged)
        labels = labels if keeper is None else keeper.log.names
        found = Found(taken, labels, machine, None if keeper is None else keeper.path, judged)
        with show_progress(machine, labels, show=bool(terms.progress)) as watch:
            yield Prepared(machine, task, told, watch, retries, backoff, timeout, sure, found)


@contextmanager
def prepare_search(
    candidates: Iterable[Any],
    compare: Callable[..., Any] | Task,
    *,
    seed: int,
    may_wait: bool = False,
    known: tuple[Candidate, ...] | None = None,
    **said: Any,
) -> Iterator[Prepared]:
    """Choose what is played among ``candidates`` by all that was said, and yield what a driver needs.

    ``said`` is what :class:`Terms` and :class:`Said` hold, and, by name, what only planned tournaments know.
    """
    taken = take_candidates(candidates)
    terms = Terms(**{each.name: said.pop(each.name) for each in fields(Terms) if each.name in said})
    planning = {name: said.pop(name, default) for name, default in PLANNING.items()}
    asked = Said(n_arms=len(taken), sure=terms.sure, planning=planning, **said)
    made = make_machine(asked, seed, terms.journal)
    feedback = asked.feedback
    with prepare_run(made, compare, taken, terms, feedback=feedback, may_wait=may_wait, known=known) as prepared:
        yield prepared


def make_machine(said: Said, seed: int, journal: Kept) -> Made:
    """Return the machine that plays what was said, or goes on with what a journal that is there plays."""
    begun = None if journal is None else _read_begun(journal)
    strategy = choose_strategy(said, begun)
    if is_adaptive(strategy):
        machine = make_adaptive(said, _need_budget(said.budget), begun, seed)
        return Made(machine, _read_adaptive(journal, begun))
    planning = {name: value for name, value in said.planning.items() if name not in ("plan", "early")}
    plan, early, statistic = said.planning["plan"], said.planning["early"], said.statistic
    layout = _lay_out(said, strategy, planning) if plan is None else _check_plan(plan, said, planning)
    return Made(Tournament(keep_rounds(begun, layout), mean if statistic is None else statistic, seed, early=early))


def _announce(feedback: FeedbackHint | None, machine: Machine) -> Announced | None:
    """Return what was said of feedback, here or in a plan, with the kinds that are meant by it."""
    if feedback is None and isinstance(machine.spec, TournamentSpec):
        feedback = machine.spec.plan.feedback
    if feedback is None:
        return None
    one_of("feedback", feedback, FEEDBACKS)
    return Announced(feedback, frozenset(kind for kind in Kind if is_meant(feedback, kind, machine.statistic)))


def _need_budget(budget: int | None) -> int:
    if budget is None:
        raise InvalidArgument("say how many comparisons may be made, as budget=100, or hand over a plan.")
    return budget


def _lay_out(said: Said, strategy: str | Rule, planning: Mapping[str, Any]) -> Plan:
    """Plan for what will be told, as far as that was said or the statistic says it."""
    budget, size = _need_budget(said.budget), choose_heat_size(said.heat_size, said.n_arms)
    asked = {name: value for name, value in planning.items() if value is not None}
    if "record" not in asked and not any(said.statistic is each for each in (None, mean, win_rate)):
        asked["record"] = "ties"  # a fitted record would rank heats by wins or places instead of this statistic
    hint = expected_feedback(said.statistic) if said.feedback is None else said.feedback
    made = make_plan(said.n_arms, size, budget, strategy, feedback=hint, **asked)
    return made if said.feedback is not None else msgspec.structs.replace(made, feedback=None)  # a guess binds nobody


def _check_plan(plan: Plan, said: Said, planning: Mapping[str, Any]) -> Plan:
    """Refuse a plan for another number of candidates, and whatever else is said about planning."""
    if not isinstance(plan, Plan):
        raise InvalidArgument("{plan} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).", plan=plan)
    others = {name: getattr(said, name) for name in ("budget", "heat_size", "strategy", "feedback")} | dict(planning)
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


def _read_adaptive(journal: Kept, begun: Spec | None) -> Log | None:
    """Return the journal of adaptive play that is there: its run may go further than it did."""
    if journal is None or not isinstance(begun, AdaptiveSpec):
        return None
    return Log(journal.path if isinstance(journal, JournalFile) else journal)


@contextmanager
def _keep(
    journal: Kept,
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
        except Exception:
            raise
        except BaseException as stop:  # Ctrl-C, or the task was cancelled
            machine = keeper.machine
            kept = f"{machine.spent} of {machine.total} pulls"
            stop.add_note(f"{kept} are kept in {keeper.path}; do the same again to go on.")
            raise
