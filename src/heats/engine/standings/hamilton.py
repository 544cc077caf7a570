"""A log density and a normal proposal for it → draws (Hamiltonian Monte Carlo).

In coordinates in which the proposal is a standard normal, a point that moves without friction for a quarter of its
period would land on an independent draw if the density were the proposal; what it is instead is corrected by accepting
each landing with its chance (Neal 2011). Many chains go in step, each from a draw of the proposal. All random numbers
are functions of the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from heats.base.arrays import Array, Words
from heats.base.randomness import draw_normals, draw_units

LogDensity: TypeAlias = Callable[[Array], tuple[Array, Array]]  # points (n, chains) → values, gradients

WARM_UP = 6  # landings before the first draw counts
PER_CHAIN = 8  # draws of each chain
STRIDE = 1.3  # length of a step, over the fourth root of the number of dimensions


class Proposal(NamedTuple):
    """A normal distribution, ``middle + scale @ normal``, from which some chains begin."""

    middle: Array  # (n,)
    scale: Array  # (n, n)
    chains: int


def draw_points(density: LogDensity, proposals: Sequence[Proposal], seed: Words) -> Array:
    """Return ``PER_CHAIN`` draws of each chain: ``(n, draws)``."""
    n = proposals[0].middle.size
    ends = np.cumsum([each.chains for each in proposals]).tolist()
    chains = ends[-1]
    parts = [slice(end - each.chains, end) for end, each in zip(ends, proposals, strict=True)]
    steps = math.ceil(math.pi / 2 / (STRIDE * n**-0.25))
    step = math.pi / 2 / steps

    def look(places: Array) -> tuple[Array, Array, Array]:
        points, slopes = np.empty((2, n, chains))
        for part, each in zip(parts, proposals, strict=True):
            points[:, part] = each.middle[:, None] + each.scale @ places[:, part]
        values, gradients = density(points)
        for part, each in zip(parts, proposals, strict=True):
            slopes[:, part] = each.scale.T @ gradients[:, part]
        return points, values, slopes

    places = draw_normals(seed, 0, (n, chains))
    points, values, slopes = look(places)
    draws = []
    for landing in range(WARM_UP + PER_CHAIN):
        speed = draw_normals(seed, 2 * landing + 1, (n, chains))
        energy = values - 0.5 * (speed**2).sum(axis=0)
        there, found = places, (points, values, slopes)
        for _ in range(steps):
            speed = speed + 0.5 * step * found[2]
            there = there + step * speed
            found = look(there)
            speed = speed + 0.5 * step * found[2]
        gained = found[1] - 0.5 * (speed**2).sum(axis=0) - energy
        accepted = np.log(draw_units(seed, 2 * landing + 2, (chains,))) < gained
        places = np.where(accepted, there, places)
        points, values, slopes = (
            np.where(accepted, new, old) for new, old in zip(found, (points, values, slopes), strict=True)
        )
        if landing >= WARM_UP:
            draws.append(points)
    return np.concatenate(draws, axis=1)
