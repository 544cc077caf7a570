"""How many candidates of a space to draw, and AC-Band's epochs, which draw them bit by bit.

The best share α of a space is missed by N independent draws with (1 − α)^N. AC-Band (Brandt et al., AAAI 2023) draws N
configurations in epochs: half of them first, then half of what is left, and so on; in each, CSE decides between the new
ones and the survivor of the epochs before, with fewer arms and more patience from epoch to epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from heats.base.checks import between, probability, whole
from heats.planning.plan import MOST_ARMS
from heats.theory.guarantees import smallest_budget
from heats.theory.rates import Rate

CERTAINLY_ENOUGH = 10**18  # draws: the chance that all miss the smallest share is 0 to any float
SLIP = 1e-12  # of floating point: 0.1² is not quite 0.01
_WHY = "the part of the space that counts as best"


def candidates_needed(share: float, delta: float) -> int:
    """Return N = ⌈ln δ / ln(1 − α)⌉: of so many draws one is among the best ``share`` α, but for a chance of δ."""
    share, delta = _check_share(share), probability("delta", delta)
    guess = math.log(delta) / math.log1p(-share)
    needed = max(1, math.ceil(guess))
    while needed > 1 and sampling_error(share, needed - 1) <= delta * (1 + SLIP):
        needed -= 1
    return needed


def sampling_error(share: float, candidates: int) -> float:
    """Return (1 − α)^N, the chance that none of so many draws is among the best ``share`` α."""
    draws = min(whole("candidates", candidates, 0), CERTAINLY_ENOUGH)
    return math.exp(draws * math.log1p(-_check_share(share)))


def _check_share(share: float) -> float:
    return between("share", share, 1e-12, 1, open_high=True, why=_WHY)


class Epoch(msgspec.Struct, frozen=True):
    """An epoch of AC-Band: ``arms`` arms, all new but the survivor, and its ``share`` of the budget."""

    number: int  # e, from 1
    arms: int  # n_e
    heat_size: int  # k, which may be more than all arms
    share: float  # 1/c_e; those of all epochs sum to 1

    def keep(self, size: int) -> int:
        """Return f(x) = ⌊x / 2^ρ_e⌋ with 2^ρ_e = (e + k − 1)/e, in whole numbers, but 1 where that is 0."""
        return max(1, size * self.number // (self.number + self.heat_size - 1))


def ac_band_epochs(share: float, delta: float, heat_size: int) -> tuple[Epoch, ...]:
    """Return the epochs of AC-Band, as the authors' published program computes them.

    N = ``candidates_needed``, n_0 = N + 1, E = ⌈log2 n_0⌉ epochs, n_e = ⌈n_0/2^e⌉ + 1: together they draw at least N
    configurations, since Σ n_0/2^e = n_0 − n_0/2^E ≥ N.
    """
    first = candidates_needed(share, delta) + 1
    heat_size = whole("heat_size", heat_size, 2, MOST_ARMS)
    epochs = (first - 1).bit_length()  # ⌈log2 n_0⌉
    weights = [_weigh(number, epochs, first, heat_size) for number in range(1, epochs + 1)]
    return tuple(
        Epoch(number, -(-first // 2**number) + 1, heat_size, weight / sum(weights))
        for number, weight in enumerate(weights, 1)
    )


def _weigh(number: int, epochs: int, first: int, heat_size: int) -> float:
    """Return what an epoch gets in proportion: (C_2 + C_3 − e·C_1)/2^e, about its heats times its rounds."""
    base = math.log(1 + (heat_size - 1) / epochs)
    rounds = 1 + (math.log(5 * first) + math.log(heat_size) - number * math.log(2)) / base  # n_0 − N is 1
    return math.ldexp(rounds, -number)


def ac_band_budget(share: float, delta: float, heat_size: int, gap: float, rate: Rate | Callable[[int], float]) -> int:
    """Return a budget with which AC-Band surely keeps the best it has drawn: every epoch's share of it is enough.

    This is Theorem 2 of the paper on CSE, epoch by epoch: the best arm of an epoch leads its heats by more than ``gap``
    when it counts. The winner is then among the best ``share``, unless nothing drawn is, which has the chance δ, or
    a ``rate`` that holds with some probability only does not hold.
    """
    return max(
        math.ceil(smallest_budget(each.arms, min(each.heat_size, each.arms), each.keep, gap, rate) / each.share)
        for each in ac_band_epochs(share, delta, heat_size)
    )
