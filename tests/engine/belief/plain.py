"""The model in plain Python and SciPy, as its equations are written down: one comparison after the other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import betaln
from scipy.stats import norm

from heats.engine.belief.data import collect
from heats.engine.belief.evidence import Evidence, gather
from heats.engine.belief.settings import (
    DECOY_CHANCE,
    LEAD_RATIOS,
    LEAST_LEAD_SHARE,
    LEAST_NOISE,
    SHARES_SHAPE,
    VARIANCE_RATIOS,
    WIN_CHANCES,
)
from heats.engine.feedback import Kind

KINDS = (Kind.WINNER, Kind.RANKING, Kind.BEST_WORST, Kind.REWARDS)


class Comparison(NamedTuple):
    """One comparison as it was told; a row of None has no verdict."""

    arms: tuple[int, ...]
    row: tuple[float, ...] | None


Run = Sequence[Comparison]


def gather_runs(kind: Kind, runs: Sequence[Run], n_arms: int) -> Evidence:
    """Return the evidence of runs in step, whose comparisons of each size are equally many."""
    parts = []
    for size in sorted({len(each.arms) for each in runs[0]}):
        same = [[each for each in run if len(each.arms) == size] for run in runs]
        arms = np.array([[each.arms for each in run] for run in same])
        rows = np.array([[each.row or (0.0,) * size for each in run] for run in same], dtype=float)
        parts.append(collect(arms, rows, np.array([[each.row is not None for each in run] for run in same])))
    return gather(kind, parts, n_arms)


def draw_run(
    kind: Kind, n: int, sizes: Sequence[int], rng: np.random.Generator, *, void: float = 0.0, ties: float = 0.0
) -> list[Comparison]:
    """Return a comparison of each of the sizes, of random arms of which the later ones are often better."""
    run: list[Comparison] = []
    for size in sizes:
        arms = tuple(rng.choice(n, size, replace=False).tolist())
        values = rng.normal(size=size) + np.array(arms) * (2 / n)
        row = None if rng.random() < void else tell(kind, values, rng.random() < ties)
        run.append(Comparison(arms, row))
    return run


def tell(kind: Kind, values: np.ndarray, tie: bool) -> tuple[float, ...]:
    """Return what is told of arms that did so well; with ties, some that are nearly equal have equal places."""
    size = values.size
    rough = np.round(values) if tie else values
    if kind is Kind.WINNER:
        first = rough == rough.max()
        return tuple((first / first.sum()).tolist())
    if kind is Kind.REWARDS:
        return tuple((100 + rough).tolist())
    if kind is Kind.BEST_WORST:
        best, worst = int(values.argmax()), int(values.argmin())
        return tuple(1.0 if arm == best else 0.0 if arm == worst else 0.5 for arm in range(size))
    return tuple(((rough > each).sum() + ((rough == each).sum() - 1) / 2) / (size - 1) for each in rough)


# A contextual world


def log_rising(count: float, start: float) -> float:
    return math.lgamma(start + count) - math.lgamma(start)


def log_shares(tallies: Sequence[float], shape: float = SHARES_SHAPE) -> float:
    """Return log DM of tallies."""
    return sum(log_rising(each, shape) for each in tallies) - log_rising(sum(tallies), shape * len(tallies))


def list_places(row: Sequence[float]) -> list[list[int]]:
    """Return who shares each place, the first one first."""
    return [[at for at, each in enumerate(row) if each == value] for value in sorted(set(row), reverse=True)]


def share_first(kind: Kind, row: Sequence[float]) -> list[float]:
    """Return the share of the first place of each arm."""
    if kind is Kind.WINNER:
        return list(row)
    first, *others = list_places(row)
    return [1 / len(first) if at in first and others else 0.0 for at in range(len(row))]


Ratios = dict[tuple[int, ...], dict[int, list[float]]]  # of every set, R of every arm at each point of the grid


def compare_tallies(kind: Kind, run: Run) -> tuple[Ratios, Ratios, float]:
    """Return R as in (1), that of later places of rankings, and the log-likelihood without the best."""
    tallies: defaultdict[tuple[int, ...], defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    ratios: Ratios = {}
    later: Ratios = {}
    for each in run:
        key = tuple(sorted(each.arms))
        ratios.setdefault(key, {arm: [0.0] * len(WIN_CHANCES) for arm in key})
        if each.row is None:
            continue
        for arm, share in zip(each.arms, share_first(kind, each.row), strict=True):
            tallies[key][arm] += share
    if kind is not Kind.WINNER:
        later = {key: compare_later(key, run) for key in ratios}
    total = 0.0
    for key, of_set in ratios.items():
        won = tallies[key]
        times = sum(won.values())
        usual = log_shares([won[arm] for arm in key])
        total += usual
        for arm in key:
            others = log_shares([won[other] for other in key if other != arm])
            for at, p in enumerate(WIN_CHANCES):
                best = won[arm] * math.log(p) + (times - won[arm]) * math.log(1 - p) + others
                of_set[arm][at] += best - usual
    return ratios, later, total


def compare_later(key: tuple[int, ...], run: Run) -> dict[int, list[float]]:
    """Return R of the places after the first in the comparisons of a set: choices out of those that are left."""
    found = {arm: [0.0] * len(WIN_CHANCES) for arm in key}
    choices = [each for every in run if set(every.arms) == set(key) and every.row for each in list_later(every)]
    for arm, count in product(key, range(2, len(key))):
        shares = [share[arm] for share in choices if len(share) == count and arm in share]
        came = sum(shares)
        missed = len(shares) - came
        usual = betaln(came + SHARES_SHAPE, missed + (count - 1) * SHARES_SHAPE)
        usual -= betaln(SHARES_SHAPE, (count - 1) * SHARES_SHAPE)
        for at, p in enumerate(WIN_CHANCES):
            found[arm][at] += came * math.log(p) + missed * math.log(1 - p) - usual
    return found


def list_later(each: Comparison) -> list[dict[int, float]]:
    """Return for every place after the first the share of it that each arm has of those that are left."""
    assert each.row is not None
    places = [[each.arms[at] for at in place] for place in list_places(each.row)]
    return [
        {arm: (arm in places[number]) / len(places[number]) for place in places[number:] for arm in place}
        for number in range(1, len(places) - 1)
    ]


def find_unit(run: Run) -> float:
    """Return the standard deviation of rewards less the mean of their comparison."""
    rows = [each.row for each in run if each.row is not None]
    squares = sum((value - sum(row) / len(row)) ** 2 for row in rows for value in row)
    return math.sqrt(squares / max(1, sum(len(row) - 1 for row in rows))) or 1.0


def center(run: Run) -> list[Comparison]:
    """Return rewards less the mean of their comparison, in units of their standard deviation."""
    unit = find_unit(run)
    return [
        Comparison(each.arms, tuple((value - sum(each.row) / len(each.row)) / unit for value in each.row))
        for each in run
        if each.row is not None
    ]


def average_rewards(run: Run) -> tuple[dict[tuple[int, ...], dict[int, float]], dict[tuple[int, ...], int]]:
    """Return the mean centred reward of every arm of every set, and how often the set was compared."""
    sums: dict[tuple[int, ...], dict[int, float]] = {}
    times: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for each in center(run):
        key = tuple(sorted(each.arms))
        sums.setdefault(key, dict.fromkeys(key, 0.0))
        times[key] += 1
        for arm, reward in zip(each.arms, each.row or (), strict=True):
            sums[key][arm] += reward
    return {key: {arm: each / times[key] for arm, each in row.items()} for key, row in sums.items()}, times


def find_density(lead: float, scale: float, error: float) -> float:
    """Return the density of a half-normal number of that scale plus a normal error: an integral."""
    middle = lead * scale**2 / (scale**2 + error**2)
    width = scale * error / math.hypot(scale, error)
    low, high = max(0.0, middle - 12 * width), max(0.0, middle) + 12 * width
    if middle < -5 * width:
        high = 40 * width**2 / abs(middle)  # what is left falls like an exponential
    found = quad(lambda x: 2 * norm.pdf(x, 0, scale) * norm.pdf(lead - x, 0, error), low, high, epsabs=0, limit=200)[0]
    return float(found)


def compare_leads(run: Run) -> tuple[Ratios, float]:
    """Return R as in (2), and the log-likelihood without the best."""
    means, times = average_rewards(run)
    squares = sum(value**2 for each in center(run) for value in each.row or ())
    explained = sum(times[key] * value**2 for key, row in means.items() for value in row.values())
    free = sum((len(key) - 1) * (times[key] - 1) for key in means)
    noise = max(math.sqrt((max(squares - explained, 0.0) + 1 / (free + 1)) / (free + 1)), LEAST_NOISE)
    leads: dict[tuple[int, ...], dict[int, float]] = {}
    for key, row in means.items():
        leads[key] = {arm: row[arm] - max(row[other] for other in key if other != arm) for arm in key}
    errors = {key: noise * math.sqrt(2 / times[key]) for key in means}
    scales = []
    for ahead in (True, False):
        some = [(lead, errors[key]) for key, row in leads.items() for lead in row.values() if (lead >= 0) == ahead]
        square = sum(lead**2 for lead, _ in some) / max(1, len(some))
        less = square - sum(error**2 for _, error in some) / max(1, len(some))
        scales.append(math.sqrt(max(less, LEAST_LEAD_SHARE**2 * square)))
    plus, minus = scales
    ratios: Ratios = {}
    for key, row in leads.items():
        m, error = len(key), errors[key]
        ratios[key] = {}
        for arm, lead in row.items():
            usual = find_density(lead, plus, error) / m + find_density(-lead, minus, error) * (m - 1) / m
            ratios[key][arm] = [math.log(find_density(lead, t * plus, error) / usual) for t in LEAD_RATIOS]
    return ratios, weigh_sets(run)


def weigh_sets(run: Run) -> float:
    """Return the log-likelihood of rewards if each set has normal means of its own, by dense algebra."""
    told = center(run)
    sets = sorted({tuple(sorted(each.arms)) for each in told})
    starts = dict(zip(sets, np.cumsum([0, *map(len, sets)])[:-1].tolist(), strict=True))
    values, design = list_contrasts(told, lambda key, arm: starts[key] + key.index(arm), sum(map(len, sets)))
    tried = [weigh_dense(values, design, ratio) for ratio in VARIANCE_RATIOS]
    return log_mean(tried)


def list_contrasts(
    told: Run, find_place: Callable[[tuple[int, ...], int], int], width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the free numbers of centred rewards, which have independent noise, and which effects they are sums of."""
    values, design = [], []
    for each in told:
        size = len(each.arms)
        basis = np.linalg.svd(np.eye(size) - 1 / size)[0][:, : size - 1]
        where = np.zeros((size, width))
        for at, arm in enumerate(each.arms):
            where[at, find_place(tuple(sorted(each.arms)), arm)] = 1
        values.append(basis.T @ np.array(each.row))
        design.append(basis.T @ where)
    return np.concatenate(values), np.concatenate(design)


