"""A race to begin with: a scenario with comments, a toy solver and its instances, ready to run."""

from __future__ import annotations

import os
from pathlib import Path

from heats.errors import InvalidArgument, show_value

SCENARIO = """\
# A race for: heats race {name}
# Try every candidate once before any budget is spent: heats race {name} --check

[race]
# The command, an argument at a time: no shell is involved. {{alpha}} stands for a parameter of the candidates,
# {{instance}} for a file, {{seed}} for a number that differs from run to run, {{cutoff}} for the seconds below.
# ["--beta", "{{beta}}"] as an argument is left out for candidates that have no beta.
command = ["python3", "solver.py", "-n", "{{noise}}", "-r", "{{restart}}", "-s", "{{seed}}", "{{instance}}"]

instances = "instances/*.txt"  # a glob, a list of files, or a file that lists them; relative to this file
heat_size = 3                  # how many run on the same instance: side by side, or one after another
budget = 30                    # heats to run
cutoff = "5s"                  # per run

# mode = "parallel"            # all at once, and the first to finish stops the others: needs a core for each
# mode = "capped"              # one after another, each for as long as the best so far; left out: as the cores allow
# slots = 4                    # cores to use; left out: all
clock = "cpu"                  # what "capped" counts: "cpu" for programs that compute, "wall" for those that wait
finished = [10, 20]            # exit codes that count as finishing; left out: 0, 10 and 20
# undecided = [0]              # exit codes of a solver that gives up; any other is a crash
# pattern = "^s SATISFIABLE"   # and the output must match this
# objective = 'cost = (\\S+)'   # or: the best value printed before the cutoff wins; goal = "minimize" or "maximize"
# memory = "2 GB"              # address space per process
# pin = true                   # one core for each run, and no other
# isolate = false              # let runs see the processes of this machine, where the system would hide them
# strategy = "planned"         # a tournament planned beforehand, see: heats plan --help; left out: adaptive play
seed = 0

# Candidates: here drawn from a space; beside it or instead [[candidates]] tables, or candidates = "file.csv" in [race].
[space]
sample = 6                                       # or top = "5%": as many as it takes for one of the best 5 %
noise = {{ float = [0.0, 0.5], default = 0.1 }}    # also: log-float, int, log-int, ordinal
restart = {{ categorical = [50, 200, 1000], default = 200 }}
# default = true               # the default candidate races along
# around = 0.5                 # of those that heats race --continue draws, the share near the best
# forbidden = ["noise > 0.4 && restart == 50"]   # and when = "..." beside a parameter says when it counts
# file = "solver.pcs"          # instead: a .pcs file, a parameter file of irace, or .json of ConfigSpace

# [validate]                   # at the end, winner and another candidate on instances that the race never saw
# instances = "test/*.txt"
# against = "default"          # that of the space; or a candidate's name or number ("#0"), or "runner-up"
"""

SOLVER = '''\
"""A toy solver: place n queens on a board so that none attacks another, by moving those in conflict."""

import argparse
import random
import sys
import os
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-n", "--noise", type=float)  # how often a queen moves at random
parser.add_argument("-r", "--restart", type=int)  # moves before it starts all over
parser.add_argument("-s", "--seed", type=int)
parser.add_argument("instance", type=Path)
options = parser.parse_args()

draw = random.Random(options.seed)
n = int(options.instance.read_text())


def attacks(queens, row, column):
    return sum(
        other == column or abs(other - column) == abs(at - row) for at, other in enumerate(queens) if at != row
    )


while True:
    queens = [draw.randrange(n) for _ in range(n)]
    for _ in range(options.restart):
        unsafe = [row for row in range(n) if attacks(queens, row, queens[row])]
        if not unsafe:
            print("queens", *queens)
            sys.exit(10)  # solved
        row = draw.choice(unsafe)
        if draw.random() < options.noise:
            queens[row] = draw.randrange(n)
        else:
            costs = [attacks(queens, row, column) for column in range(n)]
            queens[row] = draw.choice([column for column in range(n) if costs[column] == min(costs)])
'''

BOARD_SIZES = (10, 12, 14, 16, 18, 20, 22, 24)


def write_starter(folder: Path) -> list[Path]:
    """Write everything into a folder, and nothing if any of it is there."""
    scenario = folder / "race.toml"
    files = {scenario: SCENARIO.format(name=scenario), folder / "solver.py": SOLVER}
    files |= {folder / "instances" / f"queens-{size}.txt": f"{size}\n" for size in BOARD_SIZES}
    for file in files:
        if os.path.exists(file):  # noqa: PTH110  # also of names that no file can have
            raise InvalidArgument(f"{file} is there already; nothing was written. Choose another folder.")
    try:
        (folder / "instances").mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{error.filename or folder} cannot be written: {error.strerror}.") from None
    except ValueError:
        raise InvalidArgument(f"{show_value(str(folder))} cannot be written: its name has a zero byte.") from None
    return list(files)
