"""Hypothesis runs the same examples everywhere: a red test is red for everybody; and some tests wait for others."""

import os
import signal

from hypothesis import settings

settings.register_profile("heats", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("heats")

for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:  # in the background of a shell, or by nohup: programs that tests
        signal.signal(number, usual)  # start would ignore it, too


def pytest_xdist_auto_num_workers() -> int:
    """A third of all time is spent waiting for other processes: let another worker have the processor meanwhile."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2
