"""Every sentence of Section 6 that makes an empirical claim, checked on our races as ``claims`` does for Appendix G."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from heats.experiments.claims import Finding, Share, verdict
from heats.experiments.race import BUDGETS, HEAT_SIZES, RaceCell, RaceResult
from heats.experiments.race_table import RaceTable

RULES = ("csws", "csr", "csh")
HALVING = "successive-halving"
MUCH = 2  # "much longer" is twice as long, at least


class RaceView:
    """Results under one schedule."""

    def __init__(self, results: dict[RaceCell, RaceResult], schedule: str) -> None:
        self._results = results
        self._schedule = schedule

    def cell(self, algorithm: str, heat_size: int, budget: int) -> RaceResult:
        """Return one result."""
        name = f"{algorithm}-{self._schedule}" if algorithm in RULES else algorithm
        return self._results[RaceCell(heat_size, budget, name)]

    def share(
        self, algorithm: str, sizes: Iterable[int] = HEAT_SIZES, budgets: Iterable[int] = BUDGETS, wins: bool = False
    ) -> Share:
        """Return how often the fastest arm (or the one that wins most heats) was found in part of the grid."""
        found = [self.cell(algorithm, k, b) for k in sizes for b in budgets]
        hits = sum(each.favourites if wins else each.successes for each in found)
        return Share(hits, sum(each.reps for each in found))

    def ratios(self, heat_size: int, cost: str) -> dict[str, float]:
        """Return how many times as long Successive Halving takes as each rule, all budgets together."""
        total = {name: sum(getattr(self.cell(name, heat_size, b), cost) for b in BUDGETS) for name in (*RULES, HALVING)}
        return {rule: total[HALVING] / max(total[rule], 1) for rule in RULES}


class RaceClaim(NamedTuple):
    """A sentence, by what it is judged, and how."""

    sentence: str
    criterion: str
    check: Callable[[RaceView], Finding]


def _ahead_of(view: RaceView, other: str, sizes: Iterable[int], budgets: Iterable[int], wins: bool = False) -> Finding:
    part = {name: view.share(name, sizes, budgets, wins) for name in (*RULES, other)}
    text = ", ".join(f"{name} {share.rate:.3f}" for name, share in part.items())
    return _agreed(part[rule].versus(part[other]) > 0 for rule in RULES), text


def _beats_halving(view: RaceView) -> Finding:
    return _ahead_of(view, HALVING, HEAT_SIZES, (300, 500))


def _beats_halving_by_wins(view: RaceView) -> Finding:
    return _ahead_of(view, HALVING, HEAT_SIZES, (300, 500), wins=True)


def _beats_round_robin(view: RaceView) -> Finding:
    return _ahead_of(view, "round-robin", (2,), BUDGETS)


def _beats_round_robin_by_wins(view: RaceView) -> Finding:
    return _ahead_of(view, "round-robin", (2,), BUDGETS, wins=True)


def _halving_takes_longer(view: RaceView) -> Finding:
    return _longer(view, "finishers")


def _halving_uses_more(view: RaceView) -> Finding:
    return _longer(view, "cpu")


def _longer(view: RaceView, cost: str) -> Finding:
    ratios = {k: view.ratios(k, cost) for k in HEAT_SIZES}
    return _agreed(ratio >= MUCH for each in ratios.values() for ratio in each.values()), _listed(ratios)


def _grows(view: RaceView) -> Finding:
    gaps = [
        {rule: _total(view, HALVING, k) - _total(view, rule, k) for rule in RULES} for k in HEAT_SIZES
    ]  # by heat size, in steps
    text = "; ".join(f"{rule} {', '.join(f'{each[rule] / 1e6:.1f}' for each in gaps)}" for rule in RULES)
    return _agreed(gaps[0][rule] < gaps[1][rule] < gaps[2][rule] for rule in RULES), f"millions of steps: {text}"


def _round_robin_takes_longer(view: RaceView) -> Finding:
    signs = [
        _longer_beyond_chance(view.cell("round-robin", k, b), view.cell(rule, k, b))
        for k in HEAT_SIZES
        for b in BUDGETS
        for rule in RULES
    ]
    text = f"longer in {signs.count(1)}, level in {signs.count(0)}, shorter in {signs.count(-1)} of {len(signs)}"
    return _agreed(sign > 0 for sign in signs), text


def _return_the_best(view: RaceView) -> Finding:
    shares = {
        f"{name}, k = {k}": view.share(name, (k,), (500,)) for name in ("round-robin", HALVING) for k in HEAT_SIZES
    }
    text = "; ".join(f"{name}: {share.rate:.3f}" for name, share in shares.items())
    return _agreed(share.rate > 0.5 for share in shares.values()), text


CLAIMS = (
    RaceClaim(
        "The algorithms which follow our CSE strategy significantly outperform SH if the budget is sufficiently large.",
        "B ≥ 300, all k together: each rule finds the smallest mean more often than SH",
        _beats_halving,
    ),
    RaceClaim(
        "The same, if the best is who wins most heats of that size (ours).",
        "B ≥ 300, all k together",
        _beats_halving_by_wins,
    ),
    RaceClaim(
        "CSWS, CSR and CSH identify the best arm more often than RoundRobin if the subset sizes k are small.",
        "k = 2, all B together: each rule ahead of RoundRobin",
        _beats_round_robin,
    ),
    RaceClaim(
        "The same, if the best is who wins most heats of that size (ours).",
        "k = 2, all B together",
        _beats_round_robin_by_wins,
    ),
    RaceClaim(
        "RoundRobin and SH will tendentially return the smallest mean if the budget is sufficiently large.",
        "B = 500, every k: in more than half of the runs",
        _return_the_best,
    ),
    RaceClaim(
        "SH takes much longer than CSWS, CSR and CSH.",
        f"sums of the finishers' times, every k, all B together: at least {MUCH} times as long",
        _halving_takes_longer,
    ),
    RaceClaim(
        "The same by CPU time of all runs (ours).",
        f"every k, all B together: at least {MUCH} times as much",
        _halving_uses_more,
    ),
    RaceClaim(
        "The difference in the runtimes gets larger with the subset sizes k.",
        "sums of the finishers' times, all B together: SH less each rule grows from k = 2 to 4 to 8",
        _grows,
    ),
    RaceClaim(
        "Even RoundRobin needs a longer runtime than the CSE approaches, with the same number of queries.",
        "sums of the finishers' times: longer beyond chance than each rule in every cell",
        _round_robin_takes_longer,
    ),
)


def section(results: dict[RaceCell, RaceResult], table: RaceTable) -> str:
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
        f"{_who_wins(table)}",
        "",
        "| claim | criterion | as printed | exact schedules | verdict |",
        "|---|---|---|---|---|",
    ]
    for claim in CLAIMS:
        found = [claim.check(RaceView(results, schedule)) for schedule in ("paper", "exact")]
        printed, exact = (text for _, text in found)
        shown = (printed, "the same" if exact == printed else exact, f"**{verdict([good for good, _ in found])}**")
        lines.append(f"| {' | '.join((claim.sentence, claim.criterion, *shown))} |")
    return "\n".join(lines) + "\n"


def _who_wins(table: RaceTable) -> str:
    """Say whether the arm with the smallest mean is the one that wins most heats."""
    parts = []
    for k in HEAT_SIZES:
        rates = table.world().win_shares(k)
        order = np.argsort(-rates)
        place = int(np.flatnonzero(order == table.best)[0]) + 1
        parts.append(f"k = {k}: place {place} ({rates[table.best]:.1%} of its heats; the first {rates[order[0]]:.1%})")
    return f"By heats won that arm has, among all {len(table.parameters)}, at {'; '.join(parts)}."


def _total(view: RaceView, name: str, heat_size: int) -> float:
    return sum(view.cell(name, heat_size, b).finishers for b in BUDGETS)


def _longer_beyond_chance(one: RaceResult, other: RaceResult) -> int:
    """Return 1 if the first takes longer beyond chance (95 %), -1 if shorter, 0 if that cannot be told."""
    distance = one.finishers - other.finishers
    error = math.hypot(one.finishers_error, other.finishers_error)
    return 0 if abs(distance) <= 1.96 * error else 1 if distance > 0 else -1


def _agreed(good: Iterable[bool]) -> bool | None:
    seen = set(good)
    return seen.pop() if len(seen) == 1 else None


def _listed(ratios: dict[int, dict[str, float]]) -> str:
    return "; ".join(
        f"k = {k}: {', '.join(f'{rule} ×{ratio:.1f}' for rule, ratio in each.items())}" for k, each in ratios.items()
    )
