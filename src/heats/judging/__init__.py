"""Comparisons made by somebody who reads: language models, people behind a function, a panel of either.

limit  calls → no more within a minute, and at once, than allowed
cache  answers that were paid for → a file that survives anything
rows   a data set → the row of a pull
show   k outputs → the text a judge is asked
parse  a judge's answer → its verdict, or none
ask    calls → answers, plainly or with await, kept and limited
bench  whoever judges, one or several: verdicts → feedback that names candidates
judge  ``Judge``: somebody to ask → what ``find_best`` takes to compare
panel  several judges → one
"""

from heats.judging.cache import Cache
from heats.judging.judge import Judge
from heats.judging.limit import Limit
from heats.judging.panel import Panel, panel
from heats.judging.parse import parse_answer
from heats.judging.show import show_outputs

__all__ = ["Cache", "Judge", "Limit", "Panel", "panel", "parse_answer", "show_outputs"]
