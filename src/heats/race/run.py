"""A whole race: a scenario's tournament, driven heat by heat, kept in a journal, with what came of it in words."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heats.answers import Noted
from heats.drive import drive
from heats.engine.machine import Query
from heats.engine.report import Report, describe
from heats.engine.tournament import Tournament
from heats.errors import ComparisonFailed, HeatsError, InvalidArgument
from heats.journal import Journal, JournalFile
from heats.journal.fingerprint import fingerprinted
from heats.journal.lines import Told, decode_event, is_sound
from heats.race import board, command
from heats.race.heat import Order, line_of, order
from heats.race.heat import run as run_heat
from heats.race.lane import Lanes, lanes_of
from heats.race.scenario import Scenario, read
from heats.race.tally import Tally, notes_of

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, eq=False)
class Raced:
    """What a race found, and what it took."""

    scenario: Scenario
    report: Report
    tally: Tally
    seconds: float  # of wall time, since it began or went on

    def to_json(self) -> str:
        """Return the report as JSON, with parameters and command lines; equal races give equal bytes."""
        places = {place: self._entry(getattr(self.report, place)) for place in ("winner", "runner_up")}
        return msgspec.json.encode(
            msgspec.to_builtins(self.report) | {"names": self.scenario.names, **places}
        ).decode()  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([describe(self.report, self.scenario.names), *self._lines()])

    def _entry(self, arm: int | None) -> dict[str, Any] | None:
        if arm is None:
            return None
        candidate = self.scenario.candidates[arm]
        return {
            "arm": arm,
            "name": self.scenario.names[arm],
            "parameters": candidate,
            "command": command.fill(self.scenario.command, candidate, leave=command.GIVEN),
            "command_line": command_line(self.scenario, arm),
        }

    def _lines(self) -> Iterator[str]:
        tally = self.tally
        yield ""
        if tally.nobody:
            yield f"nobody finished {tally.nobody} of {tally.heats} heats; these say nothing about anybody"
        for arm, crashes in tally.crashes.items():
            last = f" ({crashes[0].last})" if crashes[0].last else ""
            yield f"crashed: {self.scenario.names[arm]}, {len(crashes)} of {tally.runs[arm]} runs{last}"
        yield f"{board.clock(tally.cpu_seconds)} of CPU in all runs, {board.clock(self.seconds)} of wall time"
        if self.report.winner is not None:
            yield f"\nthe winner's command line:\n  {command_line(self.scenario, self.report.winner)}"


def command_line(scenario: Scenario, arm: int) -> str:
    """Return a line to paste into a shell, wherever: the arm on the first instance."""
    first = scenario.instances[0] if scenario.instances else None
    if first is not None and Path(first).is_relative_to(scenario.folder):
        first = str(Path(first).relative_to(scenario.folder))
    return f"cd {shlex.quote(str(scenario.folder))} && {shlex.join(line_of(scenario, arm, first, seed=1))}"


class Racing:
    """A scenario as a task for the driver; without ``lanes`` its heats run on those of whatever process they get to."""

    def __init__(self, scenario: Scenario, lanes: Lanes | None) -> None:
        self._scenario = scenario
        self._lanes = lanes

    def job(self, query: Query) -> tuple[Any, tuple[Any, ...]]:
        """Return the heat to run, as an order that holds all it takes."""
        return run_noted, (order(self._scenario, query), self._lanes)

    def describe(self, query: Query) -> str:
        """Name the candidates of the heat."""
        return ", ".join(self._scenario.names[arm] for arm in query.arms)


def run_noted(order: Order, lanes: Lanes | None) -> Noted:
    """Run a heat, wherever this is, and return what it says with what was measured."""
    heat = run_heat(order, lanes or lanes_of(os.getpid()))
    return Noted(heat.feedback, notes_of(heat))


class Counted:
    """A journal that also counts what it keeps, for the board."""

    def __init__(self, journal: Journal, tally: Tally) -> None:
        self._journal = journal
        self._tally = tally

    def tell(
        self, query: Query, feedback: Any, *, by: str | None, took: float | None, notes: dict[str, Any] | None
    ) -> None:
        """Write it down, then count it."""
        self._journal.tell(query, feedback, by=by, took=took, notes=notes)
        if notes is not None:
            self._tally.add(notes)

    def requeue(self, query: Query, why: str) -> None:
        """Take a pull back."""
        self._journal.requeue(query, why)

    def late(self, query: Query, answer: Any, *, by: str | None, took: float | None) -> None:
        """Note an answer that came too late."""
        self._journal.late(query, answer, by=by, took=took)

    def together(self) -> AbstractContextManager[None]:
        """Write all that is told within at once."""
        return self._journal.together()


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
    entered = read(scenario, overrides)
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
    lines = [command_line(scenario, arm) for arm in range(len(scenario.candidates))]
    return {
        "name": "race",
        "scenario": str(scenario.path),
        "overrides": given,
        "rules": plain,
        "command_lines": lines,  # for reports
    }


def _race(scenario: Scenario, path: Path, how: dict[str, Any], executor: Executor | None) -> Raced:
    tournament, tally = Tournament(scenario.plan, seed=scenario.seed), Tally()
    known = fingerprinted(scenario.candidates, scenario.names, named=True)
    started = time.monotonic()
    with (
        Journal(JournalFile(path, command=how), tournament, candidates=known) as journal,
        _workers(scenario, executor) as (workers, lanes),
        board.watching(scenario, tournament, tally) as watch,
    ):
        recount(path, tally)
        try:
            drive(tournament, Racing(scenario, lanes), workers, watch=watch, keeper=Counted(journal, tally))
        except ComparisonFailed as failure:
            raise failure.__cause__ if isinstance(failure.__cause__, HeatsError) else failure from None
    return Raced(scenario, tournament.report(), tally, time.monotonic() - started)


@contextmanager
def _workers(scenario: Scenario, executor: Executor | None) -> Iterator[tuple[Executor | None, Lanes | None]]:
    """Yield what heats run on: the executor given, this thread, or as many threads as heats run side by side."""
    if executor is not None:
        yield executor, None
    elif scenario.lanes == 1:
        with Lanes() as lanes:
            yield None, lanes
    else:
        from concurrent.futures import ThreadPoolExecutor

        # The lanes are closed first: else the pool would wait for heats that nobody wants any more.
        with ThreadPoolExecutor(scenario.lanes) as pool, Lanes() as lanes:
            yield pool, lanes


def recount(path: Path, tally: Tally) -> None:
    """Count the heats that a journal holds."""
    with path.open("rb") as file:
        next(file)
        for line in file:
            event = decode_event(line) if is_sound(line.removesuffix(b"\n")) else None
            if type(event) is Told and event.notes is not None:
                tally.add(event.notes)
