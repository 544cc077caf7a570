"""How likely the best arm survives a heat: the model of a tournament that planning optimises.

The best arm leaves a heat that keeps q if at least q of the others do better than it. Given its own luck the others
overtake it independently, so the chance of that is an average of binomial tails over its luck: a sum over a fixed
grid, no sampling. What luck is depends on what is told. Rewards: the noise of its mean, in the paper's family (means
uniform in [0, 1], drawn anew for every set, the best 0.1 ahead, deviations in [0.05, 0.2]). Winners: its number of
wins, binomial; the other wins fall to the others. A record fitted to winners: the square root of its expected wins in
noise, as numbers of wins have when their root is taken. Rankings: its strength in Gumbel noise.

Each comes in two worlds: strengths drawn anew for every set (the best leads them all by the same, as in the paper), and
strengths that arms keep (for winners and rankings, Plackett-Luce), where survivors are ever harder to beat. How close
the race is can be said by an ``edge``: how often the best arm would beat the second best in a single pull.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from heats.base.arrays import Array

_EDGE = 0.72  # of the paper's family
_SURE = 1e-11  # below, a failure is continued by its exponential decay: there the grid of luck ends
_LEAST = -600.0  # of the logarithm of a failure
_LUCK = np.arange(-9, 9.01, 0.45)  # normal
_COUNTS = 32  # numbers of wins to sum over
_GUMBEL = math.pi / math.sqrt(6)  # deviation
_UNIFORM = (np.arange(10) + 0.5) / 10
_NORMAL = NormalDist()


class Company(NamedTuple):
    """The chance that the closest rival and typical others are ahead, given the best arm's luck, by pulls."""

    share: float  # of all heats
    rivalry: float  # chance that the rival is in the heat
    luck: Array  # (pulls, luck), weights
    rival: Array  # (pulls, luck)
    other: Array  # (pulls, luck)


def pull_grid(most: float) -> Array:
    """Return the numbers of pulls at which tables are made: 0 to 16 one by one, then in steps of a quarter."""
    grid = list(range(17))
    while grid[-1] < most:
        grid.append(math.ceil(1.25 * grid[-1]))
    return np.array(grid, dtype=np.float64)


def log_failure(companies: Iterable[Company], size: int, pulls: Array) -> Array:
    """Return the log-probability that the best arm is not kept, ``(keep - 1, pulls)``; it falls along both."""
    failure = np.zeros((size - 1, pulls.size))
    for each in companies:
        overtaken = each.rivalry * _overtaken(each.rival, each.other, size)
        if each.rivalry < 1:
            overtaken += (1 - each.rivalry) * _overtaken(each.other, each.other, size)
        failure += each.share * np.einsum("tz,tzq->qt", each.luck, overtaken)
    failure[:, 0] = 1 - np.arange(1, size) / size  # unseen: by lot
    logs = np.minimum.accumulate(np.log(np.maximum(failure, 1e-300)), axis=1)
    for row in logs:
        last = max(2, int((row > math.log(_SURE)).sum()) - 1)
        slope = min(0.0, (row[last] - row[last - 2]) / (pulls[last] - pulls[last - 2]))
        row[last + 1 :] = row[last] + slope * (pulls[last + 1 :] - pulls[last])
    return np.maximum(np.minimum.accumulate(logs, axis=0), _LEAST)


def _overtaken(rival: Array, other: Array, size: int) -> Array:
    """Return the chance that at least q = 1..size-1 of one rival and size - 2 others are ahead; q comes last."""
    rest = size - 2
    ahead = np.arange(rest + 1)
    ways = np.array([math.lgamma(rest + 1) - math.lgamma(j + 1) - math.lgamma(rest - j + 1) for j in ahead])
    chance = np.clip(other, 1e-300, 1 - 1e-16)[..., None]
    exactly = np.exp(ways + ahead * np.log(chance) + (rest - ahead) * np.log1p(-chance))
    at_least = np.zeros((*other.shape, size))
    at_least[..., : rest + 1] = np.cumsum(exactly[..., ::-1], axis=-1)[..., ::-1]
    tails: Array = rival[..., None] * at_least[..., :-1] + (1 - rival[..., None]) * at_least[..., 1:]
    return tails


