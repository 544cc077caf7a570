"""What strengths may be: against brute force on grids, long chains of the plainest kind, and least squares."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from heats.base.threads import use_one_thread
from heats.engine.feedback import Kind
from heats.engine.standings import posterior, precision
from heats.engine.standings.choices import Choices, find_choices
from heats.engine.standings.effects import find_effects
from heats.engine.standings.models import ChoiceModel, EffectModel, Field
from heats.engine.standings.posterior import FEW_ARMS, explore
from heats.engine.standings.shapes import look_at_even, look_at_normal
from tests.engine.standings.pulls import draw_winners, tell

SEED = np.array(7, dtype=np.uint64)

# Few pulls and lopsided: where a normal approximation is worst.
LOPSIDED = [((0, 1), (1, 0)), ((0, 2), (1, 0)), ((0, 1), (1, 0)), ((1, 2), (1, 0)), ((1, 2), (0, 1)), ((0, 2), (1, 0))]


def lopsided() -> Choices:
    choices = find_choices(Kind.WINNER, [tell(*map(list, zip(*LOPSIDED, strict=True)))], 3)
    assert choices is not None
    return choices


def integrate(choices: Choices, spread: float, even: bool = False) -> tuple[float, np.ndarray, np.ndarray]:
    """Return evidence, means and chances to be the best of three arms, summed over a fine grid."""
    axis = np.linspace(-1, 1, 61) * (3 if even else 6) * spread
    points = np.array(list(product(axis, repeat=3))).T
    look = look_at_even if even else look_at_normal
    logs = choices.likelihood(points)[0] + look(points / spread)[0].sum(axis=0)
    weights = np.exp(logs)
    total = weights.sum()
    best = (points == points.max(axis=0)).astype(float)
    best /= best.sum(axis=0)
    cell = (axis[1] - axis[0]) ** 3
    return total * cell / (math.sqrt(2 * math.pi) * spread) ** 3, points @ weights / total, best @ weights / total


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_draws_of_three_arms_agree_with_a_grid(spread: float, even: bool) -> None:
    """Means and chances to be the best, of a posterior that is far from normal."""
    model = ChoiceModel(lopsided())
    fit = model.fit(Field(spread, even=even), np.zeros(3))
    draws = model.draw([fit], [4000], SEED)
    _, means, chances = integrate(lopsided(), spread, even)
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


@pytest.mark.parametrize(("spread", "error"), [(0.3, 0.02), (1.0, 0.1), (3.0, 0.35)])
def test_how_likely_an_even_field_is_agrees_with_a_grid(
    monkeypatch: pytest.MonkeyPatch, spread: float, error: float
) -> None:
    """Beside the normal one, though arms are taken for independent: it costs most where little is known of them."""
    monkeypatch.setattr(posterior, "FEW_ARMS", 2)
    monkeypatch.setattr(posterior, "MANY_ARMS", 3)
    normal = ChoiceModel(lopsided()).fit(Field(spread), np.zeros(3))
    ours = posterior._see_as_even(normal).log_weight - normal.log_weight
    exact = [math.log(integrate(lopsided(), spread, even)[0]) for even in (True, False)]
    assert ours == pytest.approx(exact[0] - exact[1], abs=error)


def test_the_gradient_of_each_chain_is_that_of_its_field() -> None:
    """By differences, for chains in normal and even fields side by side."""
    rng = np.random.default_rng(8)
    model, points, spreads = ChoiceModel(lopsided()), rng.normal(size=(3, 4)), np.array([[0.5, 0.5, 2.0, 2.0]])
    even = np.array([False, True, False, True])
    values, slopes = model._look(points, spreads, even)
    for arm in range(3):
        nudge = 1e-6 * (np.arange(3) == arm)[:, None]
        ahead, behind = (model._look(points + sign * nudge, spreads, even)[0] for sign in (1, -1))
        assert slopes[arm] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-5)
    assert values[::2] == pytest.approx(model._look(points[:, ::2], spreads[:, ::2])[0])


def compare_fields(strengths: np.ndarray, rng: np.random.Generator) -> float:
    """Return the log of how much likelier the likeliest even field is than all others, by 60 pulls per arm."""
    choices = find_choices(Kind.WINNER, [draw_winners(strengths, 60 * strengths.size, 4, rng)], strengths.size)
    assert choices is not None
    fits = posterior._fit_fields(ChoiceModel(choices), strengths.size)
    even, others = (max(fit.log_weight for fit in fits if fit.field.even is each) for each in (True, False))
    return float(even - others)


def test_what_was_told_of_many_arms_decides_whether_their_field_is_even() -> None:
    """Equally spaced arms, often seen, speak for it; normal ones against it."""
    rng = np.random.default_rng(6)
    assert compare_fields(np.linspace(-2, 2, 60), rng) > 2
    assert compare_fields(rng.normal(size=60), rng) < -1


@pytest.mark.parametrize(("n", "asked"), [(FEW_ARMS, False), (FEW_ARMS + 1, True)])
def test_few_arms_and_rewards_are_not_asked_for_their_shape(n: int, asked: bool) -> None:
    """Few could not tell, and effects are drawn by a way that holds for normal fields only."""
    rng = np.random.default_rng(6)
    arms = np.array([rng.choice(n, 4, replace=False) for _ in range(2 * n)])
    told = [tell(arms.tolist(), rng.normal(size=arms.shape).tolist())]
    choices, effects = find_choices(Kind.REWARDS, told, n), find_effects(told, lambda values: values, n)
    assert choices is not None
    assert effects is not None
    assert any(fit.field.even for fit in posterior._fit_fields(ChoiceModel(choices), n)) is asked
    assert not any(fit.field.even for fit in posterior._fit_fields(EffectModel(effects), n))


def test_the_odds_of_an_even_field_grow_with_the_number_of_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    """From none to even ones, where what was told speaks for neither shape."""
    monkeypatch.setattr(posterior, "compare_with_even", lambda middles, deviations: 0.0)

    def find_odds(n: int) -> float:
        choices = find_choices(Kind.WINNER, [tell([[0, 1]], [[1, 0]])], n)
        assert choices is not None
        normal = ChoiceModel(choices).fit(Field(1.0), np.zeros(n))
        return math.exp(posterior._see_as_even(normal).log_weight - normal.log_weight)

    assert [find_odds(n) for n in (21, 35, 50, 200)] == pytest.approx([1 / 30, 1 / 2, 1, 1])


def test_the_best_of_an_even_field_is_less_sure() -> None:
    """Which is what even fields are for: the one that came out first of many is hardly ahead of the next."""
    rng = np.random.default_rng(9)
    choices = find_choices(Kind.WINNER, [draw_winners(np.linspace(-1.7, 1.7, 50), 150, 4, rng)], 50)
    assert choices is not None
    model = ChoiceModel(choices)
    with use_one_thread():
        normal, even = (model.fit(Field(1.0, even=even), np.zeros(50)) for even in (False, True))
        drawn = [model.draw([fit], [100], SEED).argmax(axis=0) for fit in (normal, even)]
    chances = [(each == normal.mode.argmax()).mean() for each in drawn]
    assert chances[1] < chances[0] - 0.03


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
    assert fit.mode * effects.scale == pytest.approx(solved[:5])
    covariance = np.linalg.inv(design.T @ design + prior)[:5, :5]
    assert fit.precision.find_scale() @ fit.precision.find_scale().T == pytest.approx(covariance)
    left = ((rewards.ravel() - design @ solved) ** 2).sum() + (solved[:5] ** 2).sum() / spread**2
    assert fit.noise * effects.scale**2 == pytest.approx(left / (60 - 20))


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
    monkeypatch.setattr(precision, "MOST_TOGETHER", 20)
    rough = explore(ChoiceModel(choices), 60, SEED)
    assert (exact.approximate, rough.approximate) == (False, True)
    chances = []
    for each in (exact, rough):
        found = np.zeros(60)
        found[each.drawn] = np.bincount(each.draws.argmax(axis=0), minlength=len(each.draws)) / each.draws.shape[1]
        chances.append(found)
    assert np.abs(chances[0] - chances[1]).max() < 0.08
    assert np.corrcoef(exact.strengths, rough.strengths)[0, 1] > 0.999
