"""The paper's Tables 1-4 filled in with numbers, and the budgets a user asks for, strategy by strategy."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import msgspec

from heats.base.checks import one_of
from heats.planning.plan import Plan, check_problem
from heats.planning.rules import RULES
from heats.planning.schedule import list_rounds, printed_heats
from heats.theory.budgets import check_gap, count_rounds, count_sets, query_sets, reward_rate, winner_rate
from heats.theory.guarantees import check_plan, smallest_budget
from heats.theory.rates import Categorical, SubGaussian

Setting: TypeAlias = Literal["winner", "reward"]

SETTINGS = ("winner", "reward")


def rate_for(
    feedback: Setting, delta: float, heat_size: int, rounds: int, sigma: float = 0.5, *, tight: bool = False
) -> Categorical | SubGaussian:
    """Return the rate that holds with probability 1 − δ in all heats of i*, of that many rounds.

    ``sigma`` is for rewards: ½ is right for all that lie within an interval of length 1.
    """
    if one_of("feedback", feedback, SETTINGS) == "winner":
        return winner_rate(delta, rounds, tight=tight)
    return reward_rate(delta, heat_size, rounds, sigma, tight=tight)


def rate_of_plan(
    plan: Plan, feedback: Setting, delta: float, sigma: float = 0.5, *, tight: bool = False
) -> Categorical | SubGaussian:
    """Return the rate to judge a plan by, with the confidence shared among its own rounds."""
    return rate_for(feedback, delta, check_plan(plan).heat_size, len(plan.rounds), sigma, tight=tight)


class Bound(msgspec.Struct, frozen=True):
    """What it takes a strategy to resolve a gap with confidence, in pulls."""

    strategy: str
    formula: int  # C·R·⌈n/k⌉ + 1 with the closed form of C: what the corollaries ask for
    printed: int  # the same with the exact C, the smallest number of pulls per heat
    exact: int  # smallest budget of the exact plan, same kind of rate
    tight: int  # the same without the slack in the paper's constants
    worst_case: int  # Theorem 1 (i) for scores that settle no faster than the tight rate: adversarial, not random ones
    proven: bool  # False where the printed R is too small, so that the first two promise nothing (CSH, odd heats)


def bounds(n_arms: int, heat_size: int, gap: float, delta: float, feedback: Setting, sigma: float = 0.5) -> list[Bound]:
    """Return the budgets for all strategies, if every decisive gap is at least ``gap``."""
    n, k, _ = check_problem(n_arms, heat_size, 1)
    half = check_gap(gap, 1 if one_of("feedback", feedback, SETTINGS) == "winner" else 1e50) / 2
    rate_for("reward", delta, k, 1, sigma)  # refuses a sigma that is none, asked for or not
    rows = []
    for strategy, rule in RULES.items():
        happening = len(list_rounds(n, k, rule))
        rounds, heats = count_rounds(strategy, n, k), -(-n // k)
        printed = rate_for(feedback, delta, k, rounds, sigma)
        rows.append(
            Bound(
                strategy=strategy,
                formula=printed.closed_form(half) * rounds * heats + 1,
                printed=printed.pulls_until(half) * rounds * heats + 1,
                exact=smallest_budget(n, k, strategy, gap, rate_for(feedback, delta, k, happening, sigma)),
                tight=smallest_budget(n, k, strategy, gap, rate_for(feedback, delta, k, happening, sigma, tight=True)),
                worst_case=heats * rate_for(feedback, delta, k, 1, sigma, tight=True).pulls_until(half),
                proven=happening <= rounds,
            )
        )
    return rows


class Row(msgspec.Struct, frozen=True):
    """A line of one of the paper's tables."""

    algorithm: str
    values: dict[str, str | int | float]


def paper_tables(
    n_arms: int, heat_size: int, gap: float, delta: float, feedback: Setting, sigma: float = 0.5
) -> dict[str, list[Row]]:
    """Return Tables 1-4 for given n and k; where they need γ and gaps, all gaps are ``gap`` and γ is the setting's.

    RoundRobin's Borda gap is taken to be ``gap`` too, and its δ is shared among all C(n, k) sets.
    """
    n, k, _ = check_problem(n_arms, heat_size, 1)
    half = check_gap(gap, 1) / 2  # Table 4's logarithms need ε ≤ 1
    every = count_sets(n, k)
    rounds = {strategy: count_rounds(strategy, n, k) for strategy in RULES}
    sufficient = {
        strategy: many * -(-n // k) * rate_for(feedback, delta, k, many, sigma).pulls_until(half)
        for strategy, many in rounds.items()
    }
    round_robin = every * rate_for(feedback, delta, k, every, sigma).pulls_until(half)
    return {
        "Table 1: sufficient budget z": [Row(name.upper(), {"budget": z}) for name, z in sufficient.items()],
        "Table 2: rounds, heats and query sets": [
            Row("RoundRobin", {"R": 1, "P_1": every, "f(x)": "x", "query sets": every, "bound on them": every}),
            *(_fill_table_2(name, n, k) for name in RULES),
        ],
        "Table 3: sufficient budget, with RoundRobin": [
            Row("RoundRobin", {"budget": round_robin}),
            *(Row(name.upper(), {"budget": z}) for name, z in sufficient.items()),
        ],
        "Table 4: order of the budget in stochastic settings": [
            _fill_table_4(name, n, k, gap, delta) for name in RULES
        ],
    }


def _fill_table_2(strategy: str, n: int, k: int) -> Row:
    exact, bound = query_sets(strategy, n, k)
    first = next(printed_heats(strategy, n, k))
    values: dict[str, str | int | float] = {
        "R": count_rounds(strategy, n, k),
        "P_1": first,
        "f(x)": {"csws": "1", "csr": "x - 1", "csh": "⌈x/2⌉"}[strategy],
        "query sets": exact,
        "bound on them": round(float(bound), 1),
    }
    return Row(strategy.upper(), values)


def _fill_table_4(strategy: str, n: int, k: int, gap: float, delta: float) -> Row:
    """Return the expressions of Table 4 as printed: orders of magnitude, without their constants."""
    rounds = count_rounds(strategy, n, k)
    size = rounds * -(-n // k) / gap**2
    log_rounds, log_gap, log_delta = math.log(rounds), math.log(gap), math.log(delta)  # quotients may be too large
    log_rewards = math.log(k) + log_rounds - log_delta
    rewards = size * (log_rewards + math.log(log_rewards - log_gap))
    winners = size * (log_rounds - log_delta - 4 * log_gap)
    return Row(strategy.upper(), {"reward": round(rewards), "preference": round(winners)})
