"""Spaces that candidates are drawn from, however they are described.

parameter    what one parameter may be, and the values drawn for it
conditions   what must hold of a candidate: comparisons, and, or, not
expression   such a condition as text → the condition
space        parameters, conditions, what is forbidden → candidates, and the default one
mutation     a space and some of its candidates → others near them
lines        lines of a file, and mistakes in them named by their number
table        a [space] table → a space
pcs          a .pcs file, classic or new → a space
irace        a parameter file of irace → a space
configspace  a .json file of ConfigSpace → a space
files        the name of any of them → a space
"""

from heats.race.scenario.spaces.files import load_space
from heats.race.scenario.spaces.mutation import count_parents, mutate
from heats.race.scenario.spaces.parameter import Candidate, Parameter, Value, candidate_key, format_value
from heats.race.scenario.spaces.space import Space
from heats.race.scenario.spaces.table import parse_space

__all__ = [
    "Candidate",
    "Parameter",
    "Space",
    "Value",
    "candidate_key",
    "count_parents",
    "format_value",
    "load_space",
    "mutate",
    "parse_space",
]
