"""How figures look, and how they are saved: the same bytes for the same figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heats.base.extras import explain_missing
from heats.errors import InvalidArgument
from heats.experiments.shared.verdicts import Share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Hue by rule, dashes by schedule, and a marker each, so that the lines can be told apart in grey; planned stands out.
LOOKS: dict[str, dict[str, Any]] = {
    "csws": {"color": "#0072b2", "marker": "o"},
    "csr": {"color": "#d55e00", "marker": "s"},
    "csh": {"color": "#009e73", "marker": "^"},
    "round-robin": {"color": "#444444", "marker": "x"},
    "successive-halving": {"color": "#cc79a7", "marker": "D"},
    "adaptive": {"color": "#e69f00", "marker": "P", "markersize": 6, "linewidth": 2.2, "zorder": 3},
    "planned": {"color": "black", "marker": "*", "markersize": 8, "linewidth": 2.2, "zorder": 3},
}


def check_matplotlib() -> None:
    """Refuse early where figures cannot be drawn."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise InvalidArgument(explain_missing("figures need matplotlib", "plot", error)) from None
    mpl.use("Agg")


def load_pyplot() -> Any:
    """Return matplotlib.pyplot, set up to write the same bytes each time."""
    check_matplotlib()
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = "heats"
    import matplotlib.pyplot as plt

    return plt


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write PNG and SVG; return both paths."""
    plt = load_pyplot()
    stem.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(stem.with_suffix(".png"), dpi=110, bbox_inches="tight", metadata={"Software": None})
    figure.savefig(stem.with_suffix(".svg"), bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return [stem.with_suffix(".png"), stem.with_suffix(".svg")]


def make_label(algorithm: str) -> str:
    """Return its name as it is shown."""
    return algorithm.replace("-paper", ", as printed").replace("-exact", ", exact")


def strip_schedule(algorithm: str) -> str:
    """Return the rule of an algorithm: its name without the schedule."""
    return algorithm.removesuffix("-paper").removesuffix("-exact")


def style_line(algorithm: str) -> dict[str, Any]:
    """Return how a line is drawn, label included."""
    solid = algorithm.endswith(("-exact", "planned", "adaptive"))
    dashes = "--" if algorithm.endswith("-paper") else "-" if solid else ":"
    plain = {"label": make_label(algorithm), "linestyle": dashes, "markersize": 4, "linewidth": 1.3}
    return {**plain, **LOOKS[strip_schedule(algorithm)]}


def draw_rates(panel: Any, algorithm: str, budgets: Sequence[int], found: Sequence[Share]) -> None:
    """Draw success over budget, with its 95 % band."""
    panel.plot(budgets, [each.rate for each in found], **style_line(algorithm))
    lows, highs = zip(*(each.interval for each in found), strict=True)
    color = LOOKS[strip_schedule(algorithm)]["color"]
    panel.fill_between(budgets, lows, highs, color=color, alpha=0.15, linewidth=0)
