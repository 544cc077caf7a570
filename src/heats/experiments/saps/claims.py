"""Every sentence of Section 6 that claims something, and by what it is judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from heats.experiments.saps import checks
from heats.experiments.saps.checks import MUCH, RaceView
from heats.experiments.shared.verdicts import Finding


class RaceClaim(NamedTuple):
    """A sentence, by what it is judged, and how."""

    sentence: str
    criterion: str
    check: Callable[[RaceView], Finding]


CLAIMS = (
    RaceClaim(
        "The algorithms which follow our CSE strategy significantly outperform SH if the budget is sufficiently large.",
        "B ≥ 300, all k together: each rule finds the smallest mean more often than SH",
        checks.check_beats_halving,
    ),
    RaceClaim(
        "The same, if the best is who wins most heats of that size (ours).",
        "B ≥ 300, all k together",
        checks.check_beats_halving_by_wins,
    ),
    RaceClaim(
        "CSWS, CSR and CSH identify the best arm more often than RoundRobin if the subset sizes k are small.",
        "k = 2, all B together: each rule ahead of RoundRobin",
        checks.check_beats_round_robin,
    ),
    RaceClaim(
        "The same, if the best is who wins most heats of that size (ours).",
        "k = 2, all B together",
        checks.check_beats_round_robin_by_wins,
    ),
    RaceClaim(
        "RoundRobin and SH will tendentially return the smallest mean if the budget is sufficiently large.",
        "B = 500, every k: in more than half of the runs",
        checks.check_return_the_best,
    ),
    RaceClaim(
        "SH takes much longer than CSWS, CSR and CSH.",
        f"sums of the finishers' times, every k, all B together: at least {MUCH} times as long",
        checks.check_halving_takes_longer,
    ),
    RaceClaim(
        "The same by CPU time of all runs (ours).",
        f"every k, all B together: at least {MUCH} times as much",
        checks.check_halving_uses_more,
    ),
    RaceClaim(
        "The difference in the runtimes gets larger with the subset sizes k.",
        "sums of the finishers' times, all B together: SH less each rule grows from k = 2 to 4 to 8",
        checks.check_grows,
    ),
    RaceClaim(
        "Even RoundRobin needs a longer runtime than the CSE approaches, with the same number of queries.",
        "sums of the finishers' times: longer beyond chance than each rule in every cell",
        checks.check_round_robin_takes_longer,
    ),
)
