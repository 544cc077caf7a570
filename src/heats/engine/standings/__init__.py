"""Everything a run has seen, for every arm, and how sure that makes us.

row          where one arm stands; all of them as columns
words        the standings as people read them
choices      winners, rankings, best and worst → choices out of sets, and how likely strengths make them
effects      rewards → what an arm adds to them, next to the luck that a pull's arms share
hamilton     a log density and a normal proposal → draws
shapes       a strength over the spread of its field → how likely the shape of the field makes it
precision    how sharply strengths are known: a matrix, and what is asked of it
models       choices or effects → how likely strengths make them: the most likely ones, and draws
posterior    a model → strengths, the spread among them, and draws of what they may be
resampling   pulls drawn again and again, for statistics that are not means
strengths    all that was told → what is known of every arm's strength, by the model that suits it
measures     all that was told, counted: wins, places, leads, meetings
table        all of it → the standings: one row per arm, best first
picture      the standings as a picture
"""

from heats.engine.standings.measures import HeadToHead, count_meetings
from heats.engine.standings.picture import plot_standings
from heats.engine.standings.row import Standing, list_standings
from heats.engine.standings.table import Standings, make_standings
from heats.engine.standings.words import choose_digits, describe_standings, say_chance, say_strength, tabulate

__all__ = [
    "HeadToHead",
    "Standing",
    "Standings",
    "choose_digits",
    "count_meetings",
    "describe_standings",
    "list_standings",
    "make_standings",
    "plot_standings",
    "say_chance",
    "say_strength",
    "tabulate",
]
