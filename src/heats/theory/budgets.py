"""How much budget is enough (Theorem 2, Corollaries, Table 1, Appendix C) and how much is never enough (Theorem 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from heats.base.checks import between, probability, refuse, true_or_false, whole
from heats.engine.report import Report
from heats.engine.tournament import Tournament
from heats.errors import InvalidArgument
from heats.planning.plan import check_problem
from heats.planning.rules import RULES, Rule
from heats.planning.schedule import printed_heats, printed_rounds
from heats.theory.arguments import Heat, check_arm, check_keep, check_path, check_widths
from heats.theory.limits import Limits, check_limits, condorcet_winner, survey
from heats.theory.rates import (
    Average,
    Categorical,
    Rate,
    Rates,
    Slowest,
    SubGaussian,
    check_rates,
    rate_of,
    slowest_of,
)

MOST_PRINTED_ROUNDS = 250_000  # of a schedule as printed: about a second
MOST_SET_DIGITS = 1000  # of the number of sets C(n, k)


def heats_of_best(report: Report | Tournament, best: int) -> list[Heat]:
    """Return the heats 𝔸_r(i*) a run put ``best`` in, round by round; () where it rested. It ends where it left.

    ``report`` is that of a tournament, or the tournament itself.
    """
    if not isinstance(report, Report | Tournament):
        raise refuse("report", report, "must be the report of a tournament")
    check_arm("best", best, report.n_arms)
    path: list[Heat] = []
    for each in report.rounds:
        mine = [heat for heat in each.heats if best in heat]
        path.append(tuple(sorted(mine[0])) if mine else ())
        if mine and best not in mine[0][: each.keep]:
            break
    return path


def sufficient_budget(
    path: Sequence[Heat], keep: Rule, rounds: int, heats: Sequence[int], limits: Limits, rates: Rates
) -> int:
    """Return z(f, R, P_r) of Theorem 2 along the heats i* is dealt into.

    A budget above it is enough, unless some 2·γ̄(b_r) ties with the decisive gap, which may go either way: then only
    ``guarantee`` or a pull more per heat is safe. ``path[r]`` is 𝔸_r(i*), () where it rests; ``rounds`` is R and
    ``heats[r]`` is P_r.
    """
    turns = _list_turns(path, keep, heats, limits)
    check_rates(rates)
    return whole("rounds", rounds, 1) * max(
        each * slowest_of(rates, heat).pulls_until(half_gap) for each, heat, half_gap in turns
    )


def coarser_budget(
    path: Sequence[Heat], keep: Rule, rounds: int, heats: Sequence[int], limits: Limits, rates: Rates
) -> int:
    """Return z1 of the remark after Theorem 2: as z, with γ̄ of all heats instead of that of the heat played."""
    turns, slowest = _list_turns(path, keep, heats, limits), overall_rate(limits, rates)
    return whole("rounds", rounds, 1) * max(each * slowest.pulls_until(half_gap) for each, _, half_gap in turns)


def coarsest_budget(keep: Rule, rounds: int, heats: Sequence[int], limits: Limits, rates: Rates) -> int:
    """Return z2 of the remark after Theorem 2: the worst over all heats with i*, whatever is dealt."""
    rule, widths = check_keep(keep), check_widths(heats)
    best, slowest = _find_best(limits), overall_rate(limits, rates)
    gap = min(_half_gap(limits, best, heat, rule) for heat in limits.heats(containing=best))
    return whole("rounds", rounds, 1) * max(widths) * slowest.pulls_until(gap)


def printed_budget(strategy: str, limits: Limits, rates: Rates, *, printed_place: bool = False) -> int:
    """Return z_CSWS, z_CSR or z_CSH of Table 1: R·⌈n/k⌉ times the worst number of pulls over all heats with i*.

    As for z, a tie may go either way; and for CSH with odd heats R may be too small, so that nothing is proven there.
    Table 1 takes the (⌊|Q|/2⌋+1)-th best arm for CSH, the theorem gives the (⌈|Q|/2⌉+1)-th: they differ for odd
    heats. ``printed_place=True`` follows the table.
    """
    keep = RULES[check_printed(strategy)]
    if true_or_false("printed_place", printed_place) and strategy == "csh":
        keep = lambda size: size // 2  # noqa: E731  # the table's π(Q)
    n, k = check_limits(limits).n_arms, limits.heat_size
    limits.check_countable()
    return coarsest_budget(keep, count_rounds(strategy, n, k), [-(-n // k)], limits, rates)


def round_robin_budget(limits: Limits, rates: Rates) -> int:
    """Return z_RR of Appendix C: C(n, k)·max over ρ of the pulls until the worse of γ̂ is at most half the Borda gap.

    Enough unless there is a tie, which may go either way: then C(n, k) pulls more are.
    """
    check_rates(rates)
    found = survey(limits)
    if len(found.borda) != 1:
        raise InvalidArgument(f"arms {sorted(found.borda)} share the best Borda score, so no budget tells them apart.")
    [best] = found.borda

    def score(arm: int) -> float:
        return found.borda_scores[arm] or 0.0  # all arms were seen

    averages = [_average_rate(limits, rates, arm) for arm in range(limits.n_arms)]
    pulls = max(
        Slowest([averages[best], averages[arm]]).pulls_until((score(best) - score(arm)) / 2)
        for arm in range(limits.n_arms)
        if arm != best
    )
    return math.comb(limits.n_arms, limits.heat_size) * pulls


def least_pulls(limits: Limits, rates: Rates) -> int:
    """Return B' = min over heats Q and arms i of γ_{i|Q}⁻¹((S_(1)|Q − S_(|Q|)|Q)/2), which Theorem 1 is built on."""
    check_limits(limits).check_countable()
    check_rates(rates)
    if isinstance(rates, Rate):
        return rates.pulls_until(max(_half_spread(limits, heat) for heat in limits.heats()))
    least: int | None = None
    for heat in limits.heats():
        half_spread = _half_spread(limits, heat)
        for arm in heat:
            rate = rate_of(rates, arm, heat)
            if least is None or (least > 1 and rate.rate(least - 1) <= half_spread):
                least = rate.pulls_until(half_spread)
    return least or 1


