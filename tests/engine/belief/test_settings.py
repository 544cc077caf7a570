"""Every constant does what it is for: a figure depends on it, and is far from what it would be with a gross mistake.

For each constant there is a figure, what it is, by how much it may move while constants are tuned, and values of the
constant that are grossly wrong. The figure must be there, and each wrong value must move it further than that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from heats.engine.adaptive import priorities
from heats.engine.adaptive.priorities import Priorities
from heats.engine.belief import best, plackett_luce, settings
from heats.engine.belief.consistent import (
    EFFORT,
    average_fits,
    find_best_chances,
    group_pairs,
    take_firsts,
    weigh_consistent,
)
from heats.engine.belief.contextual import weigh_contextual
from heats.engine.belief.data import collect
from heats.engine.belief.evidence import Choices, Evidence, Rewards, gather
from heats.engine.belief.fits import Fit, allow_outliers
from heats.engine.belief.noise import find_left
from heats.engine.belief.posterior import Posterior, find_posterior, weigh_worlds
from heats.engine.belief.strengths import describe_strengths
from heats.engine.feedback import Kind
from tests.engine.belief.plain import Comparison, draw_run, gather_runs

MEASURE_NOTHING = {
    "MOST_ENTRIES": "only time: results of matrices cut anywhere are equal (test_matrices)",
    "MOST_PAIRS": "only memory, from 400,000 places of rankings on",
}


def win(*pairs: tuple[int, int], times: int = 1) -> list[Comparison]:
    return [Comparison(pair, (1.0, 0.0)) for pair in pairs] * times


def compare_rewards(n: int, sizes: list[int], noise: float, *, lead: float = 0.0, seed: int = 1) -> Evidence:
    """Return rewards of random arms with effects 0, 1/n, … and noise; the last one has a lead."""
    rng, run = np.random.default_rng(seed), []
    for size in sizes:
        arms = rng.choice(n, size, replace=False)
        values = arms / n + lead * (arms == n - 1) + noise * rng.normal(size=size)
        run.append(Comparison(tuple(arms.tolist()), tuple(values.tolist())))
    return gather_runs(Kind.REWARDS, [run], n)


def find_contextual_chance() -> float:
    return float(weigh_contextual(gather_runs(Kind.WINNER, [win((0, 1), (0, 2), (0, 3), times=2)], 5)).chances[0, 0])


def find_share_score() -> float:
    """Return the log evidence of sets in which always the same arm won."""
    run = [Comparison((3 * at, 3 * at + 1, 3 * at + 2), (1.0, 0.0, 0.0)) for at in range(3) for _ in range(4)]
    return float(weigh_contextual(gather_runs(Kind.WINNER, [run], 9)).log_evidence[0])


def find_lead_chance() -> float:
    usual = [((3, 4), 1.0), ((5, 6), 0.5), ((7, 8), 1.5), ((3, 5), -1.0), ((4, 7), 0.5), ((6, 8), -1.5)]
    run = []
    for pair, ahead in [((0, 1), 0.3), ((0, 2), 0.3), *usual]:
        run += [Comparison(pair, (ahead + error, 0.0)) for error in (-0.1, 0.1)]
    return float(weigh_contextual(gather_runs(Kind.REWARDS, [run], 9)).chances[0, 0])


def find_noisy_lead_chance() -> float:
    """Return the largest chance where leads are all noise."""
    return float(weigh_contextual(compare_rewards(6, [2] * 30, 100.0)).chances.max())


def find_unbeaten_chance() -> float:
    """Return the chance of an arm that always beat another one, beside a third that neither met."""
    evidence = gather_runs(Kind.WINNER, [win((0, 1), times=20)], 3)
    return float(weigh_contextual(evidence).chances[0, 0])


def find_best_beside_decoy() -> float:
    """Return the chance of who beat a decoy, beside another one that beat three others."""
    run = (
        win((0, 1), times=3) + win(*((1, arm) for arm in range(2, 8)), times=8) + win((8, 9), (8, 10), (8, 11), times=4)
    )
    return float(weigh_contextual(gather_runs(Kind.WINNER, [run], 12)).chances[0, 0])


def find_least_noise() -> float:
    evidence = compare_rewards(4, [2] * 10, 0.0)
    assert isinstance(evidence, Rewards)
    return float(np.log10(find_left(evidence, evidence.squares) / evidence.squares)[0])


def find_variance_evidence() -> np.ndarray:
    """Return log evidence without noise, and of nothing but noise."""
    both = compare_rewards(5, [3] * 20, 1e-3), compare_rewards(5, [3] * 20, 1e3)
    return np.array([weigh_consistent(each).log_evidence[0] for each in both])


def find_spread() -> np.ndarray:
    """Return how far strengths are apart where one always wins, and where all win alike."""
    sure = win(*((one, other) for one in range(5) for other in range(one + 1, 5)), times=9)
    alike = sure + [Comparison(each.arms[::-1], each.row) for each in sure]
    found = [weigh_consistent(gather_runs(Kind.WINNER, [run], 5)) for run in (sure, alike)]
    means, precision = (np.array(each) for each in zip(*(average_fits(each) for each in found), strict=True))
    return np.array([np.ptp(means[0]), 1 / np.sqrt(precision[1]).mean()])


def find_outlier() -> float:
    precision, noise = np.full((1, 8), 10.0 + 1.0), np.ones(1)
    middles = np.array([[4.0, 0.5, -0.5, 0.2, 1.0, -1.0, 0.0, 0.3]])
    third, *nobody = np.zeros((4, 1, 8))
    fit = Fit(middles * 10 / 11, precision, third, [], noise, np.zeros(1), noise, np.ones((1, 1)), *nobody)
    return float(allow_outliers(fit, fit.strengths, np.ones((1, 1))).log_evidence[0])


def find_outlying() -> np.ndarray:
    """Return how strong an arm is taken to be that beat many equal ones; and how far from where an early fit ended."""
    pairs = [(one, other) for one in range(1, 9) for other in range(1, 9) if one != other]
    run = win(*pairs, times=4) + win(*((0, other) for other in range(1, 9)), times=4)
    evidence, start = gather_runs(Kind.WINNER, [run], 9), 40.0 * (np.arange(9) == 0)[None]
    early = weigh_consistent(evidence, plackett_luce.Effort(3, 1e-3), [np.array([[0.75]])], start).fits[0]
    return np.array([average_fits(weigh_consistent(evidence))[0][0, 0], (early.strengths - early.mode)[0, 0]])


def find_ranked_spread() -> float:
    run = [Comparison((0, 1, 2, 3), (1.0, 2 / 3, 1 / 3, 0.0))] * 8
    return float(np.ptp(average_fits(weigh_consistent(gather_runs(Kind.RANKING, [run], 4)))[0]))


def count_steps() -> float:
    """Return the steps of a fit of a chain of forty arms, by which strengths travel slowly."""
    evidence, count = gather_runs(Kind.WINNER, [win(*((arm, arm + 1) for arm in range(39)), times=4)], 40), 0
    assert isinstance(evidence, Choices)
    step = plackett_luce._Climb.step

    def climb(self: Any, strengths: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return step(self, strengths)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plackett_luce._Climb, "step", climb)
        parts = [take_firsts(part) for part in evidence.parts]
        plackett_luce.fit_strengths(parts, np.full((1, 1), 0.75), np.ones((1, 40)), EFFORT)
    return float(count)


def find_farthest() -> float:
    """Return where one leap may end that began far away."""
    evidence = gather_runs(Kind.WINNER, [win((0, 1))], 2)
    assert isinstance(evidence, Choices)
    parts, start = [take_firsts(part) for part in evidence.parts], np.exp(np.array([[300.0, -300.0]]))
    with np.errstate(all="ignore"):
        found = np.log(plackett_luce.fit_strengths(parts, np.full((1, 1), 3.0), start, plackett_luce.Effort(3, 1e-3)))
    return float(np.nan_to_num(np.abs(found).max(), nan=1e9, posinf=1e9))


def find_correlated_chance() -> float:
    """Return the chance of the first of forty arms, of which many move together."""
    rng = np.random.default_rng(3)
    roots = np.hstack([0.4 * np.eye(40), np.outer(np.arange(40) < 20, np.ones(1))])
    means, covariance = 1.0 * (np.arange(40) == 0) + rng.normal(0, 0.2, 40), roots @ roots.T
    deviations = np.sqrt(np.diagonal(covariance))[None]
    both = np.stack([means, means])[:, None], np.stack([deviations, deviations])
    arms = best.Marginals(*both, np.zeros((1, 40)))
    front = best.order_leading(best.find_independent_chances(arms))
    inner = covariance[np.ix_(front[0], front[0])][None]
    return float(best.find_chances(arms, front, inner)[0, 0])


def find_chance_of_sixty() -> float:
    rng = np.random.default_rng(4)
    run = draw_run(Kind.WINNER, 60, [2] * 400, rng)
    return float(find_best_chances(weigh_consistent(gather_runs(Kind.WINNER, [run], 60))).max())


def measure_pairs() -> float:
    order, rows = np.arange(60)[None, None], np.linspace(0, 1, 60)[None, None]
    pairs = group_pairs(collect(order, rows, np.ones((1, 1), dtype=bool)), 60)
    return float((pairs.arms[0] - pairs.arms[1]).max())


def find_split_chance() -> float:
    """Return a chance where all priors are about as likely."""
    found = weigh_consistent(gather_runs(Kind.WINNER, [win((0, 1), (1, 0), (0, 1))], 2))
    with np.errstate(all="ignore"):
        return float(np.nan_to_num(find_best_chances(found)[0, 0], nan=-1.0))


def find_chance_of_few_rewards() -> float:
    run = [Comparison((0, 1), (1.0, 0.0)), Comparison((0, 1), (0.7, 0.0))]
    return float(find_best_chances(weigh_consistent(gather_runs(Kind.REWARDS, [run], 2)))[0, 0])


def find_chance_in_doubt() -> float:
    """Return a chance in a run that is contextual with a weight of about 0.7."""
    cycle = win((0, 1), (1, 2), (2, 0), times=3) + win((3, 0), (3, 1), (3, 2), times=2)
    return float(find_posterior(gather_runs(Kind.WINNER, [cycle], 4)).chances[0, 3])


def find_first() -> float:
    """Return who is first of arms whose chances differ in the fourth digit, and of those that differ in the ninth."""
    chances = np.array([[0.4999, 0.5001, 0.0], [0.5, 0.5 + 1e-9, 0.0]])
    strengths = np.array([[1.0, 0.0, -1.0]] * 2)
    known = Posterior(chances, np.zeros(2), strengths, np.ones((2, 3), dtype=bool), None)
    first = known.rank(np.arange(3)[None].repeat(2, axis=0))[:, 0]
    return float(first[0] * 10 + first[1])


def find_interval() -> float:
    table = describe_strengths(weigh_consistent(gather_runs(Kind.WINNER, [win((0, 1), (1, 0), times=20)], 2)), 0)
    return float(table.highs[0] - table.lows[0])


def count_least(kind: Kind, k: int) -> float:
    """Return after how many comparisons of twelve arms strengths are looked at."""
    for pulls in range(1, 200):
        arms = np.argsort(np.random.default_rng(pulls).random((1, pulls, 12)), axis=-1)[..., :k]
        rows = (arms == arms.max(axis=-1, keepdims=True)).astype(float)
        evidence = gather(kind, [collect(arms, rows, np.ones((1, pulls), dtype=bool))], 12)
        if priorities._can_tell_strengths(evidence)[0]:
            return float(pulls)
    return 1e9


def find_bonus() -> float:
    found = Priorities(1, 3)
    found.spend(0.25)
    return found.bonus


def count_fits() -> float:
    """Return in how many of twelve batches of a contextual world strengths are fitted."""
    cycle = gather_runs(Kind.WINNER, [win((0, 1), (1, 2), (2, 0), times=50)], 3)
    count, found = 0, Priorities(1, 3)
    fit = priorities.weigh_consistent

    def weigh(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return fit(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(priorities, "weigh_consistent", weigh)
        for batch in range(1, 13):
            found.update(cycle, batch)
    return float(count)


def find_strengths_between_batches() -> float:
    evidence = gather_runs(Kind.WINNER, [win(*((arm, arm + 1) for arm in range(19)), times=9)], 20)
    found = Priorities(1, 20)
    found.update(evidence, priorities.CHECK_EVERY)
    return float(np.ptp(found.strengths))


def limit_effort() -> float:
    run = win(*((one, other) for one in range(600) for other in range(one)))
    return float(priorities._limit(priorities.EFFORT, gather_runs(Kind.WINNER, [run], 600)).steps)


class Constant(NamedTuple):
    """How a constant is measured."""

    figure: Callable[[], Any]
    found: float | tuple[float, ...]
    give: float  # by which the figure may move
    wrong: tuple[Any, ...]  # values that are gross mistakes
    modules: tuple[str, ...]  # of heats.engine, which read it


CONTEXTUAL, POSTERIOR, CONSISTENT = ("belief.contextual",), ("belief.posterior",), ("belief.consistent",)
CLIMB, BEST, PLAY = ("belief.plackett_luce",), ("belief.best",), ("adaptive.priorities",)
TOGETHER = ("belief.matrices", "belief.consistent", "belief.strengths")

CONSTANTS: dict[str, Constant] = {
    "CONSISTENT_ODDS": Constant(lambda: weigh_worlds(np.zeros(1), np.zeros(1)), 0.091, 0.05, (1.0, 400.0), POSTERIOR),
    "DECOY_CHANCE": Constant(find_unbeaten_chance, 0.539, 0.06, (0.2, 0.99), CONTEXTUAL),
    "SHARES_SHAPE": Constant(find_share_score, -6.37, 0.8, (0.05, 5.0), ("belief.tallies",)),
    "WIN_CHANCES": Constant(find_contextual_chance, 0.73, 0.08, ((0.55,), (0.95,)), CONTEXTUAL),
    "LEAD_RATIOS": Constant(find_lead_chance, 0.75, 0.12, ((0.1,), (1.0,), (10.0,)), CONTEXTUAL),
    "LEAST_LEAD_SHARE": Constant(find_noisy_lead_chance, 0.216, 0.03, (0.001, 1.0), CONTEXTUAL),
    "DECOY_CANDIDATES": Constant(find_best_beside_decoy, 0.80, 0.1, (1,), CONTEXTUAL),
    "LEAST_NOISE": Constant(find_least_noise, -6, 2, (1e-6, 0.1), ("belief.noise",)),
    "VARIANCE_RATIOS": Constant(find_variance_evidence, (123.6, -76.2), 9, ((0.03,), (3.0,), (1e6,)), CONSISTENT),
    "PRIOR_PAIRS": Constant(find_spread, (10.35, 0.167), 0.05, ((0.75,), (3.0,), (50.0,)), CONSISTENT),
    "FARTHEST_OUTLIER": Constant(find_outlying, (2.52, -4.33), 0.2, (0.1, 1e9), CONSISTENT),
    "FURTHER_APART": Constant(find_outlier, 2.75, 0.6, (1.5, 200.0), ("belief.fits",)),
    "RANKING_PAIRS": Constant(find_ranked_spread, 5.16, 0.8, (0.3, 30.0), CONSISTENT),
    "LONGEST_LEAP": Constant(count_steps, 27, 12, (1.0,), CLIMB),
    "FARTHEST_LEAP": Constant(count_steps, 27, 12, (0.01,), CLIMB),
    "LARGEST_STRENGTH": Constant(find_farthest, 98.4, 20, (5.0, 1000.0), CLIMB),
    "MOST_TOGETHER": Constant(find_chance_of_sixty, 0.182, 0.01, (5,), TOGETHER),
    "MOST_APART": Constant(measure_pairs, 24, 12, (2, 59), CONSISTENT),
    "LEADING_ARMS": Constant(find_correlated_chance, 0.735, 0.05, (1,), BEST),
    "RIVAL_ARMS": Constant(find_correlated_chance, 0.735, 0.05, (3,), BEST),
    "LEAST_WEIGHT": Constant(find_split_chance, 0.653, 0.03, (0.5,), ("belief.consistent", "belief.strengths")),
    "KNOWN_NOISE": Constant(find_chance_of_few_rewards, 0.882, 0.009, (1.0,), CONSISTENT),
    "NOISE_POINTS": Constant(find_chance_of_few_rewards, 0.882, 0.009, (1,), CONSISTENT),
    "LEAST_DOUBT": Constant(find_chance_in_doubt, 0.927, 0.02, (0.5,), POSTERIOR),
    "DIGITS": Constant(find_first, 10, 0, (2, 16), POSTERIOR),
    "INTERVAL": Constant(find_interval, 0.552, 0.1, (0.8, 0.999), ("belief.strengths",)),
    "FEW_PULLS": Constant(lambda: count_least(Kind.WINNER, 2), 18, 6, (1, 9), PLAY),
    "FEW_REWARDS": Constant(lambda: count_least(Kind.REWARDS, 2), 36, 12, (2, 18), PLAY),
    "FEW_HEATS": Constant(lambda: count_least(Kind.WINNER, 8), 9, 3, (0.1, 3.0), PLAY),
    "BONUS": Constant(find_bonus, 6.4, 0.5, ((2.0, 1.0), (6.0, 4.0)), PLAY),
    "CHECK_EVERY": Constant(count_fits, 4, 2, (1, 9), PLAY),
    "EFFORT": Constant(
        find_strengths_between_batches,
        15.3,
        2,
        (plackett_luce.Effort(3, 1e-2), plackett_luce.Effort(30, 0.9)),
        PLAY,
    ),
    "MOST_WORK": Constant(limit_effort, 12, 6, (400_000, 40_000_000), PLAY),
}


def move(constant: Constant) -> float:
    """Return how far the figure is from what it was found to be."""
    return float(np.abs(np.atleast_1d(constant.figure()) - np.array(constant.found)).max())


def test_every_constant_is_measured() -> None:
    """Or it is said why not; what play goes by is measured, too."""
    named = {name for module in (settings, priorities) for name in vars(module) if name.isupper()}
    assert named == CONSTANTS.keys() | MEASURE_NOTHING.keys()
    assert not CONSTANTS.keys() & MEASURE_NOTHING.keys()


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_figure_of_a_constant_is_there(name: str) -> None:
    """Up to what tuning may change."""
    assert move(CONSTANTS[name]) <= CONSTANTS[name].give + 1e-9


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, each in CONSTANTS.items() for wrong in each.wrong])
def test_a_gross_mistake_would_be_seen(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    """Its figure would be somewhere else."""
    for module in CONSTANTS[name].modules:
        monkeypatch.setattr(f"heats.engine.{module}.{name}", wrong)
    assert move(CONSTANTS[name]) > CONSTANTS[name].give
