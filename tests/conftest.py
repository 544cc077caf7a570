"""Hypothesis runs the same examples everywhere: a red test is red for everybody; and some tests wait for others."""

import os
import signal

from hypothesis import settings

settings.register_profile("heats", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("heats")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; programs that tests start
    signal.signal(signal.SIGINT, signal.default_int_handler)  # would ignore Ctrl-C, too


def pytest_xdist_auto_num_workers() -> int:
    """A third of all time is spent waiting for other processes: let another worker have the processor meanwhile."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2
