"""A live board on a terminal, elsewhere a line per round or batch: who leads, cost and time so far, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from heats.base.text import format_table
from heats.base.times import say_seconds
from heats.engine.machine import Machine
from heats.engine.specs import name_stage
from heats.race.counts import RunCounts
from heats.reports.labels import make_labels

REFRESH_SECONDS = 0.2
TICKS_PER_SECOND = 1  # of the clock, while no heat ends: hardly any work beside the programs
LETTERS_OF_TIME = 20
MOST_ROWS = 8  # candidates shown
LETTERS = 40  # of a candidate's label in a line
FEWEST_LETTERS = 4  # in the table
NUMBER_COLUMNS = 32  # of a terminal, beside a candidate's name in the table
TITLES = ("candidate", "wins", "pulls", "CPU")


@contextmanager
def show_board(
    machine: Machine, names: Sequence[str], counts: RunCounts, *, show: bool = True
) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every heat; it keeps the board up to date."""
    board = _Board(machine, names, counts)
    if sys.stderr is None or not show:
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
        self._labels = _make_labels_alike(names)
        self._counts = counts
        self._started = time.monotonic()
        self._before = machine.spent  # pulls of earlier sessions
        self._told_round = machine.round
        self._width = 0  # of the terminal, when it was last looked at
        self._fitting: Sequence[str] = ()

    def print_rounds(self) -> None:
        """Say a line whenever a round is over."""
        if self._machine.round > self._told_round:
            self._told_round = self._machine.round
            print(f"heats: {self._headline()}", file=sys.stderr, flush=True)

    @contextmanager
    def live(self) -> Iterator[Callable[[], None]]:
        """Draw the board again and again in the same place; between heats only its clock goes on."""
        from rich.console import Console, Group
        from rich.live import Live
        from rich.text import Text

        console = Console(stderr=True)
        last, headline, drawn = 0.0, "", Group()

        def show() -> Group:  # in a thread of its own, too, so it must not look at the machine
            return Group(Text(f"{headline} · {self._say_time()}"), drawn)

        with Live(console=console, get_renderable=show, refresh_per_second=TICKS_PER_SECOND, transient=True) as screen:

            def watch() -> None:
                nonlocal last, headline, drawn
                if time.monotonic() - last >= REFRESH_SECONDS or self._machine.done:
                    headline, drawn = self._headline(), self._draw(console.width, console.height)
                    screen.refresh()
                    last = time.monotonic()

            watch()
            yield watch

    def _draw(self, width: int, height: int) -> Any:
        """Return what is below the headline."""
        from rich.console import Group
        from rich.padding import Padding
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        letters = len(self._headline()) + LETTERS_OF_TIME
        bar = Padding(ProgressBar(total=self._machine.total, completed=self._machine.spent), 0)  # alone it has no end
        room = height - 3 - 2 * letters // width  # lines are broken between words: some more than needed
        lines = self._tabulate(width, max(0, min(MOST_ROWS, room)))
        styles = ["bold", *("bold green" if arm == self._leader else "" for arm in self._leading())]
        table = [Text(line, style, no_wrap=True) for line, style in zip(lines, styles, strict=False)]
        return Group(bar, *table)

    def _say_time(self) -> str:
        return f"{say_seconds(int(time.monotonic() - self._started))} so far"

    def _tabulate(self, width: int, most: int) -> list[str]:
        """Return the lines of a table with so many rows and the columns there is room for; none if not even for one."""
        counts, labels = self._counts, self._label_for(width)
        rows = [
            (labels[arm], counts.wins[arm], counts.runs[arm], f"{counts.cpu_seconds[arm]:.1f} s")
            for arm in self._leading()[:most]
        ]
        for columns in range(len(TITLES) if rows else 0, 0, -1):
            lines = list(format_table(TITLES[:columns], [row[:columns] for row in rows], words=(0,)))
            if max(map(len, lines)) <= width:
                return lines
        return []

    def _label_for(self, width: int) -> Sequence[str]:
        """Return names that fit into a terminal, which may have another width than before."""
        if width != self._width:
            self._width, self._fitting = width, make_labels(self._names, max(FEWEST_LETTERS, width - NUMBER_COLUMNS))
        return self._fitting

    @property
    def _leader(self) -> int | None:
        """Who leads; nobody while no run had anything to say."""
        return self._machine.leader if self._counts.finishes or self._counts.values else None

    def _headline(self) -> str:
        machine, rounds = self._machine, self._machine.n_rounds
        nobody = f" · nobody finished {self._counts.without_winner}" if self._counts.without_winner else ""
        leader = "" if self._leader is None else f" · leader {self._labels[self._leader]}"
        return (
            f"{name_stage(machine.spec)} {min(machine.round + 1, rounds)}/{rounds} · "
            f"heats {machine.spent}/{machine.total}{leader} · "
            f"CPU {say_seconds(self._counts.total_cpu_seconds)} · {self._time_left()}{nobody}"
        )

    def _time_left(self) -> str:
        made = self._machine.spent - self._before
        if not made:
            return "time left unknown"
        each = (time.monotonic() - self._started) / made
        return f"{say_seconds(each * (self._machine.total - self._machine.spent))} left"

    def _leading(self) -> list[int]:
        """Return the arms that raced most, the leader first, then by share of wins."""
        counts = self._counts
        share = {arm: counts.wins[arm] / runs for arm, runs in counts.runs.items()}
        return sorted(share, key=lambda arm: (arm != self._leader, -counts.runs[arm], -share[arm]))[:MOST_ROWS]


def _make_labels_alike(names: Sequence[str]) -> Sequence[str]:
    """Return labels for lines that follow each other: names, or numbers if one of them is too long, never both."""
    labels, numbers = make_labels(names, LETTERS), [f"#{arm}" for arm in range(len(names))]
    return numbers if set(labels) & set(numbers) else labels
