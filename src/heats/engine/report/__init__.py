"""What a run has to say for itself, at any time.

rounds    what rounds and batches came to, one by one
sureness  the pulls of the last heat → how sure it is
report    all of it as plain data, and in words
"""

from heats.engine.report.report import (
    Report,
    Stop,
    describe_report,
    list_reasons,
    render_report,
    say_stop,
    say_voided,
    summarise_report,
)
from heats.engine.report.rounds import BATCH_TITLES, BatchReport, RoundReport, list_batches, report_batches, say_pulls
from heats.engine.report.sureness import Sureness, judge_heat

__all__ = [
    "BATCH_TITLES",
    "BatchReport",
    "Report",
    "RoundReport",
    "Stop",
    "Sureness",
    "describe_report",
    "judge_heat",
    "list_batches",
    "list_reasons",
    "render_report",
    "report_batches",
    "say_pulls",
    "say_stop",
    "say_voided",
    "summarise_report",
]
