"""A race as its author describes it: a TOML file and the files it names → a Scenario in which everything is decided.

amounts      "10s", "2 GB" and "5%" → seconds, bytes and shares
file         the TOML file → its keys, typed
spaces       parameters, however they are described → a space, which gives candidates
command      a command with placeholders and a candidate → a command line
drawing      the [space] table → how many candidates to draw from which space, and the candidates
candidates   tables or a .csv file, and a space → the candidates
instances    a glob, a list, or a file that lists them → the instances
held_out     the [validate] table → instances to validate on, and against whom
scenario     all of the above, the machine and the options → a Scenario; what may surprise in it
starter      nothing → a scenario to begin with, with a toy solver
"""

from heats.race.scenario.command import RACE_PLACEHOLDERS, Command, check_command, fill_command, name_candidate
from heats.race.scenario.drawing import MOST_CANDIDATES, check_around, draw_more
from heats.race.scenario.file import ValidateTable
from heats.race.scenario.held_out import HeldOut, hold_out
from heats.race.scenario.scenario import (
    Scenario,
    Terms,
    count_cores,
    list_warnings,
    load_scenario,
    replace_candidates,
)
from heats.race.scenario.spaces import Candidate, Value, candidate_key, count_parents
from heats.race.scenario.starter import write_starter

__all__ = [
    "MOST_CANDIDATES",
    "RACE_PLACEHOLDERS",
    "Candidate",
    "Command",
    "HeldOut",
    "Scenario",
    "Terms",
    "ValidateTable",
    "Value",
    "candidate_key",
    "check_around",
    "check_command",
    "count_cores",
    "count_parents",
    "draw_more",
    "fill_command",
    "hold_out",
    "list_warnings",
    "load_scenario",
    "name_candidate",
    "replace_candidates",
    "write_starter",
]
