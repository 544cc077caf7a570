"""All randomness that a run depends on: pure functions of the seed and of what is being drawn.

There is no generator to save or to advance. A deal, the order in which a heat is shown and the
seed handed to a comparison are hashes of (seed, what it is for, where in the run), so they are
the same on every machine, in every NumPy version and in every order of asking, and ten thousand
tournaments can be dealt in one array operation by passing an array of seeds.
"""

from __future__ import annotations

from enum import IntEnum, unique

import numpy as np
from numpy.typing import ArrayLike

from heats.base.arrays import Array, Indices, Order, Words
from heats.base.checks import whole


@unique
class Purpose(IntEnum):
    """What is being drawn: part of every hash, so that no two uses share their randomness.

    A number stays with its purpose for good: another one would deal other heats to the runs that are written down.
    """

    DEAL = 0  # who meets whom
    PRESENT = 1  # the order in which a heat is shown
    QUERY = 2  # the seed of a pull
    SETS = 3  # the sets of RoundRobin
    RESAMPLE = 4  # a bootstrap
    SAMPLE = 100  # a candidate out of a space
    INSTANCE = 101  # the instance of a heat of programs
    RUN = 102  # the seed of one of its runs
    TURN = 103  # which of them runs first, if one after another
    GRAPH_VERTICES = 200  # a colouring instance: how many vertices,
    GRAPH_RANDOM = 201  # its random graph,
    GRAPH_NEW = 202  # edges that replace others,
    GRAPH_OLD = 203  # edges that stay,
    GRAPH = 204  # and the graph itself, drawn until it can be coloured
    SAPS_PARAMETERS = 300  # a parameterization of SAPS
    TABLE_RUN = 400  # the seed of a run in the table of runs
    LIVE_INSTANCE = 500  # a race for real: its instance,
    LIVE_RUN = 501  # and the seed of a run
    WORLD_BEST = 600  # the synthetic family: its best arm,
    WORLD_DECOY = 601  # the arm set apart,
    WORLD_ARM = 602  # an arm's part in its set,
    WORLD_MEAN = 603  # a mean,
    WORLD_SPREAD = 604  # a deviation,
    WORLD_ANEW = 605  # and the world of a repetition


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_64_BITS = 0xFFFF_FFFF_FFFF_FFFF


def draw_bits(seed: ArrayLike, *coordinates: ArrayLike) -> Words:
    """Return 64 random-looking bits per element of the broadcast arguments (splitmix64, chained).

    For fixed other arguments, different last coordinates give different bits: every step can be undone.
    """
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


def fold_seed(seed: int) -> np.uint64:
    """Fold a user's seed, a whole number of any size, into the 64 bits every other draw starts from."""
    number = whole("seed", seed, 0, why="for another run each time, draw one: secrets.randbits(32)")
    words = draw_bits(0, number & _64_BITS)
    while number := number >> 64:
        words = draw_bits(words, number & _64_BITS)
    return np.uint64(words)


def to_unit(words: Words) -> Array:
    """Turn random bits into numbers from 0 to 1, 1 left out."""
    numbers: Array = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return numbers


def pick_below(limit: ArrayLike, words: Words) -> Indices:
    """Turn random bits into whole numbers 0..limit-1 (limit far below 2^53)."""
    numbers: Indices = np.floor(to_unit(words) * np.asarray(limit)).astype(np.int64)
    return numbers


def shuffle(seed: ArrayLike, purpose: Purpose, where: ArrayLike, arms: Indices) -> Order:
    """Return the order (along the last axis) in which ``arms`` come in one seeded shuffle."""
    return sort_order(draw_bits(seed, purpose, where, arms))


def sort_order(words: Words) -> Order:
    """Return the order that sorts different words along the last axis, as argsort does, and faster.

    Each word carries its position in its low bits, and the words themselves are sorted, for which there are vector
    instructions. Words whose remaining high bits are equal, which is rare, are sorted the plain way.
    """
    size = words.shape[-1]
    bits = max(1, (size - 1).bit_length())
    low = np.uint64((1 << bits) - 1)
    ranked = np.sort((words & ~low) | np.arange(size, dtype=np.uint64), axis=-1)
    high = ranked >> np.uint64(bits)
    if (high[..., 1:] == high[..., :-1]).any():
        return np.argsort(words, axis=-1, kind="stable")
    return (ranked & low).astype(np.intp)
