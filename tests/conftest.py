"""Hypothesis runs the same examples everywhere: a red test is red for everybody."""

from hypothesis import settings

settings.register_profile("heats", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("heats")
