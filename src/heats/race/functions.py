"""Races of Python functions: each call is a process of its own, and the first to return stops the others."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from heats.base.checks import one_of
from heats.base.python import list_folders, list_options
from heats.base.toml import say_kinds
from heats.errors import InvalidArgument, show_value
from heats.journal import Log
from heats.journal.fingerprint import make_plain
from heats.journal.origin import FunctionsOrigin
from heats.race import call
from heats.race.counts import RunCounts
from heats.race.outcome import Goal
from heats.race.result import read_race
from heats.race.run import Raced, check_rules, list_rules, play_race
from heats.race.scenario import Scenario
from heats.race.scenario.file import CHOICES, Clock, Mode, RaceTable, ScenarioFile
from heats.race.scenario.scenario import complete_scenario
from heats.reports.result import RaceFacts, Result
from heats.running.candidates import name_candidates, take_candidates
from heats.running.found import Found

MOST_INSTANCE_BYTES = 100_000  # on a command line
_KINDS = get_type_hints(RaceTable)  # of arguments


@dataclass(frozen=True, repr=False)
class FoundFunction(Found):
    """What ``race_functions`` found: as of ``find_best``, with what the runs came to."""

    result: Result | None = None

    @property
    def race(self) -> RaceFacts:
        """What the runs came to."""
        assert self._result.race is not None
        return self._result.race

    @property
    def winner(self) -> Any:
        """The function that won; None if no run had anything to say."""
        return self.candidates[self.played.winner] if self.race.decided else None  # type: ignore[index]

    @property
    def _result(self) -> Result:
        assert self.result is not None
        return self.result


def race_functions(
    functions: Iterable[Callable[..., Any]],
    instances: Iterable[Any] | None = None,
    *,
    budget: int,
    cutoff: str | float,
    heat_size: int | None = None,
    goal: Goal | None = None,
    mode: Mode | None = None,
    slots: int | None = None,
    clock: Clock = "wall",
    strategy: str | None = None,
    batches: int | None = None,
    sure: float | None = None,
    memory: str | int | None = None,
    seed: int = 0,
    names: Sequence[str] | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> FoundFunction:
    """Race Python functions: the first of a heat to return wins, or the one that returns the best value.

    Every call is a process of its own, which is stopped, with all it started, when another one has returned, or at the
    cutoff. It imports the function by its name: so it must be one of a module or, under ``if __name__ == "__main__"``
    for the call of this, of the program itself; a lambda is neither. Its time includes these imports.

    Parameters
    ----------
    functions
        ``f(instance)`` or, without instances, ``f()``. One with a parameter called ``seed`` gets a number that
        differs from run to run. An error is a run that has lost.
    instances
        What they are called with: whatever JSON holds, up to 100 kB each, as numbers, texts or names of files; at
        least one. Left out, they are called with nothing.
    budget, heat_size
        How many heats to run, and how many functions run in each (default: 4, or all if fewer).
    cutoff
        Longest time of a call: ``"10s"``, ``"500ms"`` or seconds.
    goal
        ``"minimize"`` or ``"maximize"`` the number that is returned, which counts by its rank in the heat, no number
        last; left out, the first to return wins.
    mode, slots, clock, strategy, batches, sure, memory, seed
        As in a scenario of ``heats race``, see docs/racing.md.
    names
        What to call the functions; default: by their names.
    journal
        A file that keeps the race, for ``heats report``, too. If it is there, the race goes on where it stopped.
    progress
        True shows a board on a terminal, and elsewhere a line per round.

    Examples
    --------
    >>> import heats, json
    >>> heats.race_functions([json.loads, json.dumps], ["[1, 2]"], budget=1, cutoff=10).race.heats
    1
    """
    _refuse_endless_imports()
    taken = take_candidates(functions)
    called = name_candidates(names, taken)
    table = RaceTable(
        command=_make_command(goal, given := _take_instances(instances)),
        budget=budget,
        cutoff=cutoff,
        heat_size=heat_size,
        mode=mode,
        slots=slots,
        clock=clock,
        seed=seed,
        strategy=strategy,
        batches=batches,
        sure=sure,
        finished=(0,),
        undecided=(),
        objective=None if goal is None else rf"^{call.VALUE}(\S+)$",
        goal=goal or "minimize",
        statistic="value" if goal is None else "rank",
        memory=memory,
    )
    written = ScenarioFile(race=_check_kinds(table), candidates=[{"function": locate(each)} for each in taken])
    begun = None if journal is None else _read_begun(Path(journal))
    begun_with = None if begun is None else begun[0].header.machine
    scenario = complete_scenario(written, Path.cwd() / "race_functions", begun_with, given)
    scenario = msgspec.structs.replace(scenario, names=called)
    with ExitStack() as stack:
        path = journal or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="heats-"))) / "race.jsonl"
        raced = _race(scenario, Path(path), begun, show=progress)
    result = raced.result if journal is not None else msgspec.structs.replace(raced.result, run=None)
    kept_in = None if journal is None else raced.log.path
    return FoundFunction(taken, called, raced.log.machine, kept_in, result=result)


def _read_begun(path: Path) -> tuple[Log, RunCounts] | None:
    """Return a race of functions that has begun, None if there is no such file."""
    if not path.exists():
        return None
    log, counts = read_race(str(path))
    if not isinstance(log.origin, FunctionsOrigin) or counts is None:
        raise InvalidArgument("{journal} holds a run that is no race of functions; give another.", journal=str(path))
    return log, counts


def _race(scenario: Scenario, path: Path, begun: tuple[Log, RunCounts] | None, *, show: bool) -> Raced:
    origin = FunctionsOrigin(rules=list_rules(scenario))
    if begun is None:
        return play_race(scenario, path, origin, show=show)
    log, counts = begun
    assert isinstance(log.origin, FunctionsOrigin)
    check_rules(log.origin, origin, str(path), "what is asked for")
    return play_race(scenario, path, origin, log=log, counts=counts, show=show)


def locate(function: Any) -> str:
    """Return where another process finds a function: ``module:name``, or ``file.py:name`` in the program itself."""
    module, path = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    found: Any = sys.modules.get(module) if isinstance(module, str) else None
    for name in path.split(".") if isinstance(path, str) else ():
        found = getattr(found, name, None)
    if not callable(function) or found is not function:
        raise InvalidArgument(
            f"{show_value(function)} cannot be raced: another process must find it by its name, so it must be a "
            "function of a module or of the program, not a lambda nor made within a function. Give it a def of its own."
        )
    return f"{_find_program() if module == '__main__' else module}:{path}"


def _find_program() -> str:
    """Return how another process imports the program that runs here."""
    program = sys.modules["__main__"]
    spec, file = getattr(program, "__spec__", None), getattr(program, "__file__", None)
    if spec is not None:
        return str(spec.name)
    if file is None or not str(file).endswith(".py"):
        raise InvalidArgument(
            "functions that were typed into a prompt or a notebook cannot be raced: another process could not import "
            "them. Write them to a file, as solvers.py, and import them from there."
        )
    return str(Path(file).resolve())


def _take_instances(instances: Iterable[Any] | None) -> tuple[str, ...]:
    """Return the instances as JSON, or refuse what has none."""
    if instances is None:
        return ()
    if isinstance(instances, str | bytes | Mapping | set | frozenset) or not isinstance(instances, Iterable):
        raise InvalidArgument("{instances} must be a list of what the functions are called with.", instances=instances)
    found = []
    for each in instances:
        text = json.dumps(plain) if (plain := make_plain(each)) is not None or each is None else ""
        if not text or len(text) > MOST_INSTANCE_BYTES or _keys_change(each):
            raise InvalidArgument(
                f"the instance {show_value(each)} cannot be handed to another process: it must be JSON of up to "
                f"{MOST_INSTANCE_BYTES:,} bytes, with texts for keys. Give a number or the name of a file from which "
                "the functions make it."
            )
        found.append(text)
    if not found:
        raise InvalidArgument(
            "{instances} has nothing to call the functions with; give one instance or more, or leave instances out for "
            "functions that take none.",
            instances=instances,
        )
    return tuple(found)


def _keys_change(instance: Any) -> bool:
    """Whether JSON would turn a key into a text."""
    if isinstance(instance, Mapping):
        return any(not isinstance(key, str) or _keys_change(value) for key, value in instance.items())
    return isinstance(instance, list | tuple) and any(map(_keys_change, instance))


def _make_command(goal: str | None, instances: Sequence[str]) -> list[str | list[str]]:
    fixed = (sys.executable, *list_options(), call.__file__, json.dumps(list_folders()))
    last = ["{seed}", "{instance}"] if instances else ["{seed}"]
    escaped = [each.replace("{", "{{").replace("}", "}}") for each in fixed]
    return [*escaped, "{function}", "time" if goal is None else "value", *last]


def _check_kinds(table: RaceTable) -> RaceTable:
    """Refuse what no scenario could say either: text for a number, say."""
    for name, value in msgspec.structs.asdict(table).items():
        if name in CHOICES and isinstance(value, str):
            one_of(name, value, get_args(CHOICES[name]))
        try:
            msgspec.convert(value, _KINDS[name])
        except (msgspec.ValidationError, TypeError) as error:
            said = say_kinds(str(error))
            message = f"{{{name}}} must be something else: {said[:1].lower()}{said[1:]}."
            raise InvalidArgument(message, **{name: value}) from None
    return table


def _refuse_endless_imports() -> None:
    if call.IMPORTING in os.environ:
        raise InvalidArgument(
            "race_functions was called while a run imports the program: put the call under "
            'if __name__ == "__main__", so that only the program itself makes it.'
        )
