"""A strength over the spread of its field → how likely the shape of the field makes it.

Most fields are taken to be normal. An *even* one is spread evenly between two soft ends: with ±c where they are, and w
how soft,

    p(x) = sinh(c/w) / 2c (cosh(c/w) + cosh(x/w)),    c²/3 + (πw)²/3 = 1,

a uniform number plus a logistic one, with deviation 1 in all. It is concave in its logarithm, as the normal one is, and
it ends where a normal one goes on: of many arms the best is hardly ahead of the next.
"""

from __future__ import annotations

import math

import numpy as np

from heats.base.arrays import Array

EDGE = 16.0  # c/w: large ends abruptly, and what ends abruptly is hard to draw from
END = math.sqrt(3 / (1 + (math.pi / EDGE) ** 2))  # c
SOFTNESS = END / EDGE  # w
LOG_SCALE = math.log(math.sinh(EDGE) / (2 * END) * math.sqrt(2 * math.pi))
POINTS = np.linspace(-6, 6, 61)  # in deviations: where a normal density is looked at
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()


def look_at_even(x: Array) -> tuple[Array, Array]:
    """Return the log density of an even field at each number, and its slope; all densities are times √(2π)."""
    size = np.abs(x) / SOFTNESS
    small = np.exp(-size)  # everything over e^size, which would overflow
    both = (1 + small**2) / 2 + math.cosh(EDGE) * small
    return LOG_SCALE - size - np.log(both), np.sign(x) * (small**2 - 1) / (2 * SOFTNESS * both)


def look_at_normal(x: Array) -> tuple[Array, Array]:
    """Return the same of a normal field."""
    return -(x**2) / 2, -x


def compare_with_even(middles: Array, deviations: Array) -> float:
    """Return the log of how much likelier an even field made what was told than a normal one.

    That is the mean of even over normal densities, over what the normal field says of the strengths: of each arm a
    normal number, here taken for independent. Laplace's approximation would be far off, for an even density is flat.
    """
    x = middles[:, None] + deviations[:, None] * POINTS
    ratios = np.exp(look_at_even(x)[0] - look_at_normal(x)[0])
    return float(np.log(ratios @ WEIGHTS).sum())
