"""What strengths may be: against brute force on grids, long chains of the plainest kind, and least squares."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from heats.engine.feedback import Kind
from heats.engine.standings import posterior
from heats.engine.standings.choices import Choices, find_choices
from heats.engine.standings.effects import find_effects
from heats.engine.standings.posterior import ChoiceModel, EffectModel, Field, explore
from tests.engine.standings.pulls import draw_winners, tell

SEED = np.array(7, dtype=np.uint64)

# Few pulls and lopsided: where a normal approximation is worst.
LOPSIDED = [((0, 1), (1, 0)), ((0, 2), (1, 0)), ((0, 1), (1, 0)), ((1, 2), (1, 0)), ((1, 2), (0, 1)), ((0, 2), (1, 0))]


def lopsided() -> Choices:
    choices = find_choices(Kind.WINNER, [tell(*map(list, zip(*LOPSIDED, strict=True)))], 3)
    assert choices is not None
    return choices


def integrate(choices: Choices, spread: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Return evidence, means and chances to be the best of three arms, summed over a fine grid."""
    axis = np.linspace(-6, 6, 61) * spread
    points = np.array(list(product(axis, repeat=3))).T
    logs = choices.likelihood(points)[0] - (points**2).sum(axis=0) / (2 * spread**2)
    weights = np.exp(logs)
    total = weights.sum()
    best = (points == points.max(axis=0)).astype(float)
    best /= best.sum(axis=0)
    cell = (axis[1] - axis[0]) ** 3
    return total * cell / (math.sqrt(2 * math.pi) * spread) ** 3, points @ weights / total, best @ weights / total


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_draws_of_three_arms_agree_with_a_grid(spread: float) -> None:
    """Means and chances to be the best, of a posterior that is far from normal."""
    model = ChoiceModel(lopsided())
    fit = model.fit(Field(spread), np.zeros(3))
    draws = model.draw([fit], [4000], SEED)
    _, means, chances = integrate(lopsided(), spread)
    assert draws.mean(axis=1) == pytest.approx(means, abs=0.03 * spread)
    assert np.bincount(draws.argmax(axis=0)) / draws.shape[1] == pytest.approx(chances, abs=0.015)


def test_a_normal_approximation_alone_would_be_too_modest() -> None:
    """Which is why it only proposes: the arm that won all is the best more likely than its mode and curvature say."""
    model = ChoiceModel(lopsided())
    fit = model.fit(Field(2.0), np.zeros(3))
    normal = fit.mode[:, None] + fit.precision.find_scale() @ np.random.default_rng(0).normal(size=(3, 100_000))
    chances = integrate(lopsided(), 2.0)[2]
    assert (normal.argmax(axis=0) == 0).mean() < chances[0] - 0.02


def test_how_likely_a_spread_is_agrees_with_a_grid() -> None:
    """Up to what Laplace's approximation costs, a fraction of the differences between spreads that matter."""
    model = ChoiceModel(lopsided())
    spreads = [0.3, 1.0, 3.0]
    fits = [model.fit(Field(spread), np.zeros(3)) for spread in spreads]
    ours = [fit.log_weight - ChoiceModel._weigh(fit.field.spread) for fit in fits]
    exact = [math.log(integrate(lopsided(), spread)[0]) for spread in spreads]
    assert np.diff(ours) == pytest.approx(np.diff(exact), abs=0.15)


