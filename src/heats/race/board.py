"""A live board on a terminal, elsewhere a line per round or batch: who leads, cost so far, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from heats.base.times import say_seconds
from heats.engine.machine import Machine
from heats.engine.specs import name_stage
from heats.race.counts import RunCounts
from heats.reports.labels import make_labels

REFRESH_SECONDS = 0.2
MOST_ROWS = 8  # candidates shown
LETTERS = 24  # of a candidate's label in a line
NUMBER_COLUMNS = 32  # of a terminal, beside a candidate's name in the table


@contextmanager
def show_board(machine: Machine, names: Sequence[str], counts: RunCounts) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every heat; it keeps the board up to date."""
    board = _Board(machine, names, counts)
    if sys.stderr is None:
        yield lambda: None
    elif sys.stderr.isatty():
        with board.live() as watch:
            yield watch
    else:
        yield board.print_rounds


class _Board:
    """What a watcher sees of a race."""

    def __init__(self, machine: Machine, names: Sequence[str], counts: RunCounts) -> None:
        self._machine = machine
        self._names = names
        self._labels = make_labels(names, LETTERS)
        self._counts = counts
        self._started = time.monotonic()
        self._before = machine.spent  # pulls of earlier sessions
        self._told_round = machine.round

    def print_rounds(self) -> None:
        """Say a line whenever a round is over."""
        if self._machine.round > self._told_round:
            self._told_round = self._machine.round
            print(f"heats: {self._headline()}", file=sys.stderr, flush=True)

    @contextmanager
    def live(self) -> Iterator[Callable[[], None]]:
        """Draw the board again and again in the same place."""
        from rich.console import Console
        from rich.live import Live

        last, console = 0.0, Console(stderr=True)
        labels = make_labels(self._names, max(LETTERS, console.width - NUMBER_COLUMNS))
        with Live(console=console, auto_refresh=False, transient=True) as screen:

            def watch() -> None:
                nonlocal last
                if time.monotonic() - last >= REFRESH_SECONDS or self._machine.done:
                    screen.update(self._draw(labels), refresh=True)
                    last = time.monotonic()

            watch()
            yield watch

    def _draw(self, labels: Sequence[str]) -> Any:
        from rich.console import Group
        from rich.padding import Padding
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        counts = self._counts
        table = Table(box=None, pad_edge=False)
        table.add_column("candidate", no_wrap=True)
        for title in ("wins", "pulls", "CPU"):
            table.add_column(title, justify="right")
        for arm in self._leading():
            style = "bold green" if arm == self._leader else ""
            numbers = (str(counts.wins[arm]), str(counts.runs[arm]), f"{counts.cpu_seconds[arm]:.1f} s")
            table.add_row(Text(labels[arm]), *numbers, style=style)
        bar = ProgressBar(total=self._machine.total, completed=self._machine.spent)
        return Group(Text(self._headline()), Padding(bar, 0), table)  # a bar alone does not end its line

    @property
    def _leader(self) -> int | None:
        """Who leads; nobody while no run had anything to say."""
        return self._machine.leader if self._counts.finishes or self._counts.values else None

    def _headline(self) -> str:
        machine, rounds = self._machine, self._machine.n_rounds
        now = machine.round + 1 if rounds is None else min(machine.round + 1, rounds)
        of_rounds = "" if rounds is None else f"/{rounds}"
        of_heats = "" if machine.total is None else f"/{machine.total}"
        nobody = f" · nobody finished {self._counts.without_winner}" if self._counts.without_winner else ""
        leader = "" if self._leader is None else f" · leader {self._labels[self._leader]}"
        return (
            f"{name_stage(machine.spec)} {now}{of_rounds} · heats {machine.spent}{of_heats}{leader} · "
            f"CPU {say_seconds(self._counts.total_cpu_seconds)} · {self._time_left()}{nobody}"
        )

    def _time_left(self) -> str:
        made = self._machine.spent - self._before
        if not made or self._machine.total is None:
            return "time left unknown"
        each = (time.monotonic() - self._started) / made
        return f"{say_seconds(each * (self._machine.total - self._machine.spent))} left"

    def _leading(self) -> list[int]:
        """Return the arms that raced most, the leader first, then by share of wins."""
        counts = self._counts
        share = {arm: counts.wins[arm] / runs for arm, runs in counts.runs.items()}
        return sorted(share, key=lambda arm: (arm != self._leader, -counts.runs[arm], -share[arm]))[:MOST_ROWS]
