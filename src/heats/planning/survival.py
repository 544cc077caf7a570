"""One heat: how likely the best arm is dropped, by how often the heat is pulled and how many arms it keeps.

Theory of operation
-------------------
A heat of k arms is pulled b times and keeps q. The best arm is dropped if at least q of the other k − 1 end up ahead of
it. Call *luck* what its own pulls happened to show. Given its luck L, the others are ahead of it independently of each
other: the closest of them, its *rival*, with chance r(L), and each of the k − 2 *others* with chance o(L). So

    P(dropped | L) = r·P(X ≥ q − 1) + (1 − r)·P(X ≥ q)     with X ~ Bin(k − 2, o)                            (1)
    P(dropped)     = Σ over L of weight(L) · P(dropped | L)                                                  (2)

a sum over a fixed grid of luck: nothing is sampled, so it is smooth in b and the same on every machine. The grid
resolves chances down to 1e-11; from there log P(dropped) goes on along its last slope in b                  (3)
since failures of means and of counts decay exponentially with the number of pulls.

What luck is depends on what a pull shows (`Show`). With leads d = how far the best arm is ahead per pull:

    REWARDS      the noise of a mean of b rewards, L ~ N(0, 1):    ahead = Φ(−(√b·d + σ·L) / σ′)             (4)
                 where σ is the deviation of the best arm's rewards and σ′ that of the other arm's
    RANKINGS     the same; σ = σ′ = π/√6, the noise of the Gumbel variables that order a Plackett-Luce ranking
    WINS         its wins W ~ Bin(b, 1 / (1 + S)), where its strength is 1 and S the sum of the others';     (5)
                 of the b − W other wins an arm of strength s gets Bin(b − W, s / S); it is ahead with more  (6)
                 than W, and with exactly W if a fair lot says so
    FITTED_WINS  a record fitted to winners ranks by more than counts. The root of a count has the same      (7)
                 noise whatever its mean: 2·√wins is 2·√(b·s / (1 + S)) in noise of 1, so (4) with σ = σ′ = 1
                 and d = 2·(1 − √s) / √(1 + S)

and leads depend on where strengths come from:

    contextual   they are drawn for every set of arms anew, as in the paper: what an arm did elsewhere says nothing.
                 Rewards are the paper's family: means uniform in [0, 1], the best 0.1 ahead, deviations uniform in
                 [0.05, 0.2]. Else log-strengths are uniform over ten times the lead of the best arm.
    consistent   arms have them in any company, and the field gets stronger from round to round: strengths are
                 normal (rewards) or log-normal (Plackett-Luce) at their typical order statistics, of which the best
                 are left. The second best arm is in the best arm's heat with chance (k − 1) / (arms left − 1).

How close the race is can be said by an *edge*: how often the best arm would beat the second best in a single pull.

Approximated, and why: all others of a heat share one chance o (their mean) so that (1) is a binomial tail; the wins of
others are independent binomials in (6) although they add up to b − W; leads are two, three or one typical ones and not
a distribution. Each of these moves a chance by a few hundredths at most; the tests compare with simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaln, binom, ndtr, ndtri, xlog1py, xlogy

from heats.base.arrays import Array

PAPER_EDGE = 0.72  # how often the best beats the second best in the paper's family
PAPER_GAP = 0.1  # of its means
PAPER_DEVIATIONS = (0.05, 0.2)  # of its rewards, lowest and highest
CONSISTENT_DEVIATION = 0.7  # of rewards whose means are standard normal: the two best of a hundred differ by half of it
GUMBEL_DEVIATION = math.pi / math.sqrt(6)
SPREAD_IN_LEADS = 10  # the others' strengths spread over ten leads, as in the paper: means in [0, 1], a lead of 0.1
CLOSENESS = (0.7, 1.0, 1.7)  # heats differ: the lead in close, usual and clear ones, as multiples of the usual

FAR = 9.0  # deviations: luck beyond has a chance of 1e-19
LUCK = np.arange(-20, 21) * FAR / 20  # steps of 0.45, at which sums over a normal variable are exact to 1e-16
LUCK_WEIGHTS = np.exp(-(LUCK**2) / 2) / np.exp(-(LUCK**2) / 2).sum()
MOST_COUNTS = 32  # numbers of wins to sum over; where more are likely, only every so many-th
MIDPOINTS = (np.arange(10) + 0.5) / 10  # of a uniform variable
GRID_ENDS = 1e-11  # below, the grid of luck is too coarse for a chance: it is continued by (3)
LEAST_LOG = -600.0  # of a chance: beyond, certainty is certainty
TINY = 1e-300  # instead of 0, where a logarithm is taken
PULLS_AT_ONCE = 8  # rows of a table that are made at once, until they are below GRID_ENDS


class Show(Enum):
    """What a pull shows of an arm."""

    REWARDS = "rewards"
    WINS = "wins"
    FITTED_WINS = "wins, ranked by a fitted record"
    RANKINGS = "rankings"


class Field(NamedTuple):
    """Whom the best arm may meet where strengths last: the best ``active`` of ``n_arms`` arms are left."""

    active: int
    n_arms: int


class Leads(NamedTuple):
    """How far the best arm is ahead of its rival (first) and of typical others (the rest) in a kind of heat."""

    weight: float  # share of all heats that are of this kind
    rival_present: float  # chance that the rival is in the heat; else another of the others is
    leads: Array


class Opponents(NamedTuple):
    """Chances to be ahead of the best arm, by the number of pulls and its luck."""

    weight: float  # share of all heats that are of this kind
    luck: Array  # (pulls, luck) or the same for all pulls (1, luck), weights that add up to 1
    rival: Array  # (pulls, luck), of the rival, or of one more of the others where it is not in the heat
    other: Array  # (pulls, luck)


def make_pull_grid(most: float) -> Array:
    """Return the numbers of pulls at which tables are made: 0 to 16 one by one, then in steps of a quarter."""
    grid = list(range(17))
    while grid[-1] < most:
        grid.append(math.ceil(1.25 * grid[-1]))
    return np.array(grid, dtype=np.float64)


def log_failure(show: Show, size: int, pulls: Array, field: Field | None, edge: float | None = None) -> Array:
    """Return log P(dropped) from a heat, ``(keep - 1, pulls)``; it falls along both. No field: a contextual world."""
    failure = np.zeros((pulls.size, size - 1))
    heats = list_heats(show, size, field, edge)
    for start in range(0, pulls.size, PULLS_AT_ONCE):
        rows = slice(start, start + PULLS_AT_ONCE)
        for meet_opponents in heats:
            opponents = meet_opponents(pulls[rows])
            failure[rows] += opponents.weight * sum_over_luck(opponents, size)
        if failure[rows][-1, 0] < GRID_ENDS:  # keeping one fails most: (3) replaces everything from here on
            break
    failure[0] = 1 - np.arange(1, size) / size  # no pull: who stays is drawn at random
    logs = np.minimum.accumulate(np.log(np.maximum(failure.T, TINY)), axis=1)
    for row in logs:
        _continue_decay(row, pulls)
    return np.maximum(np.minimum.accumulate(logs, axis=0), LEAST_LOG)


def _continue_decay(row: Array, pulls: Array) -> None:
    """Replace what the grid of luck does not resolve: log P(b) = log P(b₀) + slope·(b − b₀), equation (3)."""
    last = max(2, int((row > math.log(GRID_ENDS)).sum()) - 1)
    slope = min(0.0, (row[last] - row[last - 2]) / (pulls[last] - pulls[last - 2]))
    row[last + 1 :] = row[last] + slope * (pulls[last + 1 :] - pulls[last])


def sum_over_luck(opponents: Opponents, size: int) -> Array:
    """Return P(dropped), ``(pulls, keep - 1)``: equations (1) and (2)."""
    rest = size - 2
    ahead = np.arange(rest + 1)
    other = np.minimum(np.maximum(opponents.other, TINY), 1 - 1e-16)
    # P(X = j) = C(k − 2, j) o^j (1 − o)^(k − 2 − j), along a new last axis; in place, since these arrays are large
    none = np.log1p(-other)
    exactly = (np.log(other) - none)[..., None] * ahead
    exactly += (rest * none)[..., None]
    exactly += np.log(binom(rest, ahead))
    np.exp(exactly, out=exactly)
    weights = np.stack([opponents.luck * opponents.rival, opponents.luck * (1 - opponents.rival)], axis=1)
    summed = weights @ exactly  # (2) first, which makes small arrays of large ones: (pulls, with or without rival, j)
    at_least = np.cumsum(summed[..., ::-1], axis=-1)[..., ::-1]  # P(X ≥ j)
    dropped: Array = at_least[:, 0]  # r·P(X ≥ q − 1), q = 1 … k − 1
    dropped[:, :-1] += at_least[:, 1, 1:]  # (1 − r)·P(X ≥ q)
    return dropped


def list_heats(show: Show, size: int, field: Field | None, edge: float | None) -> list[Callable[[Array], Opponents]]:
    """Return the kinds of heats there are, each as a function of the numbers of pulls.

    The world is consistent in a field or, without one, contextual.
    """
    if show is Show.REWARDS and field is None:
        return _list_paper_heats(size, edge)
    kinds = _redraw_leads(size, edge) if field is None else [_order_leads(size, field, edge)]
    if show is Show.WINS:
        return [partial(count_wins, each, size) for each in kinds]
    if show is Show.FITTED_WINS:
        return [partial(_add_noise, each._replace(leads=_take_roots(each, size)), 1.0) for each in kinds]
    noise = GUMBEL_DEVIATION if show is Show.RANKINGS else CONSISTENT_DEVIATION
    return [partial(_add_noise, each, noise) for each in kinds]


def _list_paper_heats(size: int, edge: float | None) -> list[Callable[[Array], Opponents]]:
    """Return the heats of the paper's family: its means scaled to the edge, its deviations by Gauss and Legendre."""
    scale = 1.0 if edge is None else float(ndtri(edge) / ndtri(PAPER_EDGE))
    low, high = PAPER_DEVIATIONS
    nodes = (low + high) / 2 + (high - low) / 2 * np.array([-math.sqrt(0.6), 0, math.sqrt(0.6)])
    deviations = [(float(node), weight / 18) for node, weight in zip(nodes, (5, 8, 5), strict=True)]
    tops = [quartile ** (1 / (size - 1)) for quartile in (0.25, 0.75)]  # of the largest of k − 1 uniform means
    leads = [scale * (PAPER_GAP + top * np.append(0, MIDPOINTS)) for top in tops]
    return [
        partial(_add_noise, Leads(share / len(tops), 1.0, each), deviation, others=deviations)
        for each, (deviation, share) in product(leads, deviations)
    ]


