"""A live board on a terminal, elsewhere a line per round: where the race stands, who leads, cost so far, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from heats.engine.tournament import Tournament
from heats.race.counts import RunCounts
from heats.race.scenario import Scenario

REFRESH = 0.2  # seconds between two looks
ROWS = 8  # candidates shown


@contextmanager
def watching(scenario: Scenario, tournament: Tournament, tally: RunCounts) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every heat; it keeps the board up to date."""
    started, before, last = time.monotonic(), tournament.spent, 0.0
    if not sys.stderr.isatty():
        told = tournament.round

        def line() -> None:
            nonlocal told
            if tournament.round > told:
                told = tournament.round
                stands = _headline(scenario, tournament, tally, time.monotonic() - started, before)
                print(f"heats: {stands}", file=sys.stderr, flush=True)

        yield line
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:

        def watch() -> None:
            nonlocal last
            if time.monotonic() - last >= REFRESH or tournament.done:
                live.update(_board(scenario, tournament, tally, time.monotonic() - started, before), refresh=True)
                last = time.monotonic()

        watch()
        yield watch


def _board(scenario: Scenario, tournament: Tournament, tally: RunCounts, elapsed: float, before: int) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", overflow="ellipsis", no_wrap=True)
    for title in ("wins", "pulls", "CPU"):
        table.add_column(title, justify="right")
    for arm in _leading(tournament, tally):
        style = "bold green" if arm == tournament.leader else ""
        counts = (str(tally.wins[arm]), str(tally.runs[arm]), f"{tally.cpu[arm]:.1f} s")
        table.add_row(Text(scenario.names[arm]), *counts, style=style)
    bar = ProgressBar(total=tournament.plan.cost, completed=tournament.spent)
    headline = Text(_headline(scenario, tournament, tally, elapsed, before))
    return Group(headline, Padding(bar, 0), table)  # a bar alone does not end its line


def _headline(scenario: Scenario, tournament: Tournament, tally: RunCounts, elapsed: float, before: int) -> str:
    rounds, cost = len(tournament.plan.rounds), tournament.plan.cost
    now = min(tournament.round + 1, rounds)
    made = tournament.spent - before
    left = f"{clock(elapsed / made * (cost - tournament.spent))} left" if made else "time left unknown"
    nobody = f" · nobody finished {tally.nobody}" if tally.nobody else ""
    leader = "" if tournament.leader is None else f" · leader {scenario.names[tournament.leader]}"
    return (
        f"round {now}/{rounds} · heats {tournament.spent}/{cost}{leader} · CPU {clock(tally.cpu_seconds)} · "
        f"{left}{nobody}"
    )


def _leading(tournament: Tournament, tally: RunCounts) -> list[int]:
    """Return the arms that raced last, the leader first, then by share of wins."""
    share = {arm: tally.wins[arm] / runs for arm, runs in tally.runs.items()}
    return sorted(share, key=lambda arm: (arm != tournament.leader, -tally.runs[arm], -share[arm]))[:ROWS]


def clock(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
