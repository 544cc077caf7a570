"""Bins → chance stated against share right; nothing is simulated here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heats.experiments.shared.drawing import load_pyplot
from heats.experiments.standings.bins import ERRORS, LIMITS, Bin, Result
from heats.experiments.standings.worlds import KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Hue and marker, so that they can be told apart in grey.
LOOKS: dict[str, tuple[str, str, str]] = {
    "winner": ("#0072b2", "o", "winners told"),
    "reward": ("#d55e00", "s", "rewards told"),
    "adaptive": ("#444444", "+", "the paper's family, adaptive play"),
    "family": ("#444444", "x", "the paper's family, a plan"),
    "near outlier": ("#009e73", "^", "outlier 1 above"),
    "tiny budget": ("#cc79a7", "D", "tiny budgets"),
    "round-robin": ("#0072b2", "v", "RoundRobin"),
    "ranking": ("#d55e00", "s", "rankings told"),
}


def draw_reliability(results: Sequence[Result]) -> Figure:
    """Draw two panels: the bins of what is promised, and the worlds outside it."""
    figure: Figure
    figure, (kept, other) = load_pyplot().subplots(1, 2, figsize=(11, 5.6), sharex=True, sharey=True)
    for panel, title in (
        (kept, "consistent worlds, bin by bin"),
        (other, "other worlds, world by world"),
    ):
        _lay_ground(panel)
        panel.set_title(title, fontsize=10)
    for kind in KINDS:
        mine = [each for each in results if each.world.group == "kept" and each.world.kind == kind]
        _draw_bins(kept, kind, [part for each in mine for part in each.bins])
    for group in dict.fromkeys(each.world.group for each in results if each.world.group != "kept"):
        _draw_bins(other, group, [each.whole for each in results if each.world.group == group])
    kept.set_ylabel(f"share in which it was the best (± {ERRORS} standard errors)")
    for panel in (kept, other):  # below it: dots may lie in any corner
        panel.set_xlabel("mean chance stated for the winner")
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncol=2, fontsize=9, frameon=False)
    figure.tight_layout()
    return figure


def _lay_ground(panel: Any) -> None:
    """Draw where both are equal, and the band of what is promised."""
    panel.plot([0, 1], [0, 1], color="black", linewidth=0.8)
    sure, modest = LIMITS
    label = f"at most {100 * sure:.0f} points too sure, {100 * modest:.0f} too modest"
    panel.fill_between([0, 1], [-sure, 1 - sure], [modest, 1 + modest], color="#dddddd", label=label)
    panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    panel.grid(alpha=0.3)


def _draw_bins(panel: Any, name: str, bins: Sequence[Bin]) -> None:
    color, marker, label = LOOKS[name]
    said, right = [each.said for each in bins], [each.right for each in bins]
    errors = [ERRORS * each.error for each in bins]
    looks: dict[str, Any] = {"color": color, "marker": marker, "linestyle": "", "markersize": 4, "alpha": 0.7}
    panel.errorbar(said, right, errors, elinewidth=0.6, label=label, clip_on=True, **looks)
