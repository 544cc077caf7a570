"""Every sentence of the paper that claims something about the synthetic experiments, and by what it is judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from heats.experiments.shared.verdicts import Finding
from heats.experiments.synthetic import checks
from heats.experiments.synthetic.checks import View
from heats.experiments.synthetic.grid import SETTINGS, Cell, list_cells

BOTH_SPREADS = tuple(SETTINGS)[:4]  # settings that are judged under both readings of the spread


class Claim(NamedTuple):
    """A sentence, where it stands, by what it is judged, and how."""

    sentence: str
    where: str
    criterion: str
    check: Callable[[View], Finding]


CLAIMS = (
    Claim(
        "In particular for the challenging scenario, where B and k are small and n is large, CSH and CSR perform well.",
        "App. G, rewards",
        "n = 100, k ≤ 4, B ≤ 100: CSH and CSR each ahead of CSWS and of RoundRobin",
        checks.check_hard_corner,
    ),
    Claim(
        "Especially CSH has overall a solid performance.",
        "App. G, rewards",
        "all 50 cells together: CSH ahead of the others",
        checks.check_solid,
    ),
    Claim(
        "Borda and Condorcet winner naturally coincide in most of the runs.",
        "App. G, rewards",
        "n = 50, k = 2, 6, 10: they coincide in more than half of 20 worlds",
        checks.check_coincide,
    ),
    Claim(
        "The arm set apart is likely the Borda winner and different from the Condorcet winner.",
        "App. G, rewards, set apart",
        "n = 50, k = 2, 6, 10: they coincide in less than half of 20 worlds",
        checks.check_apart,
    ),
    Claim(
        "In this way, it is the Borda winner and different from the Condorcet winner.",
        "App. G, preferences, set apart",
        "the same, Borda scores by wins",
        checks.check_apart_by_wins,
    ),
    Claim(
        "Except where k is large compared to n, RoundRobin is always outperformed by the elimination algorithms.",
        "App. G, rewards, set apart",
        "k ≤ 6: no rule behind RoundRobin in any cell",
        checks.check_decoy_fools_round_robin,
    ),
    Claim(
        "Our methods outperform RoundRobin in all scenarios.",
        "App. G, preferences, set apart",
        "no rule behind RoundRobin in any cell",
        checks.check_always_ahead,
    ),
    Claim(
        "The success rates are similar to those in the reward setting.",
        "App. G, preferences",
        "correlation over the cells above 0.8, means within 0.05 (else it depends)",
        checks.check_similar,
    ),
    Claim(
        "With a small budget, many arms and small sets the elimination algorithms outperform RoundRobin.",
        "App. G, preferences",
        "n = 100, k ≤ 4, B ≤ 100: each rule ahead of RoundRobin",
        checks.check_small_budgets,
    ),
    Claim(
        "Success rates decrease with a larger number of arms.",
        "App. G, preferences",
        "n = 100 ahead of n = 50 in no cell",
        checks.check_more_arms,
    ),
    Claim(
        "RoundRobin requires the highest sufficient budget if k is well below n.",
        "App. F",
        "n = 50: R·P₁ below C(n, k)",
        checks.check_round_robin_costs,
    ),
    Claim(
        "In contrast to CSWS and CSH, CSR's sufficient budget is higher for bigger k.",
        "App. F",
        "n = 1000, k = 2, 4, 8, 16: for R (as plotted there) and for R·P₁",
        checks.check_grows_with_k,
    ),
    Claim(
        "For k = 2 the number of rounds is the same for all three.",
        "App. F",
        "R equal for every n up to 1000",
        checks.check_same_at_two,
    ),
)


def list_claim_cells() -> list[Cell]:
    """Return every cell that a claim is judged by."""
    cells = [cell for setting in SETTINGS for cell in list_cells(setting)]
    return cells + [cell for setting in BOTH_SPREADS for cell in list_cells(setting, "variance")]