def weigh_dense(values: np.ndarray, design: np.ndarray, ratio: float) -> float:
    """Return −N/2 log(y'C⁻¹y) − ½ log |C|, with C = 1 + λXX' the covariance in units of the noise."""
    covariance = np.eye(values.size) + ratio * design @ design.T
    left = max(values @ np.linalg.solve(covariance, values), LEAST_NOISE**2 * (values @ values))
    return float(-values.size / 2 * np.log(left) - np.linalg.slogdet(covariance)[1] / 2)


def weigh_contextual(kind: Kind, run: Run, n: int) -> tuple[list[float], float]:
    """Return the scores (3) and the log evidence, which is that of first places."""
    later: Ratios = {}
    if kind is Kind.REWARDS:
        ratios, log_null = compare_leads(run)
    else:
        ratios, later, log_null = compare_tallies(kind, run)
    grid = range(len(LEAD_RATIOS) if kind is Kind.REWARDS else len(WIN_CHANCES))

    def add_sets(some: Ratios, arm: int, at: int, without: int | None = None) -> float:
        return sum(row[arm][at] for key, row in some.items() if arm in key and without not in key)

    scores, of_firsts = [], []
    for i in range(n):
        alone = log_mean([add_sets(ratios, i, at) for at in grid])
        decoy = log_mean([add_sets(ratios, j, at, without=i) for at in grid for j in range(n) if j != i])
        ranked = log_mean([add_sets(ratios, i, at) + add_sets(later, i, at) for at in grid])
        none, one = math.log(1 - DECOY_CHANCE), math.log(DECOY_CHANCE)
        of_firsts.append(float(np.logaddexp(none + alone, one + alone + decoy)))
        scores.append(float(np.logaddexp(none + ranked, one + alone + decoy)))
    return scores, log_null + log_mean(of_firsts)


def log_mean(logs: Sequence[float]) -> float:
    """Return the logarithm of the mean of what numbers are the logarithms of."""
    top = max(logs)
    return top + math.log(sum(math.exp(each - top) for each in logs) / len(logs))


# A consistent world


def log_choices(kind: Kind, run: Run, theta: np.ndarray) -> np.ndarray:
    """Return log p(who was first | θ) of many θ ``(n_arms, points)``."""
    total: np.ndarray = np.zeros(theta.shape[1:])
    for each, times in Counter(run).items():
        if each.row is not None:
            shares = share_first(kind, each.row)
            among = np.logaddexp.reduce(theta[list(each.arms)], axis=0)
            said = sum(share * (theta[arm] - among) for arm, share in zip(each.arms, shares, strict=True))
            total = total + times * said
    return total


def log_field(theta: np.ndarray, nu: float) -> np.ndarray:
    """Return the log density of strengths of which each won and lost ν imaginary comparisons."""
    beta = 2 * math.lgamma(nu) - math.lgamma(2 * nu)
    density: np.ndarray = nu * theta - 2 * nu * np.logaddexp(0, theta) - beta
    return density
