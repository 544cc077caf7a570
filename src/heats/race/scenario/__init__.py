"""A race as its author describes it: a TOML file and the files it names → a Scenario in which everything is decided.

amounts      "10s" and "2 GB" → seconds and bytes
file         the TOML file → its keys, typed
space        the [space] table → parameters; parameters and a seed → candidates
pcs          a classic .pcs file → a space
configspace  a .json file of ConfigSpace → a space
space_file   the name of either → a space
command      a command with placeholders and a candidate → a command line
candidates   tables, a .csv file or a space → the candidates
instances    a glob, a list, or a file that lists them → the instances
held_out     the [validate] table → instances to validate on, and against whom
scenario     all of the above, the machine and the options → a Scenario; what may surprise in it
starter      nothing → a scenario to begin with, with a toy solver
"""

from heats.race.scenario.command import RACE_PLACEHOLDERS, Command, fill_command, name_candidate
from heats.race.scenario.file import ValidateTable
from heats.race.scenario.held_out import HeldOut, hold_out
from heats.race.scenario.scenario import Scenario, Terms, count_cores, list_warnings, load_scenario
from heats.race.scenario.space import Candidate, Value
from heats.race.scenario.starter import write_starter

__all__ = [
    "RACE_PLACEHOLDERS",
    "Candidate",
    "Command",
    "HeldOut",
    "Scenario",
    "Terms",
    "ValidateTable",
    "Value",
    "count_cores",
    "fill_command",
    "hold_out",
    "list_warnings",
    "load_scenario",
    "name_candidate",
    "write_starter",
]
