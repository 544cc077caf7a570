"""Runs that survive anything: what was told is written down before anything depends on it.

fingerprint  candidates → what they are known by
digest       any value → a SHA-256 that is the same in another process
origin       which command began a run, with all it needs to go on
judged       what judges leave in the notes of pulls → counts
events       events ↔ lines, each sealed by a checksum that goes on from the one before
changes      a change that is written down → the run, changed
notes        what people write beside an answer
draft        files that appear whole
sync         how what was written gets to the disk
lock         one writer at a time
appending    lines → the end of a file
reader       a file → the run, as it was
sameness     what is asked for → the run of a file, as it is or going further, or another one
growth       what is asked for beyond a run → the changes that it takes
pen          events → lines at the end of a file, by one writer at a time
writer       a run → its file
"""

from heats.journal.reader import Log
from heats.journal.writer import Journal, JournalFile

__all__ = ["Journal", "JournalFile", "Log"]
