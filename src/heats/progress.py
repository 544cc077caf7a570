"""A live bar on a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from heats.engine.tournament import Tournament

REFRESH = 0.1  # seconds between two looks at the tournament


@contextmanager
def watching(tournament: Tournament, names: Sequence[str], *, show: bool) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every pull; it keeps a bar with round, heats and leader up to date."""
    if not show or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=tournament.plan.cost)
        last = 0.0

        def watch() -> None:
            nonlocal last
            if time.monotonic() - last >= REFRESH or tournament.done:
                bar.update(task, completed=tournament.spent, description=escape(_state(tournament, names)))
                last = time.monotonic()

        watch()
        yield watch


def _state(tournament: Tournament, names: Sequence[str]) -> str:
    rounds = tournament.plan.rounds
    if tournament.winner is not None:
        return f"{len(rounds)} rounds · winner {names[tournament.winner]}"
    each = rounds[tournament.round]
    arm = tournament.leader
    leader = "" if arm is None else f" · leader {names[arm]}"
    return f"round {tournament.round + 1}/{len(rounds)} · {each.heats} heats of {each.size}{leader}"
