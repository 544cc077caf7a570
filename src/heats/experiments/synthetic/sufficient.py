"""Budgets that suffice, over n (Appendix F): rounds and heats of the printed schedules → rows and their figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heats.experiments.shared.drawing import LOOKS, load_pyplot
from heats.planning.schedule import printed_heats, printed_rounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RULES = ("csws", "csr", "csh")
SIZES = (2, 4, 8, 16)
ARMS = sorted({*range(16, 101, 4), *range(100, 1001, 10)})


def list_budgets(rule: str, heat_size: int) -> list[tuple[int, int, int]]:
    """Return n, R and R·P_1 for every n of the figure."""
    rounds = [printed_rounds(rule, n, heat_size) for n in ARMS]
    first = [next(printed_heats(rule, n, heat_size)) for n in ARMS]
    return [(n, r, r * heats) for n, r, heats in zip(ARMS, rounds, first, strict=True)]


def draw_budgets() -> Figure:
    """Draw them: the number of rounds R alone, as the paper does, and R·P_1."""
    figure: Figure
    figure, panels = load_pyplot().subplots(2, len(SIZES), figsize=(13, 5.6), sharex=True)
    for column, k in enumerate(SIZES):
        for number, rule in enumerate(RULES):
            arms, rounds, budgets = zip(*list_budgets(rule, k), strict=True)
            panels[0][column].plot(arms, rounds, **_style_steps(rule, 3 * number))
            panels[1][column].plot(arms, budgets, **_style_steps(rule, 3 * number))
        panels[0][column].set_title(f"k = {k}", fontsize=10)
        for row in (0, 1):
            panels[row][column].grid(alpha=0.3)
    panels[0][0].set_ylabel("rounds R")
    panels[1][0].set_ylabel("R · P₁")
    panels[0][0].legend(frameon=False)
    figure.supxlabel("number of arms n")
    figure.suptitle("Sufficient budgets up to the common factor γ⁻¹(Δ/2)")
    figure.tight_layout()
    return figure


def _style_steps(rule: str, offset: int) -> dict[str, Any]:
    """Return how a line of steps is drawn; where lines coincide, markers that are apart still show them all."""
    steps = {"label": rule, "markevery": (offset, 9), "markersize": 4, **LOOKS[rule]}
    return steps | {"drawstyle": "steps-post", "linewidth": 1.2}
