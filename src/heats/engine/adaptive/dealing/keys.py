"""The priority of an arm, its pulls, luck → one whole number, a *key*: the larger, the sooner it is dealt.

The priority counts to fourteen binary places, then fewer pulls, then luck, which no two arms share: so of a key it
is known whose it is.
"""

from __future__ import annotations

import math

import numpy as np

from heats.base.arrays import Array, Indices

FRACTION_BITS = 14  # of a value in a key
UNIT = 2**FRACTION_BITS
PULL_BITS = 11
LARGEST_VALUE = 8000.0  # in a key: beyond, nothing will ever be equal again
LARGEST_UNITS = round(LARGEST_VALUE * UNIT)
LUCK_BITS = 63 - FRACTION_BITS - PULL_BITS - math.ceil(math.log2(LARGEST_VALUE)) - 1
MOST_ARMS = 2**LUCK_BITS  # that luck tells apart
ENDS = 2 ** (62 - LUCK_BITS)  # of what comes before luck in a key, on both sides
NEVER = 2**63  # comes after all keys, which are turned round where the smallest is wanted
MOST_PULLS = 2**PULL_BITS - 1  # that are told apart
ONE_PULL = 2**LUCK_BITS  # in a key
VALUE_AT = PULL_BITS + LUCK_BITS  # bits from its end


def round_values(values: Array) -> Array:
    """Return values as far as keys know them, so that what they become does not grow from the last bit of a number."""
    rounded: Array = np.rint(values * UNIT) / UNIT
    return rounded


def make_keys(values: Array, pulled: Indices, luck: Indices) -> Indices:
    """Return whole numbers that order arms: the larger, the sooner."""
    rounded = np.rint(np.clip(values, -LARGEST_VALUE, LARGEST_VALUE) * UNIT).astype(np.int64)
    later = (MOST_PULLS - np.minimum(pulled, MOST_PULLS)) * ONE_PULL - luck
    keys: Indices = rounded * 2**VALUE_AT + later
    return keys


def make_key(value: float, pulled: int, luck: int) -> int:
    """Return one of them; pulls are no more than are told apart."""
    if not -LARGEST_VALUE < value < LARGEST_VALUE:
        value = math.copysign(LARGEST_VALUE, value)
    key: int = (round(value * UNIT) << VALUE_AT) + (MOST_PULLS - pulled) * ONE_PULL - luck
    return key