def condorcet_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return ⌈n/k⌉·B' of Theorem 1 (i): no algorithm finds the Condorcet winner of every instance with less."""
    least = least_pulls(limits, rates)
    return -(-limits.n_arms // limits.heat_size) * least


def borda_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k)·B' of Theorem 1 (ii), rounded up; the limits must be homogeneous."""
    check_limits(limits).check_countable()
    shapes = {limits.rank(heat) for heat in limits.heats_of(limits.heat_size)}
    if len(shapes) > 1:
        raise InvalidArgument(
            f"Theorem 1 (ii) needs limits that are the same in every heat of {limits.heat_size} up to who has which, "
            f"but there are {len(shapes)} different ones; use copeland_lower_bound, which does not.",
            limits=limits,
        )
    return copeland_lower_bound(limits, rates)


def copeland_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k)·B' of Theorem 1 (iii), rounded up."""
    least = least_pulls(limits, rates)
    return math.ceil(sets_needed(limits.n_arms, limits.heat_size) * least)


def sets_needed(n_arms: int, heat_size: int) -> Fraction:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k), the number of sets that must be looked at for a Borda or Copeland winner."""
    n, k, _ = check_problem(n_arms, heat_size, 1)
    return (1 - Fraction(1, n)) * Fraction(k, k + n - 2) * count_sets(n, k)


def count_sets(n: int, k: int) -> int:
    """Return C(n, k), or refuse a number so long that it says nothing any more."""
    digits = (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(10)
    sets = math.comb(n, k) if digits < MOST_SET_DIGITS + 1 else 0
    if not 0 < sets <= 10**MOST_SET_DIGITS:
        raise InvalidArgument(
            f"{{n_arms}} and {{heat_size}} make C({n}, {k}) sets, a number of more than a thousand digits; take fewer "
            "arms.",
            n_arms=n,
            heat_size=k,
        )
    return sets


def pulls_for_rewards(
    delta: float, gap: float, heat_size: int, rounds: int, sigma: float, *, closed_form: bool = False
) -> int:
    """Return C(δ, ε, k, R, σ) of Corollary 5.1: pulls per heat for means of σ-sub-Gaussian rewards, or of r(X).

    The corollary asks for gaps *at most* ε; its proof needs all decisive gaps to be at least ε, which is meant.
    """
    rate = reward_rate(delta, heat_size, rounds, sigma)
    half = check_gap(gap) / 2
    return rate.closed_form(half) if true_or_false("closed_form", closed_form) else rate.pulls_until(half)


def pulls_for_winners(delta: float, gap: float, rounds: int, *, closed_form: bool = False) -> int:
    """Return C(δ, ε, k, R) of Corollary 5.2: pulls per heat for winner feedback."""
    rate = winner_rate(delta, rounds)
    half = check_gap(gap, most=1) / 2
    return rate.closed_form(half) if true_or_false("closed_form", closed_form) else rate.pulls_until(half)


def reward_rate(delta: float, heat_size: int, rounds: int, sigma: float, *, tight: bool = False) -> SubGaussian:
    """Return the rate that holds for all arms of the heats of i* in all rounds with probability 1 − δ: c_{δ/(kR)}."""
    k, r = whole("heat_size", heat_size, 2), whole("rounds", rounds, 1)
    return SubGaussian(sigma, probability("delta", delta), among=k * r, tight=tight)


def winner_rate(delta: float, rounds: int, *, tight: bool = False) -> Categorical:
    """Return the rate that holds for the heats of i* in all rounds with probability 1 − δ: c_{δ/R}."""
    return Categorical(probability("delta", delta), among=whole("rounds", rounds, 1), tight=tight)


def query_sets(strategy: str, n_arms: int, heat_size: int) -> tuple[int, Fraction]:
    """Return Σ P_r, the most sets a strategy looks at, and Table 2's bound on it, R + a geometric sum."""
    n, k, _ = check_problem(n_arms, heat_size, 1)
    rounds = count_rounds(check_printed(strategy), n, k)
    exact = sum(islice(printed_heats(strategy, n, k), rounds))
    if strategy == "csws":
        return exact, rounds + Fraction(n, k - 1) * (1 - Fraction(1, k**rounds))
    if strategy == "csr":
        return exact, rounds + n * (1 - Fraction(k - 1, k) ** rounds)
    return exact, rounds + Fraction(2 * n, k) * (1 - Fraction(1, 2**rounds))