def _redraw_leads(size: int, edge: float | None) -> list[Leads]:
    """Return leads in log-strengths: d of the rival, d + 10·d·u of others uniform below; d differs between heats."""
    spread = SPREAD_IN_LEADS * 0.5 ** (1 / (size - 1))  # median of the largest of k − 1 uniform variables
    leads = _log_odds(edge) * (1 + spread * np.append(0, MIDPOINTS))
    return [Leads(1 / len(CLOSENESS), 1.0, close * leads) for close in CLOSENESS]


def _order_leads(size: int, field: Field, edge: float | None) -> Leads:
    """Return leads in normal (log-)strengths over the second best and twelve others of the arms that are left."""
    others = np.unique(np.round(np.linspace(min(3, field.active), field.active, 12)))
    places = np.concatenate([[1, 2], others])
    above, below = (places - 0.375) / (field.n_arms + 0.25), (field.n_arms - places + 0.625) / (field.n_arms + 0.25)
    strengths = np.where(above < below, -ndtri(above), ndtri(below))  # Blom's approximation of normal order statistics
    scale = 1.0 if edge is None else _log_odds(edge) / (strengths[0] - strengths[1])
    return Leads(1.0, (size - 1) / (field.active - 1), scale * (strengths[0] - strengths[1:]))


