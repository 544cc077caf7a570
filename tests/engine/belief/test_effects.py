"""Effects of rewards, their precision and their likelihood, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from heats.engine.belief import effects
from heats.engine.belief.consistent import weigh_consistent
from heats.engine.belief.effects import fit_effects
from heats.engine.belief.evidence import Rewards
from heats.engine.belief.settings import LEAST_NOISE, VARIANCE_RATIOS
from heats.engine.feedback import Kind
from tests.engine.belief.plain import (
    Comparison,
    Run,
    center,
    draw_run,
    gather_runs,
    list_contrasts,
    log_mean,
    weigh_dense,
)


def solve(run: Run, n: int, ratio: float) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return effects, their covariance in units of the noise, the noise, and the log-likelihood."""
    values, design = list_contrasts(center(run), lambda key, arm: arm, n)
    precision = design.T @ design + np.eye(n) / ratio
    solution = np.linalg.solve(precision, design.T @ values)
    squares = values @ values
    left = max(squares - values @ design @ solution, LEAST_NOISE**2 * squares)
    return solution, np.linalg.inv(precision), left / values.size, weigh_dense(values, design, ratio)


@pytest.mark.parametrize("ratio", [0.03, 3.0, 1e4])
@pytest.mark.parametrize(("n", "sizes"), [(2, [2]), (4, [2] * 5), (5, [3] * 12), (7, [4, 4, 3, 2, 2, 2, 2, 3])])
def test_effects_are_those_of_a_dense_model(n: int, sizes: list[int], ratio: float) -> None:
    """Comparisons of several sizes, as of tournaments, some without a verdict; no arm is taken for an outlier."""
    rng = np.random.default_rng(len(sizes))
    runs = [draw_run(Kind.REWARDS, n, sizes, rng) for _ in range(2)]
    runs[1] = [each._replace(row=None) if at % 3 == 2 else each for at, each in enumerate(runs[1])]
    evidence = gather_runs(Kind.REWARDS, runs, n)
    assert isinstance(evidence, Rewards)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effects, "allow_outliers", lambda fit, *rest: fit)
        (fit,) = fit_effects(evidence, [np.full((2, 1), ratio)])
    covariances = fit.find_covariances(np.broadcast_to(np.arange(n), (2, n)))
    for at, run in enumerate(runs):
        solution, covariance, noise, log_evidence = solve(run, n, ratio)
        found = fit.strengths[at] - fit.strengths[at].mean()  # what is added to all has next to no weight
        assert found == pytest.approx(solution - solution.mean(), abs=1e-4)
        assert covariances[at] == pytest.approx(covariance, rel=1e-6, abs=1e-9)
        assert fit.noise[at] == pytest.approx(noise, rel=1e-4)
        assert fit.log_evidence[at] == pytest.approx(log_evidence, abs=1e-4)


def test_priors_count_by_how_likely_they_make_the_rewards() -> None:
    """The log evidence is that of their mean."""
    run = draw_run(Kind.REWARDS, 6, [3] * 30, np.random.default_rng(5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effects, "allow_outliers", lambda fit, *rest: fit)
        found = weigh_consistent(gather_runs(Kind.REWARDS, [run], 6))
    logs = [solve(run, 6, ratio)[3] for ratio in VARIANCE_RATIOS]
    assert found.log_evidence[0] == pytest.approx(log_mean(logs), abs=1e-4)
    weights = np.exp(np.array(logs) - max(logs))
    assert found.weights[:, 0] == pytest.approx(weights / weights.sum(), abs=1e-4)
    assert found.free is not None
    assert found.free.tolist() == [60]


@pytest.mark.parametrize("ratio", [0.3, 100.0])
def test_arms_that_were_measured_one_by_one_share_one_mean(ratio: float) -> None:
    """As in successive halving: some were measured more often, and the mean of all rewards is fitted away."""
    rng = np.random.default_rng(7)
    arms = np.array([0, 1, 2, 3, 0, 1, 2, 0, 1, 0, 0])
    rewards = rng.normal(size=arms.size) + arms
    run = [Comparison((arm,), (reward,)) for arm, reward in zip(arms.tolist(), rewards.tolist(), strict=True)]
    evidence = gather_runs(Kind.REWARDS, [run], 5)
    assert isinstance(evidence, Rewards)
    assert evidence.are_alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effects, "allow_outliers", lambda fit, *rest: fit)
        (fit,) = fit_effects(evidence, [np.full((1, 1), ratio)])
    basis = np.linalg.svd(np.eye(11) - 1 / 11)[0][:, :10]
    unit = rewards.std(ddof=1)
    values, design = basis.T @ (rewards / unit), basis.T @ np.eye(5)[arms]
    precision = design.T @ design + np.eye(5) / ratio
    assert fit.strengths[0] == pytest.approx(np.linalg.solve(precision, design.T @ values), abs=1e-5)
    assert fit.find_covariances(np.arange(5)[None])[0] == pytest.approx(np.linalg.inv(precision))
    assert fit.log_evidence[0] == pytest.approx(weigh_dense(values, design, ratio), abs=1e-5)
    assert evidence.scale[0] == pytest.approx(unit)
