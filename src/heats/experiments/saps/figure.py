"""Races → the figures of Section 6; nothing is raced here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heats.experiments.saps.equal import ALONE, EqualCell, EqualResult, list_racers, list_times
from heats.experiments.saps.race import ALGORITHMS, BUDGETS, HALVING, HEAT_SIZES, RaceCell, RaceResult
from heats.experiments.shared.drawing import draw_rates, load_pyplot, style_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = ("found the smallest mean", "found who wins most heats", "steps of the finishers", "steps of all runs")


def draw_races(results: dict[RaceCell, RaceResult]) -> Figure:
    """Draw a column per k: success by both meanings of best, then both meanings of total runtime."""
    figure: Figure
    figure, panels = load_pyplot().subplots(4, len(HEAT_SIZES), figsize=(11, 11.5), sharex=True, sharey="row")
    for column, k in enumerate(HEAT_SIZES):
        for algorithm in ALGORITHMS:
            _draw_column(panels[:, column], algorithm, [results[RaceCell(k, b, algorithm)] for b in BUDGETS])
        panels[0][column].set_title(f"k = {k}", fontsize=10)
        for panel in panels[:, column]:
            panel.grid(alpha=0.3)
            panel.set_xticks(BUDGETS, [str(b) for b in BUDGETS], fontsize=8)
    for row, title in enumerate(TITLES):
        panels[row][0].set_ylabel(title)
        panels[row][0].set(**({"ylim": (-0.02, 1.02)} if row < 2 else {"yscale": "log"}))
    figure.supxlabel("budget B")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=5, frameon=False, bbox_to_anchor=(0.5, -0.04))
    figure.suptitle("Racing 20 SAPS parameterizations on small-world colouring instances")
    figure.tight_layout()
    return figure


def _draw_column(panels: Any, algorithm: str, found: list[RaceResult]) -> None:
    draw_rates(panels[0], algorithm, BUDGETS, [each.share for each in found])
    panels[1].plot(BUDGETS, [each.favourites / each.share.runs for each in found], **style_line(algorithm))
    panels[2].plot(BUDGETS, [each.finishers for each in found], **style_line(algorithm))
    panels[3].plot(BUDGETS, [each.cpu for each in found], **style_line(algorithm))


def draw_equal(results: dict[EqualCell, EqualResult]) -> Figure:
    """Draw a column per k: success over processor time, then how fast the arm found is; Successive Halving in each."""
    figure: Figure
    times = list_times(results)
    figure, panels = load_pyplot().subplots(2, len(HEAT_SIZES), figsize=(11, 6.5), sharex=True, sharey="row")
    for column, k in enumerate(HEAT_SIZES):
        for size, algorithm in [(ALONE, HALVING), *(each for each in list_racers(results) if each[0] == k)]:
            found = [results[EqualCell(time, size, algorithm)] for time in times]
            draw_rates(panels[0][column], algorithm, times, [each.share for each in found])
            panels[1][column].plot(times, [each.found for each in found], **style_line(algorithm))
        panels[0][column].set_title(f"k = {k}", fontsize=10)
        for panel in panels[:, column]:
            panel.grid(alpha=0.3)
            panel.set_xscale("log")
            panel.set_xticks(times, [f"{time / 1e6:g}" for time in times], fontsize=8)
            panel.minorticks_off()
    panels[0][0].set(ylabel="found the smallest mean", ylim=(-0.02, 1.02))
    panels[1][0].set(ylabel="mean steps of the arm found", yscale="log")
    figure.supxlabel("processor time of all runs, millions of steps")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=5, frameon=False, bbox_to_anchor=(0.5, -0.08))
    figure.suptitle("The same races at equal processor times; Successive Halving runs one at a time")
    figure.tight_layout()
    return figure
