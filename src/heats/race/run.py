"""A whole race: a scenario's machine, driven heat by heat and kept in a journal, from the start or from there on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heats.base.text import make_encodable, quote_argument
from heats.engine.machine import Machine, Query
from heats.engine.specs import Spec, TournamentSpec
from heats.errors import BrokenFile, ComparisonFailed, HeatsError, InvalidArgument, show_value
from heats.journal import Journal, JournalFile, Log
from heats.journal.fingerprint import Challenger, take_fingerprints
from heats.journal.origin import FunctionsOrigin, RaceOrigin
from heats.journal.reader import resolve_path
from heats.journal.sameness import keep_rounds
from heats.race.board import show_board
from heats.race.counts import RunCounts, make_notes, read_notes
from heats.race.heat import Order, make_order, run_heat
from heats.race.outcome import AllCrashed, NoValues, Run, describe_end, have_all_crashed
from heats.race.processes import GuardianPool, get_process_pool
from heats.race.result import paste_line, summarise_journal
from heats.race.scenario import Candidate, Scenario, candidate_key, load_scenario, replace_candidates
from heats.race.validation import find_record
from heats.race.workers import find_workers
from heats.reports.places import check_place
from heats.reports.result import Result
from heats.running.driver import drive
from heats.running.outcomes import Noted

HEATS_WITHOUT_VALUES = 5  # at the beginning of a race for a value, after which there will hardly be one
STOPPED = "the race was stopped before it burns its budget"

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True)
class Raced:
    """A race that is over: what it found, and its journal as it was read or written."""

    result: Result
    log: Log
    counts: RunCounts


class Racing:
    """A scenario as a task for the driver; without ``guardians`` they are those of the process a heat gets to."""

    def __init__(self, scenario: Scenario, guardians: GuardianPool | None) -> None:
        self._scenario = scenario
        self._guardians = guardians

    def may_vary(self, answers: int) -> bool:
        """Return False: a heat that was undecided would be so again."""
        return False

    def job(self, query: Query, attempt: int = 0) -> tuple[Any, tuple[Any, ...]]:
        """Return the heat to run, as an order that holds all it takes."""
        return run_with_notes, (make_order(self._scenario, query), self._guardians)

    def describe(self, query: Query) -> str:
        """Name the candidates of the heat."""
        return ", ".join(self._scenario.names[arm] for arm in query.arms)

    def explain(self, query: Query, error: BaseException) -> str:
        """Return nothing: what a race raises says itself what to do."""
        return ""


def run_with_notes(order: Order, guardians: GuardianPool | None) -> Noted:
    """Run a heat, wherever this is, and return what it says with what was measured."""
    heat = run_heat(order, guardians or get_process_pool(os.getpid()))
    return Noted(heat.feedback, make_notes(heat))


class RaceJournal(Journal):
    """A journal that takes no more heats if all they do is crash, or none of them has a value."""

    scenario: Scenario
    counts: RunCounts

    def tell(
        self,
        query: Query | int,
        feedback: Any,
        *,
        by: str | None = None,
        took: float | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Write it down, unless something is wrong with all runs alike."""
        if notes is not None and isinstance(query, Query):
            self._refuse_waste(query, read_notes(notes, query.id).runs)
        super().tell(query, feedback, by=by, took=took, notes=notes)

    def _refuse_waste(self, query: Query, runs: Sequence[Run]) -> None:
        """Stop if every run of the first heat crashed, or of two heats in a row; or if no run had a value so far."""
        rule, counts = self.scenario.rule, self.counts
        is_last_without_value = counts.heats + 1 >= HEATS_WITHOUT_VALUES and not counts.values
        if have_all_crashed(runs) and (counts.heats == 0 or counts.last_crashed):
            first = self._describe_first(query, runs)
            raise AllCrashed(f"every run of this heat crashed, so {STOPPED}. The first {first}")
        if rule.objective is not None and is_last_without_value and all(run.value is None for run in runs):
            raise NoValues(
                f"no run of {counts.heats + 1} heats printed a number where objective = {show_value(rule.objective)} "
                f"looks for one, so {STOPPED}; correct the objective, or raise the cutoff. "
                f"The first run of the last heat {self._describe_first(query, runs)}"
            )

    def _describe_first(self, query: Query, runs: Sequence[Run]) -> str:
        line = " ".join(map(quote_argument, make_order(self.scenario, query).lines[0]))
        return f"was\n  {line}\n{describe_end(runs[0], self.scenario.rule)}"


def begin_race(
    scenario: Scenario, overrides: Mapping[str, Any], journal: Path, executor: Executor | None = None
) -> Raced:
    """Run a race from the start; the journal must be a new one."""
    check_new_journal(journal)
    return play_race(scenario, journal, describe_origin(scenario, overrides), executor)


def check_new_journal(journal: Path) -> None:
    """Refuse a journal that cannot be begun, or a validation that would be taken for that of its race."""
    if journal.exists():
        raise InvalidArgument(
            f"{{journal}} is there already; heats resume {journal} goes on with it, or choose another.",
            journal=str(journal),
        )
    check_place("journal", str(journal))
    if (record := find_record(resolve_path(journal))).exists():
        raise InvalidArgument(
            f"{record} is there already, the validation of another race; move it away, or choose another {{journal}}.",
            journal=str(journal),
        )


