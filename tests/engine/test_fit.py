"""The Plackett-Luce fit: the optimum of its likelihood, and of use where the paper's rules look at one heat alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import heats
from heats.engine.evidence.records import Fitted
from heats.environments import Gaussian, PlackettLuce, Winners
from heats.errors import BadFeedback, InvalidArgument
from tests.playing import TRUTH, play

HEATS = [np.array([[0, 1, 2], [3, 4, 5]]), np.array([[0, 3, 4]])]
PULLS = [4, 5]
WINS = [np.array([[0.5, 0.25, 0.0], [0.75, 0.25, 0.0]]), np.array([[0.4, 0.6, 0.0]])]  # one pull nobody won
SHARES = [np.array([[1.0, 0.375, 0.125], [0.75, 0.5, 0.25]]), np.array([[0.5, 0.8, 0.2]])]  # of three, the sum is 1.5


def rounds(*, pairs: bool) -> Any:
    return zip(HEATS, SHARES if pairs else WINS, PULLS, strict=True)


def loss(log_strengths: Any, *, pairs: bool) -> float:
    """Minus the regularised log-likelihood, written out pull by pull."""
    total = np.sum(np.logaddexp(0, log_strengths) - 0.5 * log_strengths)  # half a win, half a loss against strength one
    for heats_, means, pulls in rounds(pairs=pairs):
        for heat, shares in zip(heats_, means, strict=True):
            x = log_strengths[heat]
            if not pairs:
                total -= pulls * np.sum(shares * (x - np.logaddexp.reduce(x)))
                continue
            won = pulls * shares * (len(heat) - 1)
            total -= np.sum(won * x)
            total += pulls * sum(np.logaddexp(x[i], x[j]) for i in range(len(heat)) for j in range(i))
    return float(total)


@pytest.mark.parametrize("pairs", [False, True])
def test_the_fit_is_the_optimum(pairs: bool) -> None:
    """Against SciPy's minimiser; an arm never seen keeps strength one."""
    fitted = Fitted(2, 7)
    for heats_, means, pulls in rounds(pairs=pairs):
        strengths = fitted.fit(np.tile(heats_, (2, 1, 1)), np.tile(means, (2, 1, 1)), pulls, pairs=pairs, steps=500)
    found = np.log(strengths)
    best = minimize(lambda x: loss(x, pairs=pairs), np.zeros(7), method="BFGS", options={"gtol": 1e-9})
    assert found[0] == pytest.approx(best.x, abs=1e-4)
    assert found[0].tolist() == found[1].tolist()
    assert found[0][6] == pytest.approx(0)


def test_a_dozen_steps_per_round_are_nearly_there() -> None:
    """Warm-started from round to round, the order of the arms is that of the optimum."""
    orders = []
    for steps in (12, 1000):
        fitted = Fitted(1, 7)
        for heats_, means, pulls in rounds(pairs=False):
            strengths = fitted.fit(heats_[None], means[None], pulls, pairs=False, steps=steps)
        orders.append(np.argsort(strengths[0]).tolist())
    assert orders[0] == orders[1]


def test_a_pull_nobody_won_changes_nothing() -> None:
    """It tells nothing about who is stronger."""
    strengths = Fitted(1, 3).fit(np.array([[[0, 1, 2]]]), np.zeros((1, 1, 3)), 5, pairs=False)
    assert strengths[0] == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("kind", ["winner", "ranking", "best-worst", "race"])
def test_noiseless_feedback_finds_the_best(kind: str) -> None:
    """With every kind it takes."""
    plan = heats.plan(13, 4, 90, "csr", record="fitted")
    assert play(heats.Tournament(plan, seed=3), TRUTH[kind]).winner == 12
    assert heats.Plan.from_json(plan.to_json()) == plan


def test_rewards_are_refused() -> None:
    """It is a model of wins, not of numbers."""
    plan = heats.plan(13, 4, 90, record="fitted")
    with pytest.raises(BadFeedback, match="but rewards were told"):
        heats.Tournament(plan).tell(0, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(InvalidArgument, match="but rewards were told"):
        heats.simulate(plan, Gaussian(13))


@pytest.mark.parametrize("world", [Winners(Gaussian(50, redraw=True)), PlackettLuce(1.05 ** np.arange(50))])
def test_it_pays(world: Any) -> None:
    """Patient keeping profits most: CSR finds the best arm more often by a clear margin, in set-dependent worlds too."""
    rates = {
        r: heats.simulate(heats.plan(50, 4, 200, "csr", record=r), world, 2000).success_rate for r in ("off", "fitted")
    }
    assert rates["fitted"] > rates["off"] + 0.05
