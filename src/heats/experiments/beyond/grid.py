"""The paper's synthetic grid, with the planned strategy as one more algorithm."""

from __future__ import annotations

from heats.experiments.synthetic.grid import Cell, list_cells

SETTINGS = ("reward", "reward-decoy", "preference", "preference-decoy")
PRINTED = ("csws-paper", "csr-paper", "csh-paper")
EXACT = ("csws-exact", "csr-exact", "csh-exact")
ALGORITHMS = (*PRINTED, *EXACT, "round-robin", "planned")


def list_setting(setting: str) -> list[Cell]:
    """Return the cells of a setting: 50 problems, eight algorithms."""
    return list_cells(setting, algorithms=ALGORITHMS)


def list_all() -> list[Cell]:
    """Return the cells of all settings."""
    return [cell for setting in SETTINGS for cell in list_setting(setting)]
