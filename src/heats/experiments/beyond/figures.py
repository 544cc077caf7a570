"""Results, budgets and regrets → figures; nothing is simulated here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from heats.experiments.beyond.averages import average_regrets, average_success
from heats.experiments.beyond.budgets import BUDGETS, SEARCHED, WANTED, Needed, Search
from heats.experiments.beyond.grid import ALGORITHMS, SETTINGS
from heats.experiments.beyond.regrets import Regret
from heats.experiments.shared.drawing import LOOKS, load_pyplot, make_label, strip_schedule, style_line
from heats.experiments.synthetic.grid import ARMS, HEAT_SIZES, Cell, Result
from heats.experiments.synthetic.grid import SETTINGS as WORLDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_means(results: dict[Cell, Result]) -> Figure:
    """Draw the mean success over the 50 cells: a panel per setting, a bar per algorithm."""
    figure: Figure
    figure, panels = load_pyplot().subplots(1, len(SETTINGS), figsize=(13, 3.6), sharey=True)
    for panel, setting in zip(panels, SETTINGS, strict=True):
        for place, (name, rate) in enumerate(average_success(results, setting).items()):
            color = LOOKS[strip_schedule(name)]["color"]
            hatch = "////" if name.endswith("-paper") else "...." if name == "round-robin" else None
            panel.barh(place, rate, height=0.75, color="white" if hatch else color, edgecolor=color, hatch=hatch)
            weight = "bold" if name == "planned" else "normal"
            panel.text(rate + 0.015, place, f"{rate:.2f}", va="center", fontsize=9, weight=weight)
        panel.set_title(WORLDS[setting].title, fontsize=10)
        panel.set_xlim(0, 1.08)
        panel.grid(axis="x", alpha=0.3)
        panel.set_axisbelow(True)
    panels[0].set_yticks(range(len(ALGORITHMS)), [make_label(name) for name in ALGORITHMS])
    panels[0].invert_yaxis()
    figure.supxlabel("share of runs that found the best arm, mean over the 50 problems", fontsize=10)
    figure.tight_layout()
    return figure


def draw_budgets(found: Sequence[Needed]) -> Figure:
    """Draw the budget for 90 % over k: a panel per setting and n; at the top edge where none was enough."""
    budgets = {each.search: each.budget for each in found}
    top = 1.25 * BUDGETS[-1]
    ticks = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
    figure: Figure
    problems = [(setting, n) for setting in SEARCHED for n in ARMS]
    figure, panels = load_pyplot().subplots(1, len(problems), figsize=(13, 4.4), sharex=True, sharey=True)
    for panel, (setting, n) in zip(panels, problems, strict=True):
        for name in ALGORITHMS:
            row = [budgets[Search(setting, n, k, name)] for k in HEAT_SIZES]
            panel.plot(HEAT_SIZES, [budget or top for budget in row], clip_on=False, **style_line(name))
        panel.set_title(f"{WORLDS[setting].title}, n = {n}", fontsize=10)
        panel.set(yscale="log", xticks=HEAT_SIZES, xlabel="heat size k", ylim=(BUDGETS[0], top))
        panel.set_yticks(ticks, list(map(str, ticks)))
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    panels[0].set_ylabel(f"budget for {WANTED:.0%} success")
    _add_legend(figure, panels[0], f"top edge: more than {BUDGETS[-1]}")
    return figure


def draw_regrets(regrets: Sequence[Regret]) -> Figure:
    """Draw the mean relative regret per table, planned in front."""
    tables = average_regrets(regrets)
    in_order = sorted(tables, key=lambda table: tables[table]["planned"])
    figure: Figure
    figure, panel = load_pyplot().subplots(figsize=(9, 1.6 + 0.27 * len(tables)))
    for name in ALGORITHMS:
        looks: dict[str, Any] = {**style_line(name), "linestyle": ""} | (
            {"markersize": 12} if name == "planned" else {}
        )
        hollow = {"markerfacecolor": "white"} if name.endswith("-paper") else {}
        panel.plot([tables[table][name] for table in in_order], np.arange(len(tables)), **(looks | hollow))
    panel.set_yticks(range(len(tables)), in_order)
    panel.set_ylim(-0.7, len(tables) - 0.3)
    panel.set_xlim(left=0)
    panel.set_xlabel("mean relative regret (0: the best arm, 1: an average arm)")
    panel.grid(alpha=0.3)
    _add_legend(figure, panel, columns=4)
    return figure


def _add_legend(figure: Figure, panel: Any, note: str = "", columns: int = 8) -> None:
    """Put one legend below all panels."""
    handles, labels = panel.get_legend_handles_labels()
    figure.tight_layout()
    options: dict[str, Any] = {"loc": "upper center", "ncol": columns, "frameon": False, "title": note or None}
    figure.legend(handles, labels, bbox_to_anchor=(0.5, 0.01), **options)
