"""Values with intervals → a picture, drawn by matplotlib where that is installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from heats.base.extras import explain_missing
from heats.base.naming import shorten
from heats.base.text import make_printable
from heats.errors import InvalidArgument

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any

ROW_INCHES, MARGIN_INCHES, WIDTH_INCHES = 0.28, 1.1, 7.0
INK, SOFT, LINE, BEST = "#1f2933", "#52606d", "#cbd2d9", "#c2410c"


class Bar(NamedTuple):
    """A row of the picture: a label, a value with its interval, as far as they are known, and a remark at the right."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    remark: str


def shorten_labels(labels: Sequence[str]) -> list[str]:
    """Return labels short enough for the margin of a picture; those that would look alike with their numbers."""
    short = [shorten(make_printable(label)) for label in labels]
    counts = Counter(short)
    return [label if counts[label] == 1 else f"#{number} {label}" for number, label in enumerate(short)]


def plot_bars(
    bars: Sequence[Bar], *, axis: str, remarks: str, title: str, zero: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the rows from top to bottom, the first set apart, on ``ax`` or a figure of its own; ``zero`` is marked."""
    ax = _make_axes(len(bars)) if ax is None else _check_axes(ax)
    for row, bar in enumerate(bars):
        color = BEST if row == 0 else INK
        if bar.low is not None and bar.high is not None:
            ax.plot([bar.low, bar.high], [row, row], color=color, alpha=0.45, linewidth=3, solid_capstyle="round")
        if bar.value is not None:
            ax.plot([bar.value], [row], "o", color=color, markersize=5)
        ax.text(1.02, row, bar.remark, transform=ax.get_yaxis_transform(), va="center", color=color, fontsize=9)
    ax.set_yticks(range(len(bars)), [bar.label for bar in bars], fontsize=9, parse_math=False)
    ax.set_ylim(len(bars) - 0.5, -0.5)
    if zero:
        ax.axvline(0, color=LINE, linewidth=1, zorder=0)
    ax.set_xlabel(axis, color=SOFT)
    ax.set_title(title, loc="left", fontsize=10, color=SOFT)
    ax.text(1.02, 1.01, remarks, transform=ax.transAxes, va="bottom", color=SOFT, fontsize=9)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return ax


def _make_axes(rows: int) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InvalidArgument(explain_missing("a picture needs matplotlib", "plot", error)) from None
    size = WIDTH_INCHES, MARGIN_INCHES + ROW_INCHES * rows
    made: Axes = pyplot.subplots(figsize=size, facecolor="white", layout="constrained")[1]
    return made


def _check_axes(ax: Any) -> Any:
    if not hasattr(ax, "get_yaxis_transform"):
        raise InvalidArgument("{ax} must be the Axes of matplotlib to draw on, or None.", ax=ax)
    return ax
