"""A planned race beside AC-Band, in the same spaces with the same number of heats.

``python -m tests.theory.beside_ac_band 10000`` prints how often the winner is among the best 5 %, for the table in
docs/theory.md. AC-Band is played epoch by epoch as ``heats.theory.ac_band_epochs`` has it; what its rounding leaves over
of the budget is not spent, as in the authors' program.
"""

from __future__ import annotations

import sys

import numpy as np

import heats
from heats.base.arrays import Array
from heats.theory import ac_band_epochs, candidates_needed
from tests.theory.places import SPACES, Places, Slope

SHARE, DELTA, HEAT_SIZE = 0.05, 0.05, 4


def race(slope: Slope, budget: int, reps: int) -> Array:
    """Return the places of the winners of planned races among all that was drawn at once."""
    places = np.random.default_rng(1).random((reps, candidates_needed(SHARE, DELTA)))
    plan = heats.plan(places.shape[1], HEAT_SIZE, budget, feedback="winner")
    return _find_winners(plan, places, slope)


def race_in_epochs(slope: Slope, budget: int, reps: int) -> Array:
    """Return the places of the winners of AC-Band, which draws in every epoch, and lets the survivor race again."""
    draw = np.random.default_rng(2)
    survivors = draw.random((reps, 1))
    for epoch in ac_band_epochs(SHARE, DELTA, HEAT_SIZE):
        places = np.hstack([survivors, draw.random((reps, epoch.arms - 1))])
        size = min(epoch.heat_size, epoch.arms)
        pulls = max(1, int(epoch.share * budget))
        plan = heats.plan(epoch.arms, size, pulls, epoch.keep, record="off", blind=True)
        survivors = _find_winners(plan, places, slope)[:, None]
    return survivors[:, 0]


def _find_winners(plan: heats.Plan, places: Array, slope: Slope) -> Array:
    winners = heats.simulate(plan, Places(places, slope), reps=len(places), seed=3).winners
    found: Array = np.take_along_axis(places, np.asarray(winners)[:, None], axis=1)[:, 0]
    return found


def main(reps: int) -> None:
    """Print a row per kind of space and budget."""
    print(f"{'space':<18}{'heats':>7}{'planned':>9}{'AC-Band':>9}")
    for name, slope in SPACES.items():
        for budget in (150, 300, 1000, 5000):
            shares = [np.mean(play(slope, budget, reps) <= SHARE) for play in (race, race_in_epochs)]
            print(f"{name:<18}{budget:>7}" + "".join(f"{share:>9.1%}" for share in shares), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
