"""The paper's theory as functions; pure, and never imported by the engine.

arguments   what is handed over: arms, heats, functions of a user → checked values
limits      tables of S_{i|Q}, and who is best by them
rates       γ and its inverse: how far off a score may be, and the pulls until it is close
budgets     what is enough, and what is never enough
instances   the worst cases: who is best shows as late as possible
search      rounds + pulls every heat needs → the smallest budget
guarantees  what any plan promises
sampling    how many candidates to draw to have a good one; the epochs of AC-Band
tables      Tables 1-4 with numbers

The paper's letters are at home here; ``docs/theory.md`` goes through them one by one.
"""

from heats.theory.budgets import (
    borda_lower_bound,
    coarser_budget,
    coarsest_budget,
    condorcet_lower_bound,
    copeland_lower_bound,
    heats_of_best,
    least_pulls,
    overall_rate,
    printed_budget,
    pulls_for_rewards,
    pulls_for_winners,
    query_sets,
    reward_rate,
    round_robin_budget,
    sets_needed,
    sufficient_budget,
    winner_rate,
)
from heats.theory.guarantees import Guarantee, guarantee, plan_for_gap, pulls_needed, smallest_budget
from heats.theory.instances import (
    Delayed,
    Instance,
    Squeezed,
    SqueezedBorda,
    borda_instances,
    condorcet_instances,
    heats_to_hide,
    why_outside,
)
from heats.theory.limits import (
    Limits,
    Survey,
    borda_winners,
    condorcet_winner,
    copeland_winners,
    offending_heat,
    survey,
)
from heats.theory.rates import Average, Categorical, Rate, Slowest, SubGaussian, UserRate, slowest_of
from heats.theory.sampling import Epoch, ac_band_budget, ac_band_epochs, candidates_needed, sampling_error

__all__ = [
    "Average",
    "Categorical",
    "Delayed",
    "Epoch",
    "Guarantee",
    "Instance",
    "Limits",
    "Rate",
    "Slowest",
    "Squeezed",
    "SqueezedBorda",
    "SubGaussian",
    "Survey",
    "UserRate",
    "ac_band_budget",
    "ac_band_epochs",
    "borda_instances",
    "borda_lower_bound",
    "borda_winners",
    "candidates_needed",
    "coarser_budget",
    "coarsest_budget",
    "condorcet_instances",
    "condorcet_lower_bound",
    "condorcet_winner",
    "copeland_lower_bound",
    "copeland_winners",
    "guarantee",
    "heats_of_best",
    "heats_to_hide",
    "least_pulls",
    "offending_heat",
    "overall_rate",
    "plan_for_gap",
    "printed_budget",
    "pulls_for_rewards",
    "pulls_for_winners",
    "pulls_needed",
    "query_sets",
    "reward_rate",
    "round_robin_budget",
    "sampling_error",
    "sets_needed",
    "slowest_of",
    "smallest_budget",
    "sufficient_budget",
    "survey",
    "why_outside",
    "winner_rate",
]
