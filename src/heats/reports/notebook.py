"""What a notebook shows of a result: the report in HTML, with its rounds or batches drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heats.base.markup import fold
from heats.engine.report import Report, render_report
from heats.reports.drawings.batches import draw_batches
from heats.reports.drawings.bracket import STRIP, count_letters, draw_bracket
from heats.reports.labels import Roster
from heats.reports.page import read_style


def render_notebook(report: Report, names: Sequence[str], values: Sequence[Any]) -> str:
    """Return a result as HTML that keeps to itself, in the colours of the notebook."""
    drawing = ""
    if report.batches:
        drawn = draw_batches(report, Roster(names, values, count_letters(())), report.winner)
        drawing = f'<div class="wide">{"".join(drawn)}</div>'
    if report.rounds:
        roster = Roster(names, values, count_letters(report.rounds))
        drawing = f'<div class="wide">{"".join(draw_bracket(report.rounds, roster, report.winner))}</div>'
        drawing = fold("round by round", drawing) if len(report.rounds) > STRIP else drawing
    style = read_style("notebook.css", "drawing.css")
    return f'<div class="heats"><style>{style}</style>{render_report(report, names, drawing)}</div>'
