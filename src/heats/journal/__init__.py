"""Runs that survive anything: what was told is written down before anything depends on it.

In the order of the data flow: ``fingerprint`` (candidates → what they are known by), ``lines`` (events ↔ bytes),
``lock`` (one writer), ``draft`` (files that appear whole), ``reading`` (a file → the run, as it was), ``writing``
(a run → its file).
"""

from heats.journal.reader import Log
from heats.journal.writer import Journal, JournalFile

__all__ = ["Journal", "JournalFile", "Log"]
