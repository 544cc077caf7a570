"""All randomness of the engine: pure functions of the seed and of what is being drawn.

There is no generator to save or to advance. A deal, the order in which a heat is shown and the
seed handed to a comparison are hashes of (seed, what it is for, where in the plan), so they are
the same on every machine, in every NumPy version and in every order of asking, and ten thousand
tournaments can be dealt in one array operation by passing an array of seeds.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heats.engine.checks import whole

Words: TypeAlias = NDArray[np.uint64]

# What is being drawn; part of every hash, so that no two uses share their randomness.
DEAL, PRESENT, QUERY, SETS, RESAMPLE = range(5)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def hashed(seed: ArrayLike, *coordinates: ArrayLike) -> Words:
    """Return 64 random-looking bits per element of the broadcast arguments (splitmix64, chained)."""
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64 is meant
        words = _mix(np.asarray(seed, dtype=np.uint64) + _GOLDEN)
        for coordinate in coordinates:
            words = _mix((words ^ np.asarray(coordinate).astype(np.uint64)) + _GOLDEN)
    return words


def _mix(words: Words) -> Words:
    """Finalise as splitmix64 does: every input bit changes every output bit half of the time."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = words ^ (words >> np.uint64(31))
    return mixed


def root(seed: int) -> np.uint64:
    """Fold a user's seed, a whole number of any size, into the 64 bits every other draw starts from."""
    number = whole("seed", seed, 0, why="for another run each time, draw one: secrets.randbits(32)")
    words = hashed(0, number & 0xFFFF_FFFF_FFFF_FFFF)
    while number := number >> 64:
        words = hashed(words, number & 0xFFFF_FFFF_FFFF_FFFF)
    return np.uint64(words)


def below(limit: ArrayLike, words: Words) -> NDArray[np.int64]:
    """Turn random bits into whole numbers 0..limit-1 (limit far below 2^53)."""
    unit = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    numbers: NDArray[np.int64] = np.floor(unit * np.asarray(limit)).astype(np.int64)
    return numbers


def shuffled(seed: ArrayLike, purpose: int, where: ArrayLike, arms: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the order (along the last axis) in which ``arms`` come in one seeded shuffle."""
    return np.argsort(hashed(seed, purpose, where, arms), axis=-1, kind="stable")
