"""Random sets of arms in a random order, without ever listing all C(n, k) of them."""

from __future__ import annotations

import math

import numpy as np

from heats.base import randomness
from heats.base.arrays import Indices, Words
from heats.base.randomness import Purpose


def random_sets(roots: Words, n: int, size: int, most: int) -> Indices:
    """Return the first ``most`` of all sets of ``size`` out of ``n`` arms, in a random order: ``(seeds, sets, size)``.

    Where many of few sets are wanted all are numbered; where few of many, sets are drawn until enough differ.
    """
    every = math.comb(n, size)
    count = min(most, every)
    if every <= 2 * most:
        return unrank(randomness.shuffle(roots[:, None], Purpose.SETS, 0, np.arange(every))[:, :count], n, size)
    tries = count + 16
    while True:
        drawn = _floyd(roots[:, None], n, size, np.arange(tries))
        names = randomness.draw_bits(0, drawn).sum(
            axis=-1, dtype=np.uint64
        )  # equal for equal sets; for others with a chance of 2^-64
        order = np.argsort(names, axis=-1, kind="stable")
        ranked = np.take_along_axis(names, order, axis=-1)
        new = np.ones(names.shape, dtype=bool)
        np.put_along_axis(new, order[:, 1:], ranked[:, 1:] != ranked[:, :-1], axis=-1)
        if new.sum(axis=-1).min() >= count:
            first = np.argsort(~new, axis=-1, kind="stable")[:, :count]  # the new ones, in the order of the tries
            return np.take_along_axis(drawn, first[..., None], axis=1)
        tries *= 2


def _floyd(root: Words | np.uint64, n: int, size: int, tries: Indices) -> Indices:
    """Draw a uniform set per try, arms ascending: Floyd's method, all tries at once."""
    sets = np.empty((*np.broadcast_shapes(np.shape(root), tries.shape), size), dtype=np.int64)
    for column, last in enumerate(range(n - size, n)):
        pick = randomness.pick_below(last + 1, randomness.draw_bits(root, Purpose.SETS, tries, column))
        taken = (sets[..., :column] == pick[..., None]).any(axis=-1)
        sets[..., column] = np.where(taken, last, pick)
    return np.sort(sets, axis=-1)


def unrank(numbers: Indices, n: int, size: int) -> Indices:
    """Return the sets with these numbers, 0..C(n, size)-1, in the combinatorial number system, ascending."""
    rest = numbers.copy()
    sets = np.empty((*numbers.shape, size), dtype=np.int64)
    for place in range(size, 0, -1):
        least, most = place - 1, place + n - size  # arms that may have this place
        smaller = np.array([min(math.comb(c, place), 2**62) for c in range(least, most + 1)], dtype=np.int64)
        found = np.searchsorted(smaller, rest, side="right") - 1
        sets[..., place - 1] = least + found
        rest -= smaller[found]
    return sets
