"""The command line: each command is a few lines over the library.

streams      standard output and error, whose readers may go away
root         the command itself, to which all others are added
options      options that several commands have; arguments → how they are typed
outputs      files that a command writes beside what it prints
plans        heats plan, bounds
demo         a simulated problem to show
showing      a result, printed and written as a page
compiling    our own solver, ready before a race charges its runs for that
validating   a race that is over → its winner on held-out instances, as asked for
resuming     a journal → the run, gone on with as the command that began it would, or given more to spend
continuing   a race and new candidates that its champion has to beat
runs         heats demo, report, resume, extend, schema
simulations  heats simulate, replay, reproduce
races        heats race, validate
votes        heats vote
solvers      heats saps, swgcp
app          arguments → a command, its exit code, its errors
"""

from __future__ import annotations

import os
import sys
import warnings
from itertools import pairwise

from heats.base.interrupts import exit_on_interrupt, raise_on_interrupt
from heats.cli.streams import settle_streams


def main() -> None:
    """Run the command line with the exit codes of ``app``."""
    _leave_current_folder_to_cluster(sys.argv[1:])
    settle_streams()
    with exit_on_interrupt():  # there is nothing to put in order yet
        code = _solve_at_once(sys.argv[1:])
        if code is None:
            from heats.cli.app import run, show_warning
    if code is None:
        raise_on_interrupt()
        warnings.showwarning = show_warning
        code = run(sys.argv[1:])
    sys.exit(code)


def _leave_current_folder_to_cluster(arguments: list[str]) -> None:
    """Start again with ``-P`` before a cluster of this machine is started: its workers are given the same option.

    Without it they look for what they import first into the current folder.
    """
    starts_cluster = "--dask=local" in arguments or ("--dask", "local") in pairwise(arguments)
    if starts_cluster and not sys.flags.safe_path:
        from heats.base.python import list_options

        os.execv(sys.executable, [sys.executable, *list_options(), "-m", "heats", *arguments])


def _solve_at_once(arguments: list[str]) -> int | None:
    """Run what a race starts over and over without all that other commands need; None for anything else."""
    if arguments[:1] != ["saps"]:
        return None
    from heats.errors import HeatsError
    from heats.sat.command import solve_at_once

    try:
        return solve_at_once(arguments[1:])
    except (HeatsError, OSError) as error:
        from heats.cli.app import explain

        return explain(error)
