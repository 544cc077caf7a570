"""All randomness that a run depends on: pure functions of the seed and of what is being drawn.

There is no generator to save or to advance. A deal, the order in which a heat is shown and the
seed handed to a comparison are hashes of (seed, what it is for, where in the run), so they are
the same on every machine, in every NumPy version and in every order of asking, and ten thousand
tournaments can be dealt in one array operation by passing an array of seeds.
"""

from __future__ import annotations

import math
from enum import IntEnum, unique

import numpy as np
from numpy.typing import ArrayLike

from heats.base import seeds
from heats.base.arrays import Array, Indices, Order, Words


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
    STRENGTHS = 5  # what the strengths of the arms may be
    WAIT = 50  # how long before a comparison that failed is made again
    ROW = 60  # the row of a data set that a pull is judged on
    SAMPLE = 100  # a candidate out of a space
    INSTANCE = 101  # the instance of a heat of programs
    RUN = 102  # the seed of one of its runs
    TURN = 103  # which of them runs first, if one after another
    VALIDATION = 104  # the seed of two runs on a held-out instance
    FORECAST = 105  # heats to guess from how long a race takes
    MUTATION = 106  # a candidate near another one
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


FEW_WORDS = 16  # in a row: then argsort is faster than all else

_GOLDEN = np.uint64(seeds.GOLDEN)


def draw_bits(seed: ArrayLike, *coordinates: ArrayLike) -> Words:
    """Return 64 random-looking bits per element of the broadcast arguments (splitmix64, chained).

    For fixed other arguments, different last coordinates give different bits: every step can be undone.
    """
    return draw_more_bits(np.asarray(seed, dtype=np.uint64), 0, *coordinates)


def draw_more_bits(words: Words, *coordinates: ArrayLike) -> Words:
    """Go on from bits drawn before: ``draw_bits(seed, a, b)`` is ``draw_more_bits(draw_bits(seed, a), b)``."""
    for coordinate in coordinates:
        if isinstance(coordinate, int) and np.ndim(words) == 0:  # alone, Python's own numbers are faster
            words = np.uint64(seeds.draw_word(int(words), coordinate))
            continue
        where = np.asarray(coordinate)
        mixed = np.asarray(words ^ (where.view(np.uint64) if where.dtype == np.int64 else where.astype(np.uint64)))
        mixed += _GOLDEN
        words = _mix(mixed)
    return words


def _mix(words: Words) -> Words:
    """Finalise, in place, as splitmix64 does: every input bit changes every output bit half of the time."""
    high = np.asarray(words >> np.uint64(30))
    words ^= high
    words *= np.uint64(0xBF58476D1CE4E5B9)  # modulo 2^64
    words ^= np.right_shift(words, np.uint64(27), out=high)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= np.right_shift(words, np.uint64(31), out=high)
    return words


def fold_seed(seed: int) -> np.uint64:
    """Fold a user's seed, a whole number of any size, into the 64 bits every other draw starts from."""
    return np.uint64(seeds.fold_seed(seed))


def to_unit(words: Words) -> Array:
    """Turn random bits into numbers from 0 to 1, 1 left out."""
    numbers: Array = np.asarray(words >> np.uint64(11)).astype(np.float64)
    numbers *= 2.0**-53
    return numbers


def pick_below(limit: ArrayLike, words: Words) -> Indices:
    """Turn random bits into whole numbers 0..limit-1 (limit far below 2^53)."""
    numbers: Indices = np.floor(to_unit(words) * np.asarray(limit)).astype(np.int64)
    return numbers


def draw_units(seed: Words, where: int, shape: tuple[int, ...]) -> Array:
    """Return numbers between 0 and 1, both left out: fast, for draws that come by the million.

    NumPy promises that the raw bits of a bit generator stay the same in every version.
    """
    raw = np.random.PCG64([int(seed), where]).random_raw(math.prod(shape))
    numbers: Array = ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return numbers.reshape(shape)


def draw_normals(seed: Words, where: int, shape: tuple[int, ...]) -> Array:
    """Return standard normal numbers."""
    from scipy.special import ndtri

    normals: Array = ndtri(draw_units(seed, where, shape))
    return normals


def shuffle(seed: ArrayLike, purpose: Purpose, where: ArrayLike, arms: Indices) -> Order:
    """Return the order (along the last axis) in which ``arms`` come in one seeded shuffle."""
    return sort_order(draw_bits(seed, purpose, where, arms))


def draw_in_turn(seed: int, purpose: Purpose, number: int, count: int) -> int:
    """Return which of ``count`` things comes as that number: all in a seeded order, then all again in another one."""
    time_round, place = divmod(number, count)
    return int(shuffle(fold_seed(seed), purpose, time_round, np.arange(count))[place])


def sort_order(words: Words) -> Order:
    """Return the order that sorts different words along the last axis, as argsort does, and faster if they are many."""
    if words.shape[-1] <= FEW_WORDS:
        return np.argsort(words, axis=-1, kind="stable")
    return sort_along(words, np.arange(words.shape[-1])).astype(np.intp, copy=False)


def sort_along(words: Words, numbers: Indices) -> Indices:
    """Bring ``numbers``, not below 0, into the order of different ``words``, along the last axis.

    Each word carries its number in its low bits, and the words themselves are sorted, for which there are vector
    instructions. Where two words have the same high bits, which is rare, their order is found the plain way.
    """
    low = np.uint64((1 << int(numbers.max(initial=0)).bit_length()) - 1)
    ranked = words & ~low
    ranked |= numbers.view(np.uint64)
    ranked.sort(axis=-1)
    if ((ranked[..., 1:] ^ ranked[..., :-1]) <= low).any():
        numbers = np.broadcast_to(numbers, words.shape)
        return np.take_along_axis(numbers, np.argsort(words, axis=-1, kind="stable"), axis=-1)
    ranked &= low
    return ranked.view(np.int64)
