"""Results → whether a claim about the synthetic experiments holds, and what was seen.

A check says yes, no or "it depends". Success rates count as different only where the difference is beyond chance
(two-sided test of two shares at the 95 % level).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import product

import numpy as np

from heats.base import randomness
from heats.engine.sets import random_sets
from heats.environments import Gaussian, Winners
from heats.experiments.shared.verdicts import Finding, Share, agree
from heats.experiments.synthetic.grid import ARMS, BUDGETS, HEAT_SIZES, Cell, Result
from heats.planning.schedule import printed_heats, printed_rounds

RULES = ("csws", "csr", "csh")
ALL = (*RULES, "round-robin")
WORLDS = 20  # in which Borda and Condorcet winners are compared


class View:
    """Results under one reading: a schedule, and whether spreads are deviations or variances."""

    def __init__(self, results: dict[Cell, Result], spread: str, schedule: str) -> None:
        self._results = results
        self._schedule = schedule
        self.spread = spread

    def share(
        self,
        setting: str,
        rule: str,
        arms: Iterable[int] = ARMS,
        sizes: Iterable[int] = HEAT_SIZES,
        budgets: Iterable[int] = BUDGETS,
    ) -> Share:
        """Return the successes of a rule over part of the grid."""
        algorithm = rule if rule == "round-robin" else f"{rule}-{self._schedule}"
        cells = [Cell(setting, self.spread, n, k, b, algorithm) for n in arms for k in sizes for b in budgets]
        found = [self._results[cell] for cell in cells]
        return Share(sum(each.share.successes for each in found), sum(each.share.runs for each in found))


def check_hard_corner(view: View) -> Finding:
    """Check whether CSH and CSR are ahead of the others with few pulls, small heats and many arms."""
    part = {rule: view.share("reward", rule, (100,), (2, 4), (50, 100)) for rule in ALL}
    good = {part[rule].versus(part[other]) > 0 for rule in ("csh", "csr") for other in ("csws", "round-robin")}
    return agree(good), _list_rates(part)


def check_solid(view: View) -> Finding:
    """Check whether CSH is ahead of the others over all cells."""
    part = {rule: view.share("reward", rule) for rule in ALL}
    worst = min(part["csh"].versus(part[other]) for other in ALL if other != "csh")
    return {1: True, 0: None, -1: False}[worst], _list_rates(part)


def check_decoy_fools_round_robin(view: View) -> Finding:
    """Check whether no rule is behind RoundRobin in small heats, the Borda winner set apart."""
    good, text = _compare_with_round_robin(view, "reward-decoy", (2, 4, 6))
    return good, f"k ≤ 6: {text}; all k: {_compare_with_round_robin(view, 'reward-decoy', HEAT_SIZES)[1]}"


def check_always_ahead(view: View) -> Finding:
    """Check the same for preferences, in heats of all sizes."""
    return _compare_with_round_robin(view, "preference-decoy", HEAT_SIZES)


def check_small_budgets(view: View) -> Finding:
    """Check whether every rule is ahead of RoundRobin with few pulls, small heats and many arms."""
    part = {rule: view.share("preference", rule, (100,), (2, 4), (50, 100)) for rule in ALL}
    return agree({part[rule].versus(part["round-robin"]) > 0 for rule in RULES}), _list_rates(part)


def check_more_arms(view: View) -> Finding:
    """Check whether no cell is better with more arms."""
    pairs = [
        [view.share("preference", rule, (n,), (k,), (b,)) for n in (100, 50)]
        for k, b, rule in product(HEAT_SIZES, BUDGETS, RULES)
    ]
    signs = [many.versus(few) for many, few in pairs]
    text = f"lower in {signs.count(-1)}, level in {signs.count(0)}, higher in {signs.count(1)} of {len(signs)}"
    return 1 not in signs, text


def check_similar(view: View) -> Finding:
    """Check whether preferences do as rewards do."""
    cells = [(rule, (n,), (k,), (b,)) for n, k, b, rule in product(ARMS, HEAT_SIZES, BUDGETS, RULES)]
    first, second = (
        np.array([view.share(setting, *cell).rate for cell in cells]) for setting in ("reward", "preference")
    )
    correlation = float(np.corrcoef(first, second)[0, 1])
    text = f"correlation {correlation:.2f}, preferences {(second - first).mean():+.2f} on average"
    return None if correlation > 0.8 and abs((second - first).mean()) > 0.05 else correlation > 0.8, text


def check_coincide(view: View) -> Finding:
    """Check whether the Borda winner is the Condorcet winner in most worlds."""
    shares = _share_coinciding(decoy=False, winners=False)
    return agree({share > 0.5 for share in shares.values()}), _describe_coinciding(shares)


def check_apart(view: View) -> Finding:
    """Check whether it is not, where it is set apart."""
    shares = _share_coinciding(decoy=True, winners=False)
    return agree({share < 0.5 for share in shares.values()}), _describe_coinciding(shares)


def check_apart_by_wins(view: View) -> Finding:
    """Check the same, by wins."""
    shares = _share_coinciding(decoy=True, winners=True)
    return agree({share < 0.5 for share in shares.values()}), _describe_coinciding(shares)


def check_same_at_two(view: View) -> Finding:
    """Check whether all rules have the same number of rounds for k = 2."""
    differing = [n for n in range(2, 1001) if len({printed_rounds(rule, n, 2) for rule in RULES}) > 1]
    return not differing, f"{999 - len(differing)} of the n from 2 to 1000"


def check_grows_with_k(view: View) -> Finding:
    """Check whether CSR, and only CSR, asks for more with larger heats."""
    sizes = (2, 4, 8, 16)
    rounds = {rule: [printed_rounds(rule, 1000, k) for k in sizes] for rule in RULES}
    budgets = {
        rule: [r * next(printed_heats(rule, 1000, k)) for r, k in zip(rounds[rule], sizes, strict=True)]
        for rule in RULES
    }

    def holds(values: dict[str, list[int]]) -> bool:
        falls = all(values[rule] == sorted(values[rule], reverse=True) for rule in ("csws", "csh"))
        return falls and values["csr"] == sorted(values["csr"])

    text = "; ".join(f"{rule}: R {rounds[rule]}, R·P₁ {budgets[rule]}" for rule in RULES)
    return agree({holds(rounds), holds(budgets)}), text


def check_round_robin_costs(view: View) -> Finding:
    """Check whether RoundRobin asks for the most."""
    most = max(printed_rounds(rule, 50, k) * -(-50 // k) / math.comb(50, k) for rule in RULES for k in HEAT_SIZES)
    return most < 1, f"the others ask for at most {most:.2f} of C(50, k)"


def _list_rates(shares: dict[str, Share]) -> str:
    return ", ".join(f"{name} {share.rate:.3f}" for name, share in shares.items())


def _describe_coinciding(shares: dict[int, float]) -> str:
    return "they coincide in " + ", ".join(f"{share:.0%} (k = {k})" for k, share in shares.items())


def _compare_with_round_robin(view: View, setting: str, sizes: Iterable[int]) -> Finding:
    """Compare the worst of the three rules with RoundRobin, cell by cell."""
    signs = []
    for n, k, b in product(ARMS, sizes, BUDGETS):
        part = ((n,), (k,), (b,))
        other = view.share(setting, "round-robin", *part)
        signs.append(min(view.share(setting, rule, *part).versus(other) for rule in RULES))
    ahead, level, behind = (signs.count(sign) for sign in (1, 0, -1))
    return not behind, f"all ahead in {ahead}, some level in {level}, some behind in {behind} of {len(signs)}"


@cache  # the same for every view
def _share_coinciding(*, decoy: bool, winners: bool) -> dict[int, float]:
    """Return in which share of 20 worlds the best Borda score is that of the planted arm, by k."""
    return {k: sum(_coincide(k, seed, decoy, winners) for seed in range(WORLDS)) / WORLDS for k in (2, 6, 10)}


def _coincide(k: int, seed: int, decoy: bool, winners: bool) -> bool:
    """Return whether that is so in one world, by 20 000 random sets."""
    n = 50
    world = Gaussian(n, 0.1, decoy, seed)
    [sets] = random_sets(np.array([randomness.fold_seed(seed)]), n, k, 20_000)
    rng = np.random.default_rng(seed)
    means = Winners(world).sample_mean(sets, 20, rng) if winners else world.parameters(sets)[0]
    borda = np.bincount(sets.ravel(), means.ravel(), n) / np.maximum(np.bincount(sets.ravel(), minlength=n), 1)
    return int(borda.argmax()) == world.best
