"""The command line: each command is a few lines over the library.

root         the command itself, to which all others are added
options      options that several commands have; arguments → how they are typed
plans        heats plan, bounds
demo         a simulated problem to show
showing      a result, printed and written as a page
validating   a race that is over → its winner on held-out instances, as asked for
resuming     a journal → the run, gone on with as the command that began it would, or given more to spend
runs         heats demo, report, resume, extend, schema
simulations  heats simulate, replay, reproduce
races        heats race, validate
solvers      heats saps, swgcp
app          arguments → a command, its exit code, its errors
"""

from __future__ import annotations

import io
import sys
import warnings

from heats.base.interrupts import exit_on_interrupt, raise_on_interrupt


def main() -> None:
    """Run the command line with the exit codes of ``app``."""
    with exit_on_interrupt():  # there is nothing to put in order yet
        from heats.cli.app import run, show_warning
    raise_on_interrupt()
    warnings.showwarning = show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # else it is closed, or somebody else's
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter is shown its number
    sys.exit(run(sys.argv[1:]))
