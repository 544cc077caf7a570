"""Hypothesis runs the same examples everywhere: a red test is red for everybody; and some tests wait for others."""

import os

from hypothesis import settings

settings.register_profile("heats", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("heats")


def pytest_xdist_auto_num_workers() -> int:
    """A third of all time is spent waiting for other processes: let another worker have the processor meanwhile."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2
