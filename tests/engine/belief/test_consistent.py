"""A consistent world: its log evidence against grids, its chances and intervals against long random walks."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from scipy.special import polygamma

from heats.engine.belief import consistent
from heats.engine.belief.consistent import average_fits, find_best_chances, group_pairs, weigh_consistent
from heats.engine.belief.data import collect
from heats.engine.belief.evidence import Choices
from heats.engine.belief.settings import FURTHER_APART, PRIOR_PAIRS
from heats.engine.belief.strengths import describe_strengths
from heats.engine.feedback import Kind
from tests.engine.belief.plain import Comparison, Run, draw_run, gather_runs, log_choices, log_field, log_mean

# Few comparisons and lopsided: where a normal approximation is worst.
LOPSIDED = [Comparison(arms, (1.0, 0.0)) for arms in ((0, 1), (0, 2), (0, 1), (1, 2), (2, 1), (0, 2))]


@pytest.mark.parametrize("nu", PRIOR_PAIRS)
def test_log_evidence_is_an_integral(monkeypatch: pytest.MonkeyPatch, nu: float) -> None:
    """(5), of three arms, summed over a grid.

    To second order Laplace's method is off by odds of at most 1.1, and least where a strong prior makes the posterior
    normal; to first order it was off by odds of 1.35.
    """
    monkeypatch.setattr(consistent, "allow_outliers", lambda fit, *rest: fit)
    runs = [LOPSIDED, draw_run(Kind.WINNER, 3, [2, 3] * 3, np.random.default_rng(3), ties=0.5)]
    axis = np.linspace(-1, 1, 81) * 7 * math.sqrt(2 * float(polygamma(1, nu)))
    points = np.array(list(product(axis, repeat=3))).T
    for run in runs:
        found = weigh_consistent(gather_runs(Kind.WINNER, [run], 3), priors=[np.array([[nu]])])
        weights = np.exp(log_choices(Kind.WINNER, run, points) + log_field(points, nu).sum(axis=0))
        exact = math.log(weights.sum() * (axis[1] - axis[0]) ** 3)
        assert found.log_evidence[0] == pytest.approx(exact, abs=0.1 if nu < 1 else 0.03)


def test_priors_count_alike() -> None:
    """The log evidence is that of their mean, and each has the weight that the data give it."""
    evidence = gather_runs(Kind.WINNER, [LOPSIDED], 3)
    alone = [weigh_consistent(evidence, priors=[np.array([[nu]])]).log_evidence[0] for nu in PRIOR_PAIRS]
    found = weigh_consistent(evidence)
    assert found.log_evidence[0] == pytest.approx(log_mean(alone), abs=1e-3)
    weights = np.exp(np.array(alone) - max(alone))
    assert found.weights[:, 0] == pytest.approx(weights / weights.sum(), abs=1e-3)


def log_posterior(run: Run, theta: np.ndarray) -> np.ndarray:
    """Return the log density of the whole model: every prior, with an arm in n from a field four times as wide."""
    n, logs = len(theta), []
    for nu in PRIOR_PAIRS:
        wide = 2 * float(polygamma(1, nu)) * FURTHER_APART**2
        outlier = -(theta**2) / (2 * wide) - math.log(2 * math.pi * wide) / 2
        each = np.logaddexp(log_field(theta, nu) + math.log(1 - 1 / n), outlier - math.log(n))
        logs.append(each.sum(axis=0))
    found: np.ndarray = log_choices(Kind.WINNER, run, theta) + np.logaddexp.reduce(logs, axis=0)
    return found


def walk(run: Run, n: int) -> np.ndarray:
    """Return strengths ``(n_arms, draws)``: 400 walkers by Metropolis's rule, with steps along what others differ by."""
    rng = np.random.default_rng(0)
    walkers = rng.normal(size=(n, 400))
    values, kept = log_posterior(run, walkers), []
    for step in range(900):
        one, other = rng.integers(0, 400, (2, 400))
        long = 2.38 / math.sqrt(2 * n) if step % 10 else 1.0
        moved = walkers + long * (walkers[:, one] - walkers[:, other]) + 0.01 * rng.normal(size=walkers.shape)
        there = log_posterior(run, moved)
        accepted = np.log(rng.random(400)) < there - values
        walkers, values = np.where(accepted, moved, walkers), np.where(accepted, there, values)
        if step >= 300 and step % 5 == 0:
            kept.append(walkers)
    return np.concatenate(kept, axis=1)


RUNS = {
    "lopsided": (3, LOPSIDED),
    "some": (3, draw_run(Kind.WINNER, 3, [2] * 30, np.random.default_rng(1))),
    "triples": (5, draw_run(Kind.WINNER, 5, [3] * 40, np.random.default_rng(2))),
    "many": (5, draw_run(Kind.WINNER, 5, [2] * 150, np.random.default_rng(3))),
}


@pytest.mark.parametrize(("name", "error"), [("lopsided", 0.06), ("some", 0.01), ("triples", 0.03), ("many", 0.02)])
def test_chances_are_near_those_of_a_long_walk(name: str, error: float) -> None:
    """A normal posterior with means (9) is still too modest where few, lopsided choices leave it very skew."""
    n, run = RUNS[name]
    walked = walk(run, n)
    exact = np.bincount(walked.argmax(axis=0), minlength=n) / walked.shape[1]
    found = weigh_consistent(gather_runs(Kind.WINNER, [run], n))
    assert find_best_chances(found)[0] == pytest.approx(exact, abs=error)


