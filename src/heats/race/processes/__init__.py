"""Command lines → how each of them ended, and nothing left running. A small process apart, the *guardian*, runs them.

The guardian starts the commands of a heat, measures and stops them; a *watcher* above it sees to it that nothing stays
if the guardian is killed or stopped. Both are started by path and load only the files named first, which import
nothing but the standard library and each other.

process_table  /proc → children, CPU times and environments of processes
linux          what the kernel does for us: subreapers, signals at a parent's death, a PID namespace
signals        signals → bytes that can be waited for
channel        the socket to heats: messages as lines of JSON
output         what a command prints → what is kept of it
program        a job → one command under way, and what was measured of it
guardian       a heat's jobs → their ends, told as they come; then no process is left
watcher        a guardian → that guardian, watched
launch         the file that is run: a watcher and its guardian

jobs           what heats and a guardian speak about: a command to run, and how it ended
client         our end of a guardian: jobs → ends
pool           guardians that threads borrow
"""

from heats.race.processes.client import Guardian, GuardianGone
from heats.race.processes.jobs import End, Job
from heats.race.processes.pool import GuardianPool, get_process_pool

__all__ = ["End", "Guardian", "GuardianGone", "GuardianPool", "Job", "get_process_pool"]