def rewards(size: int, edge: float | None, pulls: Array) -> Iterator[Company]:
    """Yield the heats of the paper's family; ``edge`` scales its means."""
    scale = 1.0 if edge is None else _NORMAL.inv_cdf(edge) / _NORMAL.inv_cdf(_EDGE)
    noises, shares = 0.125 + 0.075 * np.array([-(0.6**0.5), 0, 0.6**0.5]), np.array([5, 8, 5]) / 18  # Gauss-Legendre
    for top in _best_of(size - 1):
        leads = scale * (0.1 + top * np.append(0, _UNIFORM))
        for noise, share in zip(noises.tolist(), shares.tolist(), strict=True):
            yield _noisy(share / 2, 1.0, leads, pulls, noise, noises, shares)


def wins(size: int, edge: float | None, pulls: Array) -> Iterator[Company]:
    """Yield heats of which the winner is told, strengths drawn anew for every set."""
    for leads in _anew(size, edge):
        yield _counted(1 / 3, 1.0, leads, size, pulls)


def fitted_wins(size: int, edge: float | None, pulls: Array) -> Iterator[Company]:
    """Yield heats ranked by a record fitted to winners, strengths drawn anew for every set."""
    for leads in _anew(size, edge):
        yield _noisy(1 / 3, 1.0, _rooted(leads, 1.0, size), pulls, 1.0)


def ranks(size: int, edge: float | None, pulls: Array) -> Iterator[Company]:
    """Yield heats of which a ranking is told, strengths drawn anew for every set."""
    for leads in _anew(size, edge):
        yield _noisy(1 / 3, 1.0, leads, pulls, _GUMBEL)


def kept_rewards(size: int, edge: float | None, pulls: Array, active: int, n_arms: int) -> Iterator[Company]:
    """Yield heats of which rewards are told, when so many arms are left and arms keep their means, whatever the set."""
    yield _noisy(1.0, (size - 1) / (active - 1), _kept(edge, active, n_arms), pulls, 0.7)


def kept_wins(size: int, edge: float | None, pulls: Array, active: int, n_arms: int) -> Iterator[Company]:
    """Yield heats of which the winner is told, when so many arms are left and arms keep their strengths."""
    yield _counted(1.0, (size - 1) / (active - 1), _kept(edge, active, n_arms), size, pulls)


def kept_fitted_wins(size: int, edge: float | None, pulls: Array, active: int, n_arms: int) -> Iterator[Company]:
    """Yield heats ranked by a record fitted to winners, when so many arms are left and arms keep their strengths."""
    rivalry = (size - 1) / (active - 1)
    yield _noisy(1.0, rivalry, _rooted(_kept(edge, active, n_arms), rivalry, size), pulls, 1.0)


def kept_ranks(size: int, edge: float | None, pulls: Array, active: int, n_arms: int) -> Iterator[Company]:
    """Yield heats of which a ranking is told, when so many arms are left and arms keep their strengths."""
    yield _noisy(1.0, (size - 1) / (active - 1), _kept(edge, active, n_arms), pulls, _GUMBEL)


def _noisy(
    share: float,
    rivalry: float,
    leads: Array,
    pulls: Array,
    noise: float,
    noises: Array | None = None,
    shares: Array | None = None,
) -> Company:
    """Everybody shows a mean in noise; leads are over the rival and over the others, whose noise may vary."""
    shown = np.sqrt(pulls)[:, None, None] * leads + noise * _LUCK[:, None]
    if noises is None or shares is None:
        ahead = _normal(-shown / noise)
    else:
        ahead = sum(part * _normal(-shown / other) for part, other in zip(shares, noises, strict=True))
    luck = np.exp(-(_LUCK**2) / 2)
    luck = np.broadcast_to(luck / luck.sum(), (pulls.size, luck.size))
    return Company(share, rivalry, luck, ahead[..., 0], ahead[..., 1:].mean(axis=-1))


