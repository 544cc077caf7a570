"""A live bar on a terminal or in a notebook; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from heats.base.markup import escape_text
from heats.base.text import count_things, make_printable
from heats.engine.machine import Machine
from heats.engine.specs import name_stage, name_strategy
from heats.reports.labels import make_labels

REFRESH_SECONDS = 0.1  # seconds between two looks at the machine
LETTERS = 14  # of a candidate's label
WIDEST_BAR, NARROWEST_BAR, TEXT_COLUMNS = 40, 10, 70  # columns of a terminal; the text has what the bar leaves
TIME_LEFT = "0:00:00"

NOTEBOOK_BAR_WIDTH = "16em"

Update: TypeAlias = Callable[[int, int, Sequence[str]], None]


@contextmanager
def show_progress(machine: Machine, names: Sequence[str], *, show: bool) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every pull; it keeps a bar with round, heats and leader up to date."""
    if not show:
        yield lambda: None
        return
    last, labels = 0.0, make_labels(names, LETTERS)
    with _bar("") as update:

        def watch() -> None:
            nonlocal last
            if update is not None and (time.monotonic() - last >= REFRESH_SECONDS or machine.done):
                update(machine.spent, machine.total, _describe_state(machine, labels))
                last = time.monotonic()

        watch()
        yield watch


@contextmanager
def count_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that keeps a bar up to date."""
    with _bar(what) as update:
        yield lambda done, total: None if update is None else update(done, total, (what,))


@contextmanager
def _bar(text: str) -> Iterator[Update | None]:
    """Yield a function of (done, total, texts), the fullest first, or None where nobody is watching."""
    if _is_notebook():
        yield _show_in_notebook()
    elif sys.stderr is not None and sys.stderr.isatty():
        with _show_on_terminal(text) as update:
            yield update
    else:
        yield None


def _is_notebook() -> bool:
    """Whether a notebook runs this; IPython has been imported then."""
    find_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find_shell is not None and hasattr(find_shell(), "kernel")


def _show_in_notebook() -> Update:
    from IPython.display import HTML, display

    shown = display(HTML(""), display_id=True)

    def update(done: int, total: int, texts: Sequence[str]) -> None:
        style, of_all = f"width:{NOTEBOOK_BAR_WIDTH};vertical-align:middle", f'max="{max(total, 1)}" value="{done}"'
        bar = f'<progress style="{style}" {of_all}></progress>'
        shown.update(HTML(f"<div>{bar} {done}/{total} · {escape_text(texts[0])}</div>"))

    return update


@contextmanager
def _show_on_terminal(text: str) -> Iterator[Update]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    console, whole = Console(stderr=True), Column(no_wrap=True)
    width = max(NARROWEST_BAR, min(WIDEST_BAR, console.width - TEXT_COLUMNS))  # whatever the text says later
    columns = (
        BarColumn(width, table_column=whole),
        MofNCompleteColumn(table_column=whole),
        TimeRemainingColumn(table_column=whole),
        TextColumn("{task.description}", table_column=Column()),  # the only one to wrap
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(escape(text), total=None)

        def update(done: int, total: int, texts: Sequence[str]) -> None:
            room = console.width - width - len(f" {total}/{total} {TIME_LEFT} ")
            now = next((each for each in texts if len(each) <= room), texts[-1])
            bar.update(task, completed=done, total=total, description=escape(now))

        yield update


def _describe_state(machine: Machine, labels: Sequence[str]) -> tuple[str, ...]:
    """Return what is to say, in full and then in few words."""
    name, word = make_printable(name_strategy(machine.spec))[:LETTERS], name_stage(machine.spec)
    if machine.winner is not None:
        return (f"{name}, {count_things(machine.round, word)} · winner {labels[machine.winner]}",)
    stage, arm = machine.stage, machine.leader
    heats = "" if stage is None else f" · {count_things(stage.count, 'heat')} of {stage.size}"
    leader = "" if arm is None else f" · leader {labels[arm]}"
    now = f"{name}, {word} {machine.round + 1}/{machine.n_rounds}"
    return f"{now}{heats}{leader}", f"{now}{leader}"
