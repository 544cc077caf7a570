"""Pulls made up for tests, as evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heats.engine.evidence.told import Told


def tell(arms: Sequence[Sequence[int]], observations: Sequence[Sequence[float]]) -> Told:
    """Return pulls of one stage, each of a heat of its own."""
    return Told(0, np.arange(len(arms)), np.arange(len(arms)), np.array(arms), np.array(observations, dtype=float))


def draw_winners(strengths: np.ndarray, pulls: int, size: int, rng: np.random.Generator) -> Told:
    """Return random heats whose winners are drawn in proportion to e^strength."""
    arms = np.array([rng.choice(strengths.size, size, replace=False) for _ in range(pulls)])
    luck = strengths[arms] + rng.gumbel(size=arms.shape)
    return tell(arms.tolist(), (luck == luck.max(axis=1, keepdims=True)).astype(float).tolist())
