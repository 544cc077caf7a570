"""Everything a run has seen, for every arm, and how sure that makes us.

choices      winners, rankings, best and worst → choices out of sets, and how likely strengths make them
effects      rewards → what an arm adds to them, next to the luck that a pull's arms share
hamilton     a log density and a normal proposal → draws
posterior    choices or effects → strengths, the spread among them, and draws of what they may be
resampling   pulls drawn again and again, for statistics that are not means
strengths    all that was told → what is known of every arm's strength, by the model that suits it
measures     all that was told, counted: wins, places, leads, meetings
table        all of it → the standings: one row per arm, best first
words        the standings as people read them
"""

from heats.engine.standings.measures import HeadToHead, count_meetings
from heats.engine.standings.table import Standing, Standings, make_standings
from heats.engine.standings.words import describe_standings, say_chance, tabulate

__all__ = [
    "HeadToHead",
    "Standing",
    "Standings",
    "count_meetings",
    "describe_standings",
    "make_standings",
    "say_chance",
    "tabulate",
]
