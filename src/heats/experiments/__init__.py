"""The paper's experiments, and those beyond it, by one command.

shared      what they all use: processes, CSV, Markdown, figures, verdicts
synthetic   success rates in the paper's synthetic worlds (Appendices F and G)
saps        races of parameterizations of a solver (Section 6), on a table of runs or for real
beyond      the planned strategy beside the paper's algorithms, and adaptive play beside planned
standings   whether the chance that standings state is as often right as it says
sure        whether runs that stop early are as often right as they were sure
times       whether times of races find the smallest mean more often than wins do
experiment  what every experiment has and is given: its one face
writers     what came of them → files
claims      every claim of the paper, checked → claims.md
registry    the table of experiments by name: a new one is one entry here
command     names → experiments → files: the loop behind ``heats reproduce``
"""

from heats.experiments.command import live, reproduce
from heats.experiments.registry import EXPERIMENTS, list_experiments
from heats.experiments.saps.live import REPS as LIVE_REPS

__all__ = ["EXPERIMENTS", "LIVE_REPS", "list_experiments", "live", "reproduce"]