def resume_race(log: Log, counts: RunCounts, executor: Executor | None = None) -> Raced:
    """Go on with a race by its journal, which was read; the scenario must still be the same."""
    scenario, origin = reload_scenario(log)
    return play_race(scenario, log.path, origin, executor, log, counts)


def reload_scenario(log: Log) -> tuple[Scenario, RaceOrigin]:
    """Return the scenario of a race, as it was when that began, or refuse one that has changed since."""
    origin = log.origin
    assert isinstance(origin, RaceOrigin)
    if isinstance(origin, FunctionsOrigin):
        raise InvalidArgument(
            f"{log.path} is a race of Python functions; run the program that began it again, with the same journal, "
            "and it goes on."
        )
    scenario = load_scenario(origin.scenario, origin.overrides, begun=log.header.machine)
    now = describe_origin(scenario, origin.overrides)
    check_rules(origin, now, str(log.path), origin.scenario)
    return take_in_challengers(scenario, log), now


def take_in_challengers(scenario: Scenario, log: Log) -> Scenario:
    """Return the race with the candidates that were drawn while it went on, which its journal alone knows, as arms."""
    challengers = {arm: _read_parameters(each, log) for arm, each in log.challengers.items()}
    if not challengers:
        return scenario
    drawn = set(map(candidate_key, challengers.values()))  # a larger sample draws them, too
    own = iter([each for each in scenario.candidates if candidate_key(each) not in drawn])
    known = [challengers[arm] if arm in challengers else next(own, None) for arm in range(len(log.candidates))]
    there = [each for each in known if each is not None]  # where some are missing, their number is refused later
    return replace_candidates(scenario, (*there, *own), log.names[: len(there)])


def _read_parameters(challenger: Challenger, log: Log) -> Candidate:
    """Return the parameters of a candidate that a journal alone knows, or refuse what are none."""
    try:
        return msgspec.convert(challenger.value, Candidate)
    except msgspec.ValidationError:
        raise BrokenFile(
            f"{log.path} has a candidate {challenger.name!r} that came in later, but not its parameters."
        ) from None


def check_rules(begun: RaceOrigin, now: RaceOrigin, journal: str, what: str) -> None:
    """Refuse to go on with a race by other rules than it began with."""
    for key, was in begun.rules.items():
        if now.rules.get(key) != was:
            raise InvalidArgument(
                f"{what} has changed since the race of {journal} began: its {key} was {was!r} and is "
                f"{now.rules.get(key)!r}. Change it back to go on, or begin a new race."
            )


def describe_origin(scenario: Scenario, overrides: Mapping[str, Any]) -> RaceOrigin:
    """Return what a journal must know to go on with a race; the mode stays as it was, whatever the machine is."""
    rules = list_rules(scenario, command=scenario.command)
    return RaceOrigin(
        scenario=str(scenario.path),
        overrides={key: value for key, value in overrides.items() if value is not None} | {"mode": scenario.mode},
        rules=rules,
        command_lines=tuple(make_encodable(paste_line(scenario, arm)) for arm in range(len(scenario.candidates))),
        drawn=scenario.drawn,
        validates=scenario.held_out is not None,
    )


def list_rules(scenario: Scenario, **more: Any) -> dict[str, Any]:
    """Return what must not change while a race goes on, as plain data."""
    instances = hashlib.sha256("\0".join(scenario.instances).encode(errors="surrogateescape")).hexdigest()
    rules = {
        **more,
        "instances": f"{len(scenario.instances)} files, sha256 {instances[:16]}",
        "cutoff": scenario.cutoff,
        "clock": scenario.clock,
        "memory": scenario.memory,
        **msgspec.structs.asdict(scenario.rule),
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    return plain


def play_race(
    scenario: Scenario,
    path: Path,
    origin: RaceOrigin,
    executor: Executor | None = None,
    log: Log | None = None,
    counts: RunCounts | None = None,
    *,
    show: bool = True,
) -> Raced:
    """Play a race to its end, from the start or from where its journal is, which was read; ``show`` it meanwhile."""
    asked = Machine.from_spec(_choose_spec(scenario, log), seed=scenario.seed)
    known = take_fingerprints(scenario.candidates, scenario.names, named=True)
    counts = counts or RunCounts()
    file = JournalFile(path, sync="grouped", command=origin)  # a heat is not to wait for the disk
    with RaceJournal(file, asked, candidates=known, on_told=counts.add, log=log) as journal:
        scenario = take_in_challengers(scenario, journal.log)  # whoever came in until the file was ours
        journal.scenario, journal.counts = scenario, counts
        with (
            find_workers(scenario.heats_at_once, executor) as (workers, guardians),
            show_board(journal.machine, scenario.names, counts, show=show) as watch,
        ):
            try:
                task = Racing(scenario, guardians)
                drive(journal.machine, task, workers, retries=None, watch=watch, keeper=journal, sure=scenario.sure)
            except ComparisonFailed as failure:
                raise failure.__cause__ if isinstance(failure.__cause__, HeatsError) else failure from None
    return Raced(summarise_journal(journal.log, counts), journal.log, counts)


def _choose_spec(scenario: Scenario, log: Log | None) -> Spec:
    """Return what the scenario plays; of a tournament that has begun, with the rounds it began with."""
    spec = scenario.spec
    if log is None or not isinstance(spec, TournamentSpec):
        return spec
    return msgspec.structs.replace(spec, plan=keep_rounds(log.header.machine, spec.plan))
