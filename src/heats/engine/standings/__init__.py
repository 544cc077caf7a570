"""Everything a run has seen, for every arm, and how sure that makes us.

row          where one arm stands; all of them as columns
words        the standings as people read them
resampling   pulls drawn again and again, for statistics that are not means
assessment   all that was told → chances and strengths, by the posterior or by resampling
measures     all that was told, counted: wins, places, leads, meetings
table        all of it → the standings: one row per arm, best first
picture      the standings as a picture
"""

from heats.engine.standings.measures import HeadToHead, count_meetings
from heats.engine.standings.picture import plot_standings
from heats.engine.standings.row import Standing, list_standings
from heats.engine.standings.table import Standings, make_standings, settle_value
from heats.engine.standings.words import (
    choose_digits,
    describe_standings,
    explain_world,
    say_chance,
    say_strength,
    tabulate,
)

__all__ = [
    "HeadToHead",
    "Standing",
    "Standings",
    "choose_digits",
    "count_meetings",
    "describe_standings",
    "explain_world",
    "list_standings",
    "make_standings",
    "plot_standings",
    "say_chance",
    "say_strength",
    "settle_value",
    "tabulate",
]
