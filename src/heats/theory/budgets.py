"""How much budget is enough (Theorem 2, Corollaries, Table 1, Appendix C) and how much is never enough (Theorem 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from heats.base.checks import between, probability, whole
from heats.engine.report import Report
from heats.errors import InvalidArgument
from heats.planning.plan import check_problem
from heats.planning.rules import RULES, Rule, find_rule
from heats.planning.schedule import printed_heats, printed_rounds
from heats.theory.limits import Heat, Limits, condorcet_winner, survey
from heats.theory.rates import Average, Categorical, Rate, Rates, Slowest, SubGaussian, rate_of, slowest_of


def heats_of_best(report: Report, best: int) -> list[Heat]:
    """Return the heats 𝔸_r(i*) a run put ``best`` in, round by round; () where it rested. It ends where it left."""
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
    best = _best(limits)
    return rounds * max(
        each * slowest_of(rates, heat).pulls_until(_half_gap(limits, best, heat, keep))
        for each, heat in _played(heats, path)
    )


def coarser_budget(
    path: Sequence[Heat], keep: Rule, rounds: int, heats: Sequence[int], limits: Limits, rates: Rates
) -> int:
    """Return z1 of the remark after Theorem 2: as z, with γ̄ of all heats instead of that of the heat played."""
    best, slowest = _best(limits), overall_rate(limits, rates)
    return rounds * max(
        each * slowest.pulls_until(_half_gap(limits, best, heat, keep)) for each, heat in _played(heats, path)
    )


def coarsest_budget(keep: Rule, rounds: int, heats: Sequence[int], limits: Limits, rates: Rates) -> int:
    """Return z2 of the remark after Theorem 2: the worst over all heats with i*, whatever is dealt."""
    best, slowest = _best(limits), overall_rate(limits, rates)
    gap = min(_half_gap(limits, best, heat, keep) for heat in limits.heats(containing=best))
    return rounds * max(heats) * slowest.pulls_until(gap)


def printed_budget(strategy: str, limits: Limits, rates: Rates, *, printed_place: bool = False) -> int:
    """Return z_CSWS, z_CSR or z_CSH of Table 1: R·⌈n/k⌉ times the worst number of pulls over all heats with i*.

    As for z, a tie may go either way; and for CSH with odd heats R may be too small, so that nothing is proven there.
    Table 1 takes the (⌊|Q|/2⌋+1)-th best arm for CSH, the theorem gives the (⌈|Q|/2⌉+1)-th: they differ for odd
    heats. ``printed_place=True`` follows the table.
    """
    keep = _known_rule(strategy)
    if strategy == "csh" and printed_place:
        keep = lambda size: size // 2  # noqa: E731  # the table's π(Q)
    n, k = limits.n_arms, limits.heat_size
    return coarsest_budget(keep, printed_rounds(strategy, n, k), [-(-n // k)], limits, rates)


def round_robin_budget(limits: Limits, rates: Rates) -> int:
    """Return z_RR of Appendix C: C(n, k)·max over ρ of the pulls until the worse of γ̂ is at most half the Borda gap.

    Enough unless there is a tie, which may go either way: then C(n, k) pulls more are.
    """
    found = survey(limits)
    if len(found.borda) != 1:
        raise InvalidArgument(f"arms {sorted(found.borda)} share the best Borda score, so no budget tells them apart.")
    [best] = found.borda

    def score(arm: int) -> float:
        return found.borda_scores[arm] or 0.0  # all arms were seen

    averages = [
        Average(rate_of(rates, arm, heat) for heat in limits.heats_of(limits.heat_size, containing=arm))
        for arm in range(limits.n_arms)
    ]
    pulls = max(
        Slowest([averages[best], averages[arm]]).pulls_until((score(best) - score(arm)) / 2)
        for arm in range(limits.n_arms)
        if arm != best
    )
    return math.comb(limits.n_arms, limits.heat_size) * pulls


def least_pulls(limits: Limits, rates: Rates) -> int:
    """Return B' = min over heats Q and arms i of γ_{i|Q}⁻¹((S_(1)|Q − S_(|Q|)|Q)/2), which Theorem 1 is built on."""
    limits.check_countable()
    return min(
        rate_of(rates, arm, heat).pulls_until(_half_spread(limits, heat)) for heat in limits.heats() for arm in heat
    )


def condorcet_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return ⌈n/k⌉·B' of Theorem 1 (i): no algorithm finds the Condorcet winner of every instance with less."""
    return -(-limits.n_arms // limits.heat_size) * least_pulls(limits, rates)


def borda_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k)·B' of Theorem 1 (ii), rounded up; the limits must be homogeneous."""
    limits.check_countable()
    shapes = {limits.ranked(heat) for heat in limits.heats_of(limits.heat_size)}
    if len(shapes) > 1:
        raise InvalidArgument(
            f"Theorem 1 (ii) needs limits that are the same in every heat of {limits.heat_size} up to who has which, "
            f"but there are {len(shapes)} different ones; use copeland_lower_bound, which does not."
        )
    return math.ceil(sets_needed(limits.n_arms, limits.heat_size) * least_pulls(limits, rates))


