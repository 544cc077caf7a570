"""Every candidate tried once, before any budget is spent: whether its command runs, and what its end counts as."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from heats.base import randomness
from heats.base.text import format_table
from heats.engine.machine import Query
from heats.race.heat import measure, order
from heats.race.outcome import Run, how_it_ended
from heats.race.processes.client import Lanes
from heats.race.scenario.complete import Scenario


class Tried(msgspec.Struct, frozen=True):
    """How a candidate did, and what its command printed at the end, if it crashed."""

    run: Run
    how: str


def try_all(scenario: Scenario, watch: Callable[[int, int], None]) -> list[Tried]:
    """Run every candidate once, all on the same instance, as many side by side as there are slots."""
    from concurrent.futures import ThreadPoolExecutor

    found: list[Tried] = []
    with ThreadPoolExecutor(scenario.slots) as pool, Lanes() as lanes:
        for tried in pool.map(lambda arm: _try(scenario, arm, lanes), range(len(scenario.candidates))):
            found.append(tried)
            watch(len(found), len(scenario.candidates))
    return found


def _try(scenario: Scenario, arm: int, lanes: Lanes) -> Tried:
    seed = int(randomness.fold_seed(scenario.seed) >> 1)
    alone = order(msgspec.structs.replace(scenario, mode="capped"), Query(0, 0, 0, (arm,), seed))
    (run,) = measure(alone, lanes)
    return Tried(run, how_it_ended(run.code, run.last or "") if run.verdict == "crashed" else "")


def describe(scenario: Scenario, tried: list[Tried]) -> str:
    """Return a table of how each did, and what to look at."""
    rows = [
        (each.run.verdict, f"{each.run.wall:.2f}", f"{each.run.cpu:.2f}", each.run.code, _value(each.run), name)
        for each, name in zip(tried, scenario.names, strict=True)
    ]
    shown = ("", "wall s", "CPU s", "exit", "value", "candidate")
    return "\n".join([*format_table(shown, rows), *(f"\n{line}" for line in _remarks(scenario, tried))])


def to_json(scenario: Scenario, tried: list[Tried]) -> str:
    """Return how each did, as JSON: a list in the order of the candidates."""
    told = [msgspec.to_builtins(each.run) | {"name": scenario.names[each.run.arm]} for each in tried]
    return msgspec.json.encode(told).decode()


def _value(run: Run) -> Any:
    return "" if run.value is None else f"{run.value:g}"


def _remarks(scenario: Scenario, tried: list[Tried]) -> Iterator[str]:
    crashed = [each for each in tried if each.run.verdict == "crashed"]
    if crashed:
        yield f"{len(crashed)} of {len(tried)} crashed. {scenario.names[crashed[0].run.arm]}: {crashed[0].how}"
    unknown = [each.run for each in tried if each.run.unknown and each.run.verdict == "finished"]
    if unknown:
        yield (
            f"Warning: {scenario.names[unknown[0].arm]} says 's UNKNOWN' and exits with {unknown[0].code}, which "
            "counts as finishing; with finished = [10, 20] only those count that solve or refute."
        )
    if all(each.run.verdict in ("cutoff", "undecided") for each in tried) and scenario.rule.objective is None:
        yield "Warning: nobody finished; raise the cutoff, or look at finished and pattern in the scenario."
    if scenario.rule.objective is not None and all(each.run.value is None for each in tried):
        yield "Warning: nobody printed a value; look at objective in the scenario."
