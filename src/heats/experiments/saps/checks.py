"""Races → whether a claim of Section 6 holds, and what was seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

from heats.experiments.saps.race import BUDGETS, HALVING, HEAT_SIZES, RaceCell, RaceResult
from heats.experiments.shared.verdicts import Finding, Share, agree, compare

RULES = ("csws", "csr", "csh")
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
        hits = sum(each.favourites if wins else each.share.successes for each in found)
        return Share(hits, sum(each.share.runs for each in found))

    def ratios(self, heat_size: int, cost: str) -> dict[str, float]:
        """Return how many times as long Successive Halving takes as each rule, all budgets together."""
        total = {name: sum(getattr(self.cell(name, heat_size, b), cost) for b in BUDGETS) for name in (*RULES, HALVING)}
        return {rule: total[HALVING] / max(total[rule], 1) for rule in RULES}


def _compare_with(
    view: RaceView, other: str, sizes: Iterable[int], budgets: Iterable[int], wins: bool = False
) -> Finding:
    part = {name: view.share(name, sizes, budgets, wins) for name in (*RULES, other)}
    text = ", ".join(f"{name} {share.rate:.3f}" for name, share in part.items())
    return agree(part[rule].versus(part[other]) > 0 for rule in RULES), text


def check_beats_halving(view: RaceView) -> Finding:
    """Check whether every rule is ahead of Successive Halving with a large budget."""
    return _compare_with(view, HALVING, HEAT_SIZES, (300, 500))


def check_beats_halving_by_wins(view: RaceView) -> Finding:
    """Check the same, if the best is who wins most heats."""
    return _compare_with(view, HALVING, HEAT_SIZES, (300, 500), wins=True)


def check_beats_round_robin(view: RaceView) -> Finding:
    """Check whether every rule is ahead of RoundRobin in heats of two."""
    return _compare_with(view, "round-robin", (2,), BUDGETS)


def check_beats_round_robin_by_wins(view: RaceView) -> Finding:
    """Check the same, if the best is who wins most heats."""
    return _compare_with(view, "round-robin", (2,), BUDGETS, wins=True)


def check_halving_takes_longer(view: RaceView) -> Finding:
    """Check whether Successive Halving takes much longer, all runs of a pull in parallel."""
    return _compare_costs(view, "finishers")


def check_halving_uses_more(view: RaceView) -> Finding:
    """Check whether it takes much more processor time."""
    return _compare_costs(view, "cpu")


def _compare_costs(view: RaceView, cost: str) -> Finding:
    ratios = {k: view.ratios(k, cost) for k in HEAT_SIZES}
    return agree(ratio >= MUCH for each in ratios.values() for ratio in each.values()), _list_ratios(ratios)


def check_grows(view: RaceView) -> Finding:
    """Check whether its distance grows with the heat size."""
    gaps = [
        {rule: _sum_times(view, HALVING, k) - _sum_times(view, rule, k) for rule in RULES} for k in HEAT_SIZES
    ]  # by heat size, in steps
    text = "; ".join(f"{rule} {', '.join(f'{each[rule] / 1e6:.1f}' for each in gaps)}" for rule in RULES)
    return agree(gaps[0][rule] < gaps[1][rule] < gaps[2][rule] for rule in RULES), f"millions of steps: {text}"


def check_round_robin_takes_longer(view: RaceView) -> Finding:
    """Check whether RoundRobin takes longer than every rule in every cell."""
    signs = [
        _compare_times(view.cell("round-robin", k, b), view.cell(rule, k, b))
        for k, b, rule in product(HEAT_SIZES, BUDGETS, RULES)
    ]
    text = f"longer in {signs.count(1)}, level in {signs.count(0)}, shorter in {signs.count(-1)} of {len(signs)}"
    return agree(sign > 0 for sign in signs), text


def check_return_the_best(view: RaceView) -> Finding:
    """Check whether the two baselines find the smallest mean with the largest budget."""
    shares = {
        f"{name}, k = {k}": view.share(name, (k,), (500,)) for name in ("round-robin", HALVING) for k in HEAT_SIZES
    }
    text = "; ".join(f"{name}: {share.rate:.3f}" for name, share in shares.items())
    return agree(share.rate > 0.5 for share in shares.values()), text


def _sum_times(view: RaceView, name: str, heat_size: int) -> float:
    return sum(view.cell(name, heat_size, b).finishers for b in BUDGETS)


def _compare_times(one: RaceResult, other: RaceResult) -> int:
    """Return 1 if the first takes longer beyond chance (95 %), -1 if shorter, 0 if that cannot be told."""
    error = math.hypot(one.finishers_error, other.finishers_error)
    return compare(one.finishers - other.finishers, error)


def _list_ratios(ratios: dict[int, dict[str, float]]) -> str:
    return "; ".join(
        f"k = {k}: {', '.join(f'{rule} ×{ratio:.1f}' for rule, ratio in each.items())}" for k, each in ratios.items()
    )
