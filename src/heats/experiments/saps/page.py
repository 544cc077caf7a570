"""Claims of Section 6 → the part of claims.md about it."""

from __future__ import annotations

import numpy as np

from heats.experiments.saps.checks import RaceView
from heats.experiments.saps.claims import CLAIMS, RaceClaim
from heats.experiments.saps.equal import EqualCell, EqualResult
from heats.experiments.saps.equal_page import tell_equal
from heats.experiments.saps.race import HEAT_SIZES, RaceCell, RaceResult
from heats.experiments.saps.runs_table import RunsTable
from heats.experiments.shared.markdown import make_header, make_row
from heats.experiments.shared.verdicts import judge, show_both


def make_race_section(
    results: dict[RaceCell, RaceResult], equal: dict[EqualCell, EqualResult], table: RunsTable
) -> str:
    """Return the part of claims.md about Section 6."""
    rows, arms = table.runtime.shape
    means = np.sort(table.runtime.mean(axis=0))
    lines = [
        "## Section 6: racing SAPS parameterizations",
        "",
        f"{arms} random parameterizations on {rows} satisfiable SW-GCP instances, cut off at {table.cutoff} steps,",
        f"before which {table.solved.mean():.0%} of the runs ended. The paper's instances are not at hand: ours are",
        "smaller ones of the same family; its own k and B are only in its lost figure. A pull draws an instance, with",
        "replacement; runtimes are counted in steps; all numbers are in `fig-race.csv`. Verdicts as above. Printed",
        "schedules spend less than B, which makes them cheap as well.",
        "",
        f"The smallest mean is {means[0]:.0f} steps, the second smallest {means[1]:.0f}, the largest {means[-1]:.0f}. "
        f"{_say_who_wins(table)}",
        "",
        *make_header("claim", "criterion", "as printed", "exact schedules", "verdict"),
        *(_make_claim_row(claim, results) for claim in CLAIMS),
        "",
        *tell_equal(equal),
    ]
    return "\n".join(lines) + "\n"


def _make_claim_row(claim: RaceClaim, results: dict[RaceCell, RaceResult]) -> str:
    found = [claim.check(RaceView(results, schedule)) for schedule in ("paper", "exact")]
    printed, exact = (text for _, text in found)
    verdict = judge(good for good, _ in found)
    return make_row(claim.sentence, claim.criterion, *show_both(printed, exact), f"**{verdict}**")


def _say_who_wins(table: RunsTable) -> str:
    """Say whether the arm with the smallest mean is the one that wins most heats."""
    parts = []
    for k in HEAT_SIZES:
        rates = table.make_world().win_shares(k)
        order = np.argsort(-rates)
        place = int(np.flatnonzero(order == table.best)[0]) + 1
        parts.append(f"k = {k}: place {place} ({rates[table.best]:.1%} of its heats; the first {rates[order[0]]:.1%})")
    return f"By heats won that arm has, among all {len(table.parameters)}, at {'; '.join(parts)}."
