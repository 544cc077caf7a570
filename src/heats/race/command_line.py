"""What ``heats race`` does, in the order it does it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heats.errors import InvalidArgument
from heats.race import check as checking
from heats.race.result import Raced
from heats.race.run import begin
from heats.race.scenario import Scenario, list_warnings, load_scenario, write_starter

if TYPE_CHECKING:
    from concurrent.futures import Executor


def init(folder: str) -> list[Path]:
    """Write a race to begin with."""
    return write_starter(Path(folder))


def enter(path: str | None, given: Mapping[str, Any]) -> Scenario:
    """Read a scenario, and warn of what may surprise."""
    if path is None:
        raise InvalidArgument(
            "say which scenario to race, as in heats race race.toml; heats race --init DIR writes one."
        )
    scenario = load_scenario(path, given)
    for warning in list_warnings(scenario):
        say(f"warning: {warning}")
    return scenario


def check(scenario: Scenario, tick: Callable[[int, int], None], *, json: bool = False) -> tuple[str, bool]:
    """Try every candidate once; return what came of it and whether all ran: a crash is a failure."""
    tried = checking.try_candidates(scenario, tick)
    told = checking.encode_trials(scenario, tried) if json else checking.format_trials(scenario, tried)
    return told, not any(each.run.verdict == "crashed" for each in tried)


def start(scenario: Scenario, given: Mapping[str, Any], journal: Path, executor: Executor | None) -> Raced:
    """Run a new race, and say where it is kept."""
    say(f"{len(scenario.candidates)} candidates, {scenario.plan.cost} heats of {scenario.plan.heat_size}, "
        f"{scenario.mode}, {scenario.heats_at_once} at a time. The journal is {journal}")  # fmt: skip
    return begin(scenario, given, journal, executor)


def check_page(html: str | None) -> None:
    """Refuse a page that has no folder to go to now, not after the race."""
    if html is not None and not Path(html).absolute().parent.is_dir():
        raise InvalidArgument(f"--html {html} cannot be written: there is no folder {Path(html).absolute().parent}.")


def journal_of(scenario: Scenario, chosen: str | None) -> Path:
    """Return the file to keep a race in: as chosen, or one beside the scenario, by seed and time, that is not there."""
    if chosen is not None:
        return Path(chosen)
    stem = f"{scenario.path.stem}-{scenario.seed}-{datetime.now():%Y%m%d-%H%M%S}"
    names = (f"{stem}{f'-{number}' if number else ''}.jsonl" for number in count())
    return next(path for name in names if not (path := scenario.folder / name).exists())


def say(sentence: str) -> None:
    """Speak to whoever watches; standard output is for results."""
    print(f"heats: {sentence}", file=sys.stderr)
