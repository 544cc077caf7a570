"""Results → figures that look like a paper's; nothing is simulated here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heats.errors import InvalidArgument
from heats.experiments import race
from heats.experiments.sweeps import ALGORITHMS, ARMS, BUDGETS, HEAT_SIZES, SETTINGS, Cell, Result
from heats.planning.schedule import printed_heats, printed_rounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def label(algorithm: str) -> str:
    """Return its name as it is shown."""
    return algorithm.replace("-paper", ", as printed").replace("-exact", ", exact")


# Hue by rule, dashes by schedule, and a marker each, so that the lines can be told apart in grey; planned stands out.
LOOKS: dict[str, dict[str, Any]] = {
    "csws": {"color": "#0072b2", "marker": "o"},
    "csr": {"color": "#d55e00", "marker": "s"},
    "csh": {"color": "#009e73", "marker": "^"},
    "round-robin": {"color": "#444444", "marker": "x"},
    "successive-halving": {"color": "#cc79a7", "marker": "D"},
    "planned": {"color": "black", "marker": "*", "markersize": 8, "linewidth": 2.2, "zorder": 3},
}
LABELS = {name: label(name) for name in ALGORITHMS}


def success_figure(
    setting: str, spread: str, results: dict[Cell, Result], algorithms: Sequence[str] = ALGORITHMS
) -> Figure:
    """Draw success over budget: a row per n, a column per k, with 95 % bands."""
    plt = pyplot()
    figure: Figure
    figure, panels = plt.subplots(len(ARMS), len(HEAT_SIZES), figsize=(13, 5.6), sharex=True, sharey=True)
    for row, n in enumerate(ARMS):
        for column, k in enumerate(HEAT_SIZES):
            panel = panels[row][column]
            for algorithm in algorithms:
                found = [results[Cell(setting, spread, n, k, budget, algorithm)] for budget in BUDGETS]
                _line(panel, algorithm, found)
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


def _line(panel: Any, algorithm: str, found: list[Result] | list[race.RaceResult]) -> None:
    _curve(panel, algorithm, [r.rate for r in found])
    lows, highs = zip(*(r.interval for r in found), strict=True)
    color = LOOKS[rule_of(algorithm)]["color"]
    panel.fill_between(BUDGETS, lows, highs, color=color, alpha=0.15, linewidth=0)


def _curve(panel: Any, algorithm: str, values: list[float]) -> None:
    panel.plot(BUDGETS, values, **style(algorithm))


def style(algorithm: str) -> dict[str, Any]:
    """Return how a line is drawn, label included."""
    dashes = "--" if algorithm.endswith("-paper") else "-" if algorithm.endswith(("-exact", "planned")) else ":"
    plain = {"label": label(algorithm), "linestyle": dashes, "markersize": 4, "linewidth": 1.3}
    return {**plain, **LOOKS[rule_of(algorithm)]}


def rule_of(algorithm: str) -> str:
    """Return its name without the schedule."""
    return algorithm.removesuffix("-paper").removesuffix("-exact")


def race_figure(results: dict[race.RaceCell, race.RaceResult]) -> Figure:
    """Draw Section 6: a column per k; success by both meanings of best, then both meanings of total runtime."""
    plt = pyplot()
    figure: Figure
    figure, panels = plt.subplots(4, len(race.HEAT_SIZES), figsize=(11, 11.5), sharex=True, sharey="row")
    for column, k in enumerate(race.HEAT_SIZES):
        for algorithm in race.ALGORITHMS:
            found = [results[race.RaceCell(k, budget, algorithm)] for budget in BUDGETS]
            _line(panels[0][column], algorithm, found)
            _curve(panels[1][column], algorithm, [r.favourites / r.reps for r in found])
            _curve(panels[2][column], algorithm, [r.finishers for r in found])
            _curve(panels[3][column], algorithm, [r.cpu for r in found])
        panels[0][column].set_title(f"k = {k}", fontsize=10)
        for row in range(4):
            panels[row][column].grid(alpha=0.3)
            panels[row][column].set_xticks(BUDGETS, [str(b) for b in BUDGETS], fontsize=8)
    titles = ("found the smallest mean", "found who wins most heats", "steps of the finishers", "steps of all runs")
    for row, title in enumerate(titles):
        panels[row][0].set_ylabel(title)
        panels[row][0].set(**({"ylim": (-0.02, 1.02)} if row < 2 else {"yscale": "log"}))
    figure.supxlabel("budget B")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=5, frameon=False, bbox_to_anchor=(0.5, -0.04))
    figure.suptitle("Racing 20 SAPS parameterizations on small-world colouring instances")
    figure.tight_layout()
    return figure


BUDGET_SIZES = (2, 4, 8, 16)
BUDGET_ARMS = sorted({*range(16, 101, 4), *range(100, 1001, 10)})


def budget_rows(rule: str, heat_size: int) -> list[tuple[int, int, int]]:
    """Return n, R and R·P_1 for every n of the figure of sufficient budgets."""
    rounds = [printed_rounds(rule, n, heat_size) for n in BUDGET_ARMS]
    first = [next(printed_heats(rule, n, heat_size)) for n in BUDGET_ARMS]
    return [(n, r, r * heats) for n, r, heats in zip(BUDGET_ARMS, rounds, first, strict=True)]


def budget_figure() -> Figure:
    """Draw the sufficient budgets over n: the number of rounds R alone, as the paper does, and R·P_1."""
    plt = pyplot()
    figure: Figure
    figure, panels = plt.subplots(2, len(BUDGET_SIZES), figsize=(13, 5.6), sharex=True)
    for column, k in enumerate(BUDGET_SIZES):
        for rule in ("csws", "csr", "csh"):
            arms, rounds, budgets = zip(*budget_rows(rule, k), strict=True)
            offset = ("csws", "csr", "csh").index(rule) * 3  # where lines coincide, markers still show them all
            steps: dict[str, Any] = {"label": rule, "markevery": (offset, 9), "markersize": 4, **LOOKS[rule]}
            steps |= {"drawstyle": "steps-post", "linewidth": 1.2}
            panels[0][column].plot(arms, rounds, **steps)
            panels[1][column].plot(arms, budgets, **steps)
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


def save(figure: Figure, stem: Path) -> None:
    """Write PNG and SVG, the same bytes for the same figure."""
    plt = pyplot()
    stem.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(stem.with_suffix(".png"), dpi=110, bbox_inches="tight", metadata={"Software": None})
    figure.savefig(stem.with_suffix(".svg"), bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def check_matplotlib() -> None:
    """Refuse early where figures cannot be drawn."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise InvalidArgument("figures need matplotlib; install it with: pip install 'heats[plot]'") from None
    mpl.use("Agg")


def pyplot() -> Any:
    """Return matplotlib.pyplot, set up to write the same bytes each time."""
    check_matplotlib()
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = "heats"
    import matplotlib.pyplot as plt

    return plt