def copeland_lower_bound(limits: Limits, rates: Rates) -> int:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k)·B' of Theorem 1 (iii), rounded up."""
    return math.ceil(sets_needed(limits.n_arms, limits.heat_size) * least_pulls(limits, rates))


def sets_needed(n_arms: int, heat_size: int) -> Fraction:
    """Return (1 − 1/n)·k/(k+n−2)·C(n, k), the number of sets that must be looked at for a Borda or Copeland winner."""
    n, k, _ = check_problem(n_arms, heat_size, 1)
    return (1 - Fraction(1, n)) * Fraction(k, k + n - 2) * math.comb(n, k)


def pulls_for_rewards(
    delta: float, gap: float, heat_size: int, rounds: int, sigma: float, *, closed_form: bool = False
) -> int:
    """Return C(δ, ε, k, R, σ) of Corollary 5.1: pulls per heat for means of σ-sub-Gaussian rewards, or of r(X).

    The corollary asks for gaps *at most* ε; its proof needs all decisive gaps to be at least ε, which is meant.
    """
    rate = reward_rate(delta, heat_size, rounds, sigma)
    half = check_gap(gap) / 2
    return rate.closed_form(half) if closed_form else rate.pulls_until(half)


def pulls_for_winners(delta: float, gap: float, rounds: int, *, closed_form: bool = False) -> int:
    """Return C(δ, ε, k, R) of Corollary 5.2: pulls per heat for winner feedback."""
    rate = winner_rate(delta, rounds)
    half = check_gap(gap, most=1) / 2
    return rate.closed_form(half) if closed_form else rate.pulls_until(half)


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
    _known_rule(strategy)
    rounds = printed_rounds(strategy, n, k)
    exact = sum(islice(printed_heats(strategy, n, k), rounds))
    series = {
        "csws": Fraction(n, k - 1) * (1 - Fraction(1, k**rounds)),
        "csr": n * (1 - Fraction(k - 1, k) ** rounds),
        "csh": Fraction(2 * n, k) * (1 - Fraction(1, 2**rounds)),
    }
    return exact, rounds + series[strategy]


def overall_rate(limits: Limits, rates: Rates) -> Rate:
    """Return γ̄, the worst rate of all arms in all heats."""
    if isinstance(rates, Rate):
        return rates
    limits.check_countable()
    return Slowest(rates(arm, heat) for heat in limits.heats() for arm in heat)


def check_gap(gap: float, most: float = 1e50) -> float:
    """Return ε if it is a gap that can be resolved; shares of wins differ by 1 at most."""
    return between("gap", gap, 1e-50, most, why="shares of wins differ by 1 at most" if most == 1 else "")


def _played(heats: Sequence[int], path: Sequence[Heat]) -> list[tuple[int, Heat]]:
    """Return P_r and 𝔸_r(i*) of the rounds i* played; R must cover them all."""
    if len(path) > len(heats):
        raise InvalidArgument(
            f"the run has {len(path)} rounds, but only {len(heats)} numbers of heats were given; for CSH with odd "
            "heats the printed R is too small, and its budget is not proven."
        )
    played = [(each, heat) for each, heat in zip(heats, path, strict=False) if heat]
    if not played:
        raise InvalidArgument("the best arm never played, so there is nothing to judge; give its heats.")
    return played


def _best(limits: Limits) -> int:
    best = condorcet_winner(limits)
    if best is None:
        raise InvalidArgument(
            "these limits have no generalized Condorcet winner (A2 fails), so there is no best arm to guarantee; "
            "offending_heat(limits, arm) shows a heat that speaks against an arm."
        )
    return best


def _half_gap(limits: Limits, best: int, heat: Heat, keep: Rule) -> float:
    """Return Δ_{(f(|Q|)+1)|Q}/2: half the lead of i* over the first arm that leaves."""
    return limits.decisive_gap(best, heat, keep(len(heat)) + 1) / 2


def _half_spread(limits: Limits, heat: Heat) -> float:
    ranked = limits.ranked(heat)
    if ranked[0] == ranked[1]:
        raise InvalidArgument(
            f"in heat {heat} two arms share the largest limit; Theorem 1 needs S_(1) > S_(2) everywhere."
        )
    return (ranked[0] - ranked[-1]) / 2


def _known_rule(strategy: str) -> Rule:
    if strategy not in RULES:
        raise InvalidArgument(f"strategy={strategy!r} has no formulas in the paper; choose one of {', '.join(RULES)}.")
    return find_rule(strategy)[1]