def _take_roots(heat: Leads, size: int) -> Array:
    """Return the leads of equation (7): d = 2·(1 − √s) / √(1 + S)."""
    strengths, total = _sum_strengths(heat, size)
    return 2 * (1 - np.sqrt(strengths)) / math.sqrt(1 + total)


def _add_noise(
    heat: Leads, noise: float, pulls: Array, others: Sequence[tuple[float, float]] | None = None
) -> Opponents:
    """Everybody shows a mean in normal noise: equation (4). ``others`` are deviations σ′ and how often they occur."""
    shown = np.sqrt(pulls)[:, None, None] * heat.leads + noise * LUCK[:, None]  # √b·d + σ·L
    ahead = sum(share * ndtr(-shown / other) for other, share in others or [(noise, 1.0)])  # Φ(−(√b·d + σ·L) / σ′)
    return _gather(heat, LUCK_WEIGHTS[None, :], ahead)


def count_wins(heat: Leads, size: int, pulls: Array) -> Opponents:
    """Everybody's wins are counted: equations (5) and (6)."""
    strengths, total = _sum_strengths(heat, size)
    won, luck = _weigh_counts(pulls, 1 / (1 + total))  # W ~ Bin(b, 1 / (1 + S))
    others_won = pulls[:, None] - won
    share = np.minimum(strengths / total, 1.0)  # s / S
    more = _binomial_tail(won + 1, others_won, share)  # P(Bin(b − W, s / S) > W)
    as_many = _binomial_pmf(won, others_won, share)
    n_lots = max(3, size // 4)  # one lot decides all ties of the best arm; the more may tie, the finer it is
    lots = (np.arange(n_lots) + 0.5) / n_lots
    ahead = np.concatenate([more + lot * as_many for lot in lots], axis=1)
    return _gather(heat, np.tile(luck / n_lots, n_lots), ahead)


def _gather(heat: Leads, luck: Array, ahead: Array) -> Opponents:
    """Return the chances of rival and others out of those over all leads ``(pulls, luck, leads)``."""
    rival, other = ahead[..., 0], ahead[..., 1:].mean(axis=-1)
    present = heat.rival_present
    return Opponents(heat.weight, luck, present * rival + (1 - present) * other, other)


def _sum_strengths(heat: Leads, size: int) -> tuple[Array, float]:
    """Return the strengths s of rival and others where the best arm's is 1, and the sum S of those in a heat."""
    strengths = np.exp(-heat.leads)
    rival, other, present = float(strengths[0]), float(strengths[1:].mean()), heat.rival_present
    return strengths, present * rival + (size - 1 - present) * other


def _weigh_counts(trials: Array, chance: float) -> tuple[Array, Array]:
    """Return counts within nine deviations of the mean, ``(trials, counts)``, and their binomial weights."""
    reach = FAR * np.sqrt(trials * chance * (1 - chance)) + 2  # two more, for laws too narrow to have deviations
    low, high = np.maximum(0, np.floor(trials * chance - reach)), np.minimum(trials, np.ceil(trials * chance + reach))
    places = np.arange(min(MOST_COUNTS, int((high - low).max())) + 1)
    steps = np.maximum((high - low)[:, None] / MOST_COUNTS, 1) * places
    counts = np.minimum(np.round(low[:, None] + steps), trials[:, None])
    repeated = np.diff(counts, axis=1, prepend=-1) == 0  # where there are fewer counts than places
    weights = np.where(repeated, 0, _binomial_pmf(counts, trials[:, None], np.array([chance]))[..., 0])
    return counts, weights / weights.sum(axis=1, keepdims=True)


def _binomial_pmf(count: Array, trials: Array, chance: Array) -> Array:
    """Return P(Bin(trials, chance) = count), chance along a new last axis."""
    rest = np.maximum(trials - count, 0)
    ways = -betaln(count + 1, rest + 1) - np.log(
        trials + 1
    )  # log C(t, c), since C(t, c) = 1 / ((t + 1)·B(c + 1, t − c + 1))
    logs = ways[..., None] + xlogy(count[..., None], chance) + xlog1py(rest[..., None], -chance)
    return np.where((count > trials)[..., None], 0.0, np.exp(logs))


def _binomial_tail(count: Array, trials: Array, chance: Array) -> Array:
    """Return P(Bin(trials, chance) ≥ count) = I_p(count, trials − count + 1), chance along a new last axis."""
    rest = np.maximum(trials - count, 0)
    tail = betainc(np.maximum(count, 1)[..., None], rest[..., None] + 1, chance)
    tail = np.where((count > trials)[..., None], 0.0, tail)
    return np.where((count <= 0)[..., None], 1.0, tail)


def _log_odds(edge: float | None) -> float:
    """Return the lead in log-strength at which the best arm beats the second best with chance ``edge``."""
    share = PAPER_EDGE if edge is None else edge
    return math.log(share / (1 - share))