def overall_rate(limits: Limits, rates: Rates) -> Rate:
    """Return γ̄, the worst rate of all arms in all heats."""
    check_limits(limits)
    check_rates(rates)
    if isinstance(rates, Rate):
        return rates
    limits.check_countable()
    return Slowest(rate_of(rates, arm, heat) for heat in limits.heats() for arm in heat)


def check_gap(gap: float, most: float = 1e50) -> float:
    """Return ε if it is a gap that can be resolved; shares of wins differ by 1 at most."""
    return between("gap", gap, 1e-50, most, why="shares of wins differ by 1 at most" if most == 1 else "")


def check_printed(strategy: object) -> str:
    """Return the name of a strategy the paper has formulas for."""
    if not isinstance(strategy, str) or strategy not in RULES:
        raise refuse("strategy", strategy, f"has no formulas in the paper; choose one of {', '.join(RULES)}")
    return strategy


@lru_cache(maxsize=64)
def count_rounds(strategy: str, n: int, k: int) -> int:
    """Return R, the bound on the number of rounds as printed, or refuse what takes too long to count."""
    if strategy == "csr" and k * (math.log(n) + 1) > MOST_PRINTED_ROUNDS:
        raise InvalidArgument(
            f"{{heat_size}} takes more than {MOST_PRINTED_ROUNDS} rounds when every heat drops a single one, as csr "
            "does by the printed formulas; take smaller heats.",
            heat_size=k,
        )
    return printed_rounds(strategy, n, k)


def _list_turns(
    path: Sequence[Heat], keep: Rule, heats: Sequence[int], limits: Limits
) -> list[tuple[int, Heat, float]]:
    """Return P_r, 𝔸_r(i*) and half the decisive gap of the rounds i* played; R must cover them all."""
    rule, widths = check_keep(keep), check_widths(heats)
    turns = check_path(path, check_limits(limits).n_arms)
    if len(turns) > len(widths):
        raise InvalidArgument(
            f"the run has {len(turns)} rounds, but only {len(widths)} numbers of heats were given; for CSH with odd "
            "heats the printed R is too small, and its budget is not proven."
        )
    if not any(turns):
        raise InvalidArgument("the best arm never played, so there is nothing to judge; give its heats.", path=path)
    best = _find_best(limits)
    return [
        (each, heat, _half_gap(limits, best, heat, rule)) for each, heat in zip(widths, turns, strict=False) if heat
    ]


def _find_best(limits: Limits) -> int:
    best = condorcet_winner(limits)
    if best is None:
        raise InvalidArgument(
            "these limits have no generalized Condorcet winner (A2 fails), so there is no best arm to guarantee; "
            "offending_heat(limits, arm) shows a heat that speaks against an arm.",
            limits=limits,
        )
    return best


def _average_rate(limits: Limits, rates: Rates, arm: int) -> Rate:
    """Return γ̂_i."""
    if isinstance(rates, Rate):
        return rates
    return Average(rate_of(rates, arm, heat) for heat in limits.heats_of(limits.heat_size, containing=arm))


def _half_gap(limits: Limits, best: int, heat: Heat, keep: Rule) -> float:
    """Return Δ_{(f(|Q|)+1)|Q}/2: half the lead of i* over the first arm that leaves."""
    return limits.decisive_gap(best, heat, keep(len(heat)) + 1) / 2


def _half_spread(limits: Limits, heat: Heat) -> float:
    """Return (S_(1)|Q − S_(|Q|)|Q)/2."""
    ranked = limits.rank(heat)
    if ranked[0] == ranked[1]:
        raise InvalidArgument(
            f"in heat {heat} two arms share the largest limit; Theorem 1 needs S_(1) > S_(2) everywhere.", limits=limits
        )
    return (ranked[0] - ranked[-1]) / 2
