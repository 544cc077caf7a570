"""A whole race: a scenario's tournament, driven heat by heat and kept in a journal, from the start or from there on."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heats.engine.machine import Query
from heats.engine.tournament import Tournament
from heats.errors import ComparisonFailed, HeatsError, InvalidArgument
from heats.journal import Journal, JournalFile
from heats.journal.fingerprint import Candidate, take_fingerprints, writable
from heats.race import board
from heats.race.counts import count_runs, notes_of
from heats.race.heat import Order, make_order, run_heat
from heats.race.outcome import AllCrashed, Run, describe_end, have_all_crashed
from heats.race.processes import GuardianPool, get_process_pool
from heats.race.result import Raced, command_line
from heats.race.scenario import Scenario, load_scenario
from heats.running.driver import drive
from heats.running.outcomes import Noted

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Racing:
    """A scenario as a task for the driver; without ``guardians`` they are those of the process a heat gets to."""

    def __init__(self, scenario: Scenario, guardians: GuardianPool | None) -> None:
        self._scenario = scenario
        self._guardians = guardians

    def job(self, query: Query) -> tuple[Any, tuple[Any, ...]]:
        """Return the heat to run, as an order that holds all it takes."""
        return run_noted, (make_order(self._scenario, query), self._guardians)

    def describe(self, query: Query) -> str:
        """Name the candidates of the heat."""
        return ", ".join(self._scenario.names[arm] for arm in query.arms)


def run_noted(order: Order, guardians: GuardianPool | None) -> Noted:
    """Run a heat, wherever this is, and return what it says with what was measured."""
    heat = run_heat(order, guardians or get_process_pool(os.getpid()))
    return Noted(heat.feedback, notes_of(heat))


class Counting(Journal):
    """A journal that counts the heats it keeps, for the board, and takes no more if all they do is crash."""

    def __init__(
        self, file: JournalFile, tournament: Tournament, candidates: tuple[Candidate, ...], scenario: Scenario
    ) -> None:
        super().__init__(file, tournament, candidates=candidates)
        self._scenario = scenario
        self.tally = count_runs(self.path, self.path.stat().st_size)  # what was told before

    def tell(
        self,
        query: Query | int,
        feedback: Any,
        *,
        by: str | None = None,
        took: float | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        """Write it down, then count it."""
        if notes is not None and isinstance(query, Query):
            self._check(query, msgspec.convert(notes["runs"], list[Run]))
        super().tell(query, feedback, by=by, took=took, notes=notes)
        if notes is not None:
            self.tally.add(notes)

    def _check(self, query: Query, runs: list[Run]) -> None:
        """Raise if every run of the first heat crashed, or of two heats in a row."""
        if have_all_crashed(runs) and (self.tally.heats == 0 or self.tally.last_crashed):
            line = shlex.join(make_order(self._scenario, query).lines[0])
            raise AllCrashed(
                "every run of this heat crashed, so the race was stopped before it burns its budget. The first was\n"
                f"  {line}\n{describe_end(runs[0].code, runs[0].last or '')}"
            )


def begin(scenario: Scenario, overrides: Mapping[str, Any], journal: Path, executor: Executor | None = None) -> Raced:
    """Run a race from the start; the journal must be a new one."""
    if journal.exists():
        raise InvalidArgument(
            f"{journal} is there already; heats resume {journal} goes on with it, or choose another --journal."
        )
    return _race(scenario, journal, _how(scenario, overrides), executor)


def resume(
    journal: str, scenario: str, overrides: dict[str, Any], rules: dict[str, Any], executor: Executor | None = None
) -> Raced:
    """Go on with a race by what its journal says of it, see ``_how``; the scenario must still be the same."""
    entered = load_scenario(scenario, overrides)
    how = _how(entered, overrides)
    for key, was in rules.items():
        if how["rules"].get(key) != was:
            raise InvalidArgument(
                f"{scenario} has changed since the race of {journal} began: its {key} was {was!r} and is "
                f"{how['rules'].get(key)!r}. Change it back to go on, or begin a new race."
            )
    return _race(entered, Path(journal), how, executor)


def _how(scenario: Scenario, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a journal must know to go on with a race; the mode stays as it was, whatever the machine is."""
    instances = hashlib.sha256("\0".join(scenario.instances).encode(errors="surrogateescape")).hexdigest()
    given = {key: value for key, value in overrides.items() if value is not None} | {"mode": scenario.mode}
    rules = {
        "command": scenario.command,
        "instances": f"{len(scenario.instances)} files, sha256 {instances[:16]}",
        "cutoff": scenario.cutoff,
        "clock": scenario.clock,
        "memory": scenario.memory,
        **msgspec.structs.asdict(scenario.rule),
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    lines = [writable(command_line(scenario, arm)) for arm in range(len(scenario.candidates))]
    return {
        "name": "race",
        "scenario": str(scenario.path),
        "overrides": given,
        "rules": plain,
        "command_lines": lines,  # for reports
    }


def _race(scenario: Scenario, path: Path, how: dict[str, Any], executor: Executor | None) -> Raced:
    tournament = Tournament(scenario.plan, seed=scenario.seed)
    known = take_fingerprints(scenario.candidates, scenario.names, named=True)
    started = time.monotonic()
    with (
        Counting(JournalFile(path, command=how), tournament, known, scenario) as journal,
        _workers(scenario, executor) as (workers, guardians),
        board.watching(scenario, tournament, journal.tally) as watch,
    ):
        try:
            drive(tournament, Racing(scenario, guardians), workers, watch=watch, keeper=journal)
        except ComparisonFailed as failure:
            raise failure.__cause__ if isinstance(failure.__cause__, HeatsError) else failure from None
    return Raced(scenario, tournament.report(), journal.tally, time.monotonic() - started)


@contextmanager
def _workers(scenario: Scenario, executor: Executor | None) -> Iterator[tuple[Executor | None, GuardianPool | None]]:
    """Yield what heats run on: the executor given, this thread, or as many threads as heats run side by side."""
    if executor is not None:
        yield executor, None
    elif scenario.heats_at_once == 1:
        with GuardianPool() as guardians:
            yield None, guardians
    else:
        from concurrent.futures import ThreadPoolExecutor

        # The guardians are closed first: else the pool would wait for heats that nobody wants any more.
        with ThreadPoolExecutor(scenario.heats_at_once) as pool, GuardianPool() as guardians:
            yield pool, guardians
