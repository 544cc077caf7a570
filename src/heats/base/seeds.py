"""A user's seed → 64 bits, in plain Python: the programs a race starts over and over have no time to import NumPy."""

from __future__ import annotations

from heats.base.checks import whole

GOLDEN = 0x9E3779B97F4A7C15
ALL_BITS = 0xFFFF_FFFF_FFFF_FFFF


def mix_word(word: int) -> int:
    """Finalise as splitmix64 does: every bit that goes in changes every one that comes out half of the time."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & ALL_BITS
    return word ^ (word >> 31)


def draw_word(word: int, *coordinates: int) -> int:
    """Go on from bits drawn before to those of a place."""
    for coordinate in coordinates:
        word = mix_word(((word ^ (coordinate & ALL_BITS)) + GOLDEN) & ALL_BITS)
    return word


def fold_seed(seed: int) -> int:
    """Fold a user's seed, a whole number of any size, into the 64 bits every other draw starts from."""
    number = whole("seed", seed, 0, why="equal ones give equal runs, another one another run")
    word = draw_word(0, 0, number)
    while number := number >> 64:
        word = draw_word(word, 0, number)
    return word
