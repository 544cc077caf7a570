"""Claims about the synthetic experiments → a page of verdicts."""

from __future__ import annotations

import numpy as np

from heats.experiments.shared.markdown import make_header, make_row
from heats.experiments.shared.verdicts import judge, show_both
from heats.experiments.synthetic.checks import RULES, View
from heats.experiments.synthetic.claims import CLAIMS, Claim
from heats.experiments.synthetic.grid import SPREADS, Cell, Result


def make_claims_page(results: dict[Cell, Result], reps: int, seed: int, command: str) -> str:
    """Return claims.md: each claim with what was measured under both schedules and both readings of the spread."""
    lines = [
        "# Claims of the paper about its synthetic experiments, checked",
        "",
        f"Made by `{command}`: {reps} runs per cell, seed {seed}, every run in a world of its",
        "own; all numbers are in `cells.csv`, with their intervals. Two success rates count as different only where",
        "the difference is beyond chance (test of two shares, 95 % level). A verdict is *confirmed* if a claim passes",
        "its criterion with the schedules as printed and with the exact ones, *not confirmed* if it fails with both,",
        "else *mixed*. σ in [0.05, 0.2] is read as a standard deviation; the paper writes it into a covariance matrix.",
        "Where that literal reading (variances) changes the verdict, the last column says so.",
        "",
        *make_header("claim", "where", "criterion", "as printed", "exact schedules", "verdict", "with variances"),
        *(_make_claim_row(claim, results) for claim in CLAIMS),
        "",
        *_list_means(results),
    ]
    return "\n".join(lines) + "\n"


def _make_claim_row(claim: Claim, results: dict[Cell, Result]) -> str:
    found = {
        spread: [claim.check(View(results, spread, schedule)) for schedule in ("paper", "exact")] for spread in SPREADS
    }
    verdicts = {spread: judge(good for good, _ in found[spread]) for spread in SPREADS}
    printed, exact = (text for _, text in found["deviation"])
    other = "the same" if verdicts["variance"] == verdicts["deviation"] else verdicts["variance"]
    shown = (*show_both(printed, exact), f"**{verdicts['deviation']}**", other)
    return make_row(claim.sentence, claim.where, claim.criterion, *shown)


def _list_means(results: dict[Cell, Result]) -> list[str]:
    """Return the table of mean success by setting and algorithm."""
    names = [f"{rule}-{schedule}" for schedule in ("paper", "exact") for rule in RULES] + ["round-robin"]
    rates: dict[tuple[str, str], list[float]] = {}
    for cell, result in results.items():
        if cell.spread == "deviation":
            rates.setdefault((cell.setting, cell.algorithm), []).append(result.share.rate)
    settings = list(dict.fromkeys(cell.setting for cell in results))
    rows = [make_row(each, *(f"{np.mean(rates[each, name]):.3f}" for name in names)) for each in settings]
    return ["## Mean success over the 50 cells", "", *make_header("setting", *names), *rows]
