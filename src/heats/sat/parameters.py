"""What can be tuned in SAPS, and how to draw it."""

from __future__ import annotations

from typing import NamedTuple


class Parameters(NamedTuple):
    """What can be tuned; the defaults are those of AClib."""

    alpha: float = 1.189  # scaling factor
    rho: float = 0.5  # smoothing factor
    ps: float = 0.1  # smoothing probability
    wp: float = 0.03  # random walk probability

    @classmethod
    def sample(cls, seed: int, index: int) -> Parameters:
        """Draw from the usual ranges: alpha log-uniformly from [1.01, 1.4], the others uniformly.

        Rounded to six places, so that they can be typed, and do not depend on a machine's way to compute powers.
        """
        import numpy as np

        from heats.base import randomness
        from heats.base.randomness import Purpose

        words = randomness.draw_bits(randomness.fold_seed(seed), Purpose.SAPS_PARAMETERS, index, np.arange(4))
        alpha, rho, ps, wp = randomness.to_unit(words).tolist()
        drawn = (1.01 * (1.4 / 1.01) ** alpha, rho, 0.2 * ps, 0.06 * wp)
        return cls(*(round(each, 6) for each in drawn))
