"""Results → the figure of success over budget, a panel per problem; nothing is simulated here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from heats.experiments.shared.drawing import draw_rates, load_pyplot
from heats.experiments.synthetic.grid import ALGORITHMS, ARMS, BUDGETS, HEAT_SIZES, SETTINGS, Cell, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_success(
    setting: str, spread: str, results: dict[Cell, Result], algorithms: Sequence[str] = ALGORITHMS
) -> Figure:
    """Draw success over budget: a row per n, a column per k, with 95 % bands."""
    figure: Figure
    figure, panels = load_pyplot().subplots(len(ARMS), len(HEAT_SIZES), figsize=(13, 5.6), sharex=True, sharey=True)
    for panel, (n, k) in zip(panels.flat, product(ARMS, HEAT_SIZES), strict=True):
        for algorithm in algorithms:
            found = [results[Cell(setting, spread, n, k, budget, algorithm)] for budget in BUDGETS]
            draw_rates(panel, algorithm, BUDGETS, [each.share for each in found])
        panel.set_title(f"n = {n}, k = {k}", fontsize=10)
        panel.grid(alpha=0.3)
        panel.set_ylim(-0.02, 1.02)
        panel.set_xticks(BUDGETS, [str(b) if b != 100 else "" for b in BUDGETS], fontsize=8)
    figure.supxlabel("budget B")
    figure.supylabel("share of runs that found the best arm")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=8, frameon=False, bbox_to_anchor=(0.5, -0.045))
    note = "" if spread == "deviation" else " (spreads read as variances)"
    figure.suptitle(f"Success rates: {SETTINGS[setting].title}{note}")
    figure.tight_layout()
    return figure