def test_draws_agree_with_a_long_walk() -> None:
    """Six arms, one of which stands apart: random steps accepted by Metropolis's rule, half a million of them."""
    rng = np.random.default_rng(5)
    choices = find_choices(Kind.WINNER, [draw_winners(np.array([2.0, 0, 0, 0.5, -1, 1]), 25, 3, rng)], 6)
    assert choices is not None
    field = Field(0.9, apart=0)
    spreads = field.deviations(6)[:, None]

    def log_density(points: np.ndarray) -> np.ndarray:
        values: np.ndarray = choices.likelihood(points)[0] - ((points / spreads) ** 2).sum(axis=0) / 2
        return values

    walkers = rng.normal(size=(6, 500))
    values, kept = log_density(walkers), []
    for step in range(1500):
        moved = walkers + 0.45 * rng.normal(size=walkers.shape)
        there = log_density(moved)
        accepted = np.log(rng.random(500)) < there - values
        walkers, values = np.where(accepted, moved, walkers), np.where(accepted, there, values)
        if step >= 500 and step % 5 == 0:
            kept.append(walkers)
    walked = np.concatenate(kept, axis=1)
    model = ChoiceModel(choices)
    draws = model.draw([model.fit(field, np.zeros(6))], [2000], SEED)
    assert draws.mean(axis=1) == pytest.approx(walked.mean(axis=1), abs=0.05)
    assert draws.std(axis=1) == pytest.approx(walked.std(axis=1), rel=0.06)
    ours, theirs = (np.bincount(each.argmax(axis=0), minlength=6) / each.shape[1] for each in (draws, walked))
    assert ours == pytest.approx(theirs, abs=0.02)


def test_effects_agree_with_least_squares() -> None:
    """Arm effects with a prior, next to an unrestricted effect for every pull, solved as one system."""
    rng = np.random.default_rng(2)
    arms = np.array([rng.choice(5, 3, replace=False) for _ in range(20)])
    rewards = rng.normal(size=5)[arms] + rng.normal(0, 3, (20, 1)) + rng.normal(size=arms.shape)
    effects = find_effects([tell(arms.tolist(), rewards.tolist())], lambda values: values, 5)
    assert effects is not None
    design = np.zeros((60, 25))
    design[np.arange(60), arms.ravel()] = 1
    design[np.arange(60), 5 + np.repeat(np.arange(20), 3)] = 1
    spread = 0.7
    prior = np.diag([spread**-2] * 5 + [0.0] * 20)
    solved = np.linalg.solve(design.T @ design + prior, design.T @ rewards.ravel())
    fit = EffectModel(effects).fit(Field(spread), np.zeros(5))
    assert fit.mode == pytest.approx(solved[:5])
    covariance = np.linalg.inv(design.T @ design + prior)[:5, :5]
    assert fit.precision.find_scale() @ fit.precision.find_scale().T == pytest.approx(covariance)
    left = ((rewards.ravel() - design @ solved) ** 2).sum() + (solved[:5] ** 2).sum() / spread**2
    assert fit.noise == pytest.approx(left / (60 - 20))


def test_draws_of_effects_have_the_spread_of_a_student_t() -> None:
    """Their covariance is that of the effects times noise · ν/(ν − 2)."""
    rng = np.random.default_rng(3)
    arms = np.array([rng.choice(4, 2, replace=False) for _ in range(12)])
    effects = find_effects([tell(arms.tolist(), rng.normal(size=arms.shape).tolist())], lambda values: values, 4)
    assert effects is not None
    model = EffectModel(effects)
    fit = model.fit(Field(1.0), np.zeros(4))
    draws = model.draw([fit], [20_000], SEED)
    scale = fit.precision.find_scale()
    assert np.cov(draws) == pytest.approx(scale @ scale.T * fit.noise * 12 / 10, rel=0.05, abs=0.01)


def test_many_arms_are_approximated_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of many arms, taken for 60 of which 20 are drawn together, says nearly what the exact one says."""
    rng = np.random.default_rng(4)
    strengths = rng.normal(size=60)
    choices = find_choices(Kind.WINNER, [draw_winners(strengths, 900, 4, rng)], 60)
    assert choices is not None
    exact = explore(ChoiceModel(choices), 60, SEED)
    monkeypatch.setattr(posterior, "MOST_TOGETHER", 20)
    rough = explore(ChoiceModel(choices), 60, SEED)
    assert (exact.approximate, rough.approximate) == (False, True)
    chances = []
    for each in (exact, rough):
        found = np.zeros(60)
        found[each.drawn] = np.bincount(each.draws.argmax(axis=0), minlength=len(each.draws)) / each.draws.shape[1]
        chances.append(found)
    assert np.abs(chances[0] - chances[1]).max() < 0.08
    assert np.corrcoef(exact.strengths, rough.strengths)[0, 1] > 0.999