@pytest.mark.parametrize("name", ["some", "many"])
def test_strengths_and_intervals_are_near_those_of_a_long_walk(name: str) -> None:
    """Less the mean of all arms; also the chance to be stronger than another arm.

    Of runs in which every arm won and lost: of others the walk's means lie far outside, where outliers may be.
    """
    n, run = RUNS[name]
    walked = walk(run, n)
    walked -= walked.mean(axis=0)
    found = describe_strengths(weigh_consistent(gather_runs(Kind.WINNER, [run], n)), 0)
    deviations = walked.std(axis=1)
    assert found.means == pytest.approx(walked.mean(axis=1), abs=0.4 * deviations.max())
    assert (found.highs - found.lows) / 2 == pytest.approx(1.96 * deviations, rel=0.25)
    assert found.stronger[1:] == pytest.approx((walked[1:] > walked[0]).mean(axis=1), abs=0.05)
    assert found.stronger[0] == 0


def test_effects_have_the_intervals_of_a_student_t() -> None:
    """Wider where few rewards leave their noise unknown: with two degrees of freedom more than twice as wide."""
    run = [Comparison((0, 1), (1.0, 0.3)), Comparison((0, 1), (0.7, 0.4))]
    found = weigh_consistent(gather_runs(Kind.REWARDS, [run], 2))
    table = describe_strengths(found, 0)
    known = describe_strengths(found._replace(free=np.array([1e9])), 0)
    assert (table.highs - table.lows) / (known.highs - known.lows) == pytest.approx(4.3027 / 1.96, rel=1e-3)
    surer = find_best_chances(found._replace(free=np.array([1e9])))[0, 0]
    assert 0.5 < find_best_chances(found)[0, 0] < surer


def test_means_and_precisions_are_those_of_all_priors() -> None:
    """Each by its weight."""
    found = weigh_consistent(gather_runs(Kind.WINNER, [RUNS["some"][1]], 3))
    means, precision = average_fits(found)
    weights = found.weights[:, 0]
    fits = found.fits
    assert means[0] == pytest.approx(sum(w * fit.strengths[0] for w, fit in zip(weights, fits, strict=True)))
    assert 1 / precision[0] == pytest.approx(sum(w / fit.precision[0] for w, fit in zip(weights, fits, strict=True)))


@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 3), (9, 6)])
def test_pairs_are_who_was_ahead_of_whom(n: int, k: int) -> None:
    """One by one, each counted in part: those of an arm say as much of its strength as a ranking of equals does."""
    rng = np.random.default_rng(n)
    runs = [draw_run(Kind.RANKING, n, [k] * 12, rng, void=0.2, ties=0.3) for _ in range(2)]
    evidence = gather_runs(Kind.RANKING, runs, n)
    counted: Counter[tuple[int, ...]] = Counter()
    for at, run in enumerate(runs):
        for each in run:
            said = dict(zip(each.arms, each.row or (), strict=each.row is not None))
            counted.update((at, one, other) for one, other in permutations(said, 2) if said[one] > said[other])
    assert isinstance(evidence, Choices)
    pairs = group_pairs(evidence.comparisons[0], n)
    found = dict(zip(zip(pairs.runs.tolist(), *pairs.arms.tolist(), strict=True), pairs.times.tolist(), strict=True))
    say = sum((1 / m) * (1 - 1 / m) * (m / k) for m in range(2, k + 1))  # each choice out of m, of which one is in m/k
    assert found == pytest.approx({pair: times * say / ((k - 1) / 4) for pair, times in counted.items()})
    assert pairs.shares[0].tolist() == pairs.times.tolist()
    assert not pairs.shares[1].any()
    assert (np.diff(pairs.runs) >= 0).all()


def test_of_large_rankings_only_near_places_are_compared() -> None:
    """They say as much together."""
    order = np.arange(60)[None, None]
    rows = np.linspace(0, 1, 60)[None, None]
    comparisons = collect(order, rows, np.ones((1, 1), dtype=bool))
    pairs = group_pairs(comparisons, 60)
    assert (pairs.arms[0] - pairs.arms[1]).max() == consistent.MOST_APART
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(consistent, "MOST_APART", 99)
        every = group_pairs(comparisons, 60)
    assert every.times.size == 60 * 59 / 2
    assert pairs.times.sum() == pytest.approx(every.times.sum())


def test_many_arms_are_approximated_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty, of which twenty are treated together: nearly what the exact way says."""
    evidence = gather_runs(Kind.WINNER, [draw_run(Kind.WINNER, 60, [4] * 400, np.random.default_rng(4))], 60)
    exact = find_best_chances(weigh_consistent(evidence))[0]
    for module in ("matrices", "consistent", "strengths"):
        monkeypatch.setattr(f"heats.engine.belief.{module}.MOST_TOGETHER", 20)
    rough = find_best_chances(weigh_consistent(evidence))[0]
    assert rough == pytest.approx(exact, abs=0.08)
    assert rough.argmax() == exact.argmax()


def test_arms_without_data_say_nothing() -> None:
    """However many there are: neither of the priors, nor of the kind of world."""
    run = draw_run(Kind.WINNER, 6, [2] * 30, np.random.default_rng(5))
    few, many = (weigh_consistent(gather_runs(Kind.WINNER, [run], n)) for n in (6, 200))
    assert few.weights[:, 0] == pytest.approx(many.weights[:, 0], abs=0.1)
    assert few.log_evidence[0] == pytest.approx(many.log_evidence[0], abs=0.3)
