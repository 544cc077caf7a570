"""Rewards of a consistent world: reward = effect of the arm + luck of the comparison + noise.

Only differences within a comparison say something of arms: its luck is fitted away by subtracting its mean. Effects θ
are normal with λ times the variance of the noise, so the most likely ones solve

    (X'X + 1/λ) θ = X'y,    X'X θ = Σ over an arm's comparisons of (θ_i − mean θ of the comparison),              (6)

and the rewards have, whatever the noise, the log-likelihood −N/2 log(y'y − θ'X'y) − ½ log |1 + λX'X|.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from heats.base.arrays import Array
from heats.engine.belief.data import add_up
from heats.engine.belief.evidence import Rewards
from heats.engine.belief.fits import Fit, allow_outliers
from heats.engine.belief.matrices import Roots, find_log_determinants
from heats.engine.belief.noise import find_left, weigh_rewards

MOST_STEPS = 100  # of conjugate gradients
SMALL_RESIDUAL = 1e-6


def fit_effects(evidence: Rewards, ratios: Sequence[Array]) -> list[Fit]:
    """Return a fit for each of several variance ratios λ ``(reps, 1)``."""
    model = _Model(evidence)
    return [model.fit(ratio) for ratio in ratios]


class _Model:
    """X'X and X'y of runs in step."""

    def __init__(self, evidence: Rewards) -> None:
        self._evidence, self._shape = evidence, (evidence.reps, evidence.n_arms)
        self._columns = [
            Roots(part.sets.arms, part.sets.runs, part.counts / np.sqrt(np.maximum(part.counts.sum(axis=0), 1)))
            for part in evidence.parts
        ]
        self._places = [each.arms + each.runs * evidence.n_arms for each in self._columns]
        self._sums = self._add_arms([part.sums for part in evidence.parts])
        self._times = self._add_arms([part.counts for part in evidence.parts])
        self._diagonal = self._times - self._add_arms([each.roots**2 for each in self._columns])

    def fit(self, ratio: Array) -> Fit:
        """Find the most likely effects (6) if they have so many times the variance of the noise."""
        evidence, precision = self._evidence, self._diagonal + 1 / ratio
        effects = _solve(lambda along: self._apply(along) + along / ratio, self._sums, precision)
        explained = (self._sums * effects).sum(axis=1)
        scaled = [each._replace(roots=each.roots * np.sqrt(ratio[each.runs, 0])) for each in self._columns]
        log_determinant = find_log_determinants(precision * ratio, scaled)
        noise = find_left(evidence, explained) / np.maximum(evidence.free, 1)
        log_evidence = weigh_rewards(evidence, explained, log_determinant)
        spread = np.sqrt(ratio[:, 0] * noise)
        third, *nobody = np.zeros((4, *effects.shape))
        fit = Fit(effects, precision, third, self._columns, noise, log_evidence, spread, ratio, *nobody)
        return allow_outliers(fit, effects / ratio, ratio)

    def _apply(self, effects: Array) -> Array:
        """Return X'X times effects."""
        applied = self._times * effects
        for at, each in zip(self._places, self._columns, strict=True):
            common = (effects.ravel().take(at, mode="clip") * each.roots).sum(axis=0)
            applied -= add_up(at, common * each.roots, self._shape)
        return applied

    def _add_arms(self, parts: Sequence[Array]) -> Array:
        """Return the sums over the sets of every arm ``(reps, n_arms)``."""
        return sum(
            (add_up(at, each, self._shape) for at, each in zip(self._places, parts, strict=True)), np.zeros(self._shape)
        )


def _solve(apply: Callable[[Array], Array], wanted: Array, nearly: Array) -> Array:
    """Solve linear systems, a row each, by conjugate gradients; ``nearly`` is the diagonal of the matrices."""
    found = np.zeros(wanted.shape)
    left = wanted.copy()
    eased = left / nearly
    along = eased.copy()
    size = (left * eased).sum(axis=1, keepdims=True)
    enough = SMALL_RESIDUAL**2 * size
    for _ in range(MOST_STEPS):
        if (size <= enough).all():
            break
        moved = apply(along)
        steepness = (along * moved).sum(axis=1, keepdims=True)
        step = np.where(size > enough, size / np.where(steepness > 0, steepness, 1.0), 0.0)
        found += step * along
        left -= step * moved
        eased = left / nearly
        before, size = size, (left * eased).sum(axis=1, keepdims=True)
        along = eased + np.where(before > 0, size / np.where(before > 0, before, 1.0), 0.0) * along
    return found
