"""Every candidate tried once, before any budget is spent: whether its command runs, and what its end counts as."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from heats.base import randomness
from heats.base.naming import tabulate_parameters
from heats.base.text import format_table, make_lines_printable, make_printable
from heats.engine.machine import Query
from heats.race.heat import make_order, run_commands
from heats.race.outcome import Run, describe_end
from heats.race.processes import GuardianPool
from heats.race.scenario import Scenario


def try_candidates(scenario: Scenario, watch: Callable[[int, int], None]) -> list[Run]:
    """Run every candidate once, all on the same instance, as many side by side as there are slots."""
    from concurrent.futures import ThreadPoolExecutor

    trials: list[Run] = []
    with ThreadPoolExecutor(scenario.slots) as pool, GuardianPool() as guardians:
        for trial in pool.map(lambda arm: _try_candidate(scenario, arm, guardians), range(len(scenario.candidates))):
            trials.append(trial)
            watch(len(trials), len(scenario.candidates))
    return trials


def _try_candidate(scenario: Scenario, arm: int, guardians: GuardianPool) -> Run:
    seed = int(randomness.fold_seed(scenario.seed) >> 1)
    alone = make_order(msgspec.structs.replace(scenario, mode="capped"), Query(0, 0, 0, (arm,), seed))
    (run,) = run_commands(alone, guardians)
    return run


def format_trials(scenario: Scenario, trials: list[Run]) -> str:
    """Return a table of how each did, and what to look at."""
    parameters = tabulate_parameters(scenario.candidates)
    rows = [
        (*_list_cells(each), *(make_printable(text or "") for text in row))
        for each, row in zip(trials, parameters.rows, strict=True)
    ]
    titles = ("", "wall s", "CPU s", "exit", "value", "candidate", *map(make_printable, parameters.titles))
    return "\n".join(
        [*format_table(titles, rows), *(f"\n{make_lines_printable(line)}" for line in _list_remarks(scenario, trials))]
    )


def encode_trials(scenario: Scenario, trials: list[Run]) -> str:
    """Return how each did, as JSON: a list in the order of the candidates."""
    rows = [msgspec.to_builtins(each) | {"name": scenario.names[each.arm]} for each in trials]
    return msgspec.json.encode(rows).decode()


def _list_cells(run: Run) -> tuple[object, ...]:
    value = "" if run.value is None else f"{run.value:g}"
    return run.verdict, f"{run.wall:.2f}", f"{run.cpu:.2f}", run.code, value, f"#{run.arm}"


def _list_remarks(scenario: Scenario, trials: list[Run]) -> Iterator[str]:
    crashed = [each for each in trials if each.verdict == "crashed"]
    if crashed:
        name, end = scenario.names[crashed[0].arm], describe_end(crashed[0], scenario.rule)
        yield f"{len(crashed)} of {len(trials)} crashed. {name}: {end}"
    unknown = [each for each in trials if each.unknown and each.verdict == "finished"]
    if unknown:
        yield (
            f"Warning: {scenario.names[unknown[0].arm]} says 's UNKNOWN' and exits with {unknown[0].code}, which "
            "counts as finishing; with finished = [10, 20] only those count that solve or refute."
        )
    if all(each.verdict in ("cutoff", "undecided") for each in trials) and scenario.rule.objective is None:
        yield "Warning: nobody finished; raise the cutoff, or look at finished and pattern in the scenario."
    if scenario.rule.objective is not None and all(each.value is None for each in trials):
        yield "Warning: nobody printed a value; look at objective in the scenario."