def _counted(share: float, rivalry: float, leads: Array, size: int, pulls: Array) -> Company:
    """Winners are counted: the best arm's number of wins is binomial, and so is everybody's part of the other wins."""
    strengths, others = _strengths(leads, rivalry, size)
    won, luck = _binomial(pulls, 1 / (1 + others))
    part = np.minimum(strengths / others, 1.0)
    more, as_many = (1 - _at_most(won - tie, pulls[:, None] - won, part) for tie in (0, 1))
    lots = (np.arange(max(3, size // 4)) + 0.5) / max(3, size // 4)  # one of them decides all its ties
    ahead = np.concatenate([more + lot * (as_many - more) for lot in lots], axis=1)
    luck = np.tile(luck / lots.size, lots.size)
    return Company(share, rivalry, luck, ahead[..., 0], ahead[..., 1:].mean(axis=-1))


def _rooted(leads: Array, rivalry: float, size: int) -> Array:
    """Return leads in twice the root of expected wins per pull, whose noise is about 1 whatever they are."""
    strengths, others = _strengths(leads, rivalry, size)
    return 2 * (1 - np.sqrt(strengths)) / math.sqrt(1 + others)


def _strengths(leads: Array, rivalry: float, size: int) -> tuple[Array, float]:
    """Return the strengths of rival and others where the best arm has 1, and the sum of those in a heat."""
    strengths = np.exp(-leads)
    return strengths, rivalry * float(strengths[0]) + (size - 1 - rivalry) * float(strengths[1:].mean())


def _binomial(pulls: Array, chance: float) -> tuple[Array, Array]:
    """Return numbers of wins ``(pulls, wins)`` within nine deviations, and their probabilities."""
    reach = 9 * np.sqrt(pulls * chance * (1 - chance)) + 2
    low, high = np.maximum(0, np.floor(pulls * chance - reach)), np.minimum(pulls, np.ceil(pulls * chance + reach))
    steps = np.maximum((high - low)[:, None] / _COUNTS, 1) * np.arange(_COUNTS + 1)
    counts = np.minimum(np.round(low[:, None] + steps), pulls[:, None])
    double = np.diff(counts, axis=1, prepend=-1) == 0
    logs = _log_factorial(pulls)[:, None] - _log_factorial(counts) - _log_factorial(pulls[:, None] - counts)
    logs += counts * math.log(chance) + (pulls[:, None] - counts) * math.log1p(-chance)
    weights = np.where(double, 0, np.exp(logs))
    return counts, weights / weights.sum(axis=1, keepdims=True)


def _at_most(count: Array, trials: Array, chance: Array) -> Array:
    """Return P(Bin(trials, chance) ≤ count), chance along a new last axis (Camp and Paulson's approximation)."""
    left = np.maximum(trials - count, 1e-9)[..., None]
    a, b = 1 / (9 * left), 1 / (9 * np.maximum(count + 1, 1e-9))[..., None]
    root = np.cbrt((np.maximum(count, 0) + 1)[..., None] * (1 - chance) / (left * chance))
    at_most = _normal(((1 - b) * root - (1 - a)) / np.sqrt(b * root**2 + a))
    at_most = np.where((count >= trials)[..., None], 1.0, at_most)
    return np.where((count < 0)[..., None], 0.0, at_most)


def _anew(size: int, edge: float | None) -> list[Array]:
    """Return leads in log-strengths that are uniform over ten times the best arm's lead; heats differ."""
    top = 0.5 ** (1 / (size - 1))  # typical largest of the others
    return [close * _log_odds(edge) * (1 + 10 * top * np.append(0, _UNIFORM)) for close in (0.7, 1.0, 1.7)]


def _kept(edge: float | None, active: int, n_arms: int) -> Array:
    """Return leads in normal log-strengths over the second and others of the ``active`` best arms."""
    ranks_ = np.unique(np.round(np.linspace(min(3, active), active, 12)))
    normal = [_NORMAL.inv_cdf((n_arms - rank + 0.625) / (n_arms + 0.25)) for rank in (1, 2, *ranks_)]
    scale = 1.0 if edge is None else _log_odds(edge) / (normal[0] - normal[1])
    return scale * (normal[0] - np.array(normal[1:]))


def _best_of(count: int) -> list[float]:
    """Return two typical values of the largest of so many uniform numbers."""
    return [0.25 ** (1 / count), 0.75 ** (1 / count)]


def _log_odds(edge: float | None) -> float:
    share = _EDGE if edge is None else edge
    return math.log(share / (1 - share))


def _log_factorial(n: Array) -> Array:
    """Return log n! by Stirling's series, from a larger factorial where n is small."""
    x = n + 8
    series = (x + 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x**3)
    for more in range(1, 9):
        series -= np.log(n + more)
    logarithm: Array = series
    return logarithm


_STEPS = 100  # per unit, from -38 to 9
_LOG_NORMAL = np.array([math.log(math.erfc(-max(x / _STEPS, -37) / math.sqrt(2)) / 2) for x in range(-3800, 901)])


def _normal(x: Array) -> Array:
    """Return the normal distribution function, to five digits down to 1e-300: its logarithm is interpolated."""
    place = np.clip(x * _STEPS + 3800, 0, 4699.999)
    low = place.astype(np.intp)
    below: Array = np.exp(_LOG_NORMAL[low] + (place - low) * (_LOG_NORMAL[low + 1] - _LOG_NORMAL[low]))
    return below
