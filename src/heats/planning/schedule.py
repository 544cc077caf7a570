"""Candidates and a rule → the rounds that happen; rounds and a budget → pulls per heat.

Section 4.1 of the paper divides the budget by *bounds* on the number of rounds R and of heats P_r.
The exact schedule divides it over the rounds that really happen; the printed one is kept to the letter.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from heats.planning.rules import Rule


class Shape(NamedTuple):
    """A round before it is priced."""

    heats: int
    size: int
    keep: int
    byes: int


def shapes(n_arms: int, heat_size: int, keep: Rule) -> Iterator[Shape]:
    """Yield the rounds of Algorithm 1; both its loops are one, because a short last heat is just smaller."""
    active = n_arms
    while active > 1:
        size = min(heat_size, active)
        heats, byes = divmod(active, size)  # the remainder rests, it is not eliminated (line 5)
        stay = keep(size)
        yield Shape(heats, size, stay, byes)
        active = heats * stay + byes


def affordable(n_arms: int, heat_size: int, keep: Rule, budget: int) -> list[Shape]:
    """Return the rounds if the budget buys a pull of every heat, else none; rounds beyond it are not looked at."""
    laid, heats = [], 0
    for shape in shapes(n_arms, heat_size, keep):
        laid.append(shape)
        heats += shape.heats
        if heats > budget:
            return []
    return laid


def exact_pulls(heats: Sequence[int], budget: int) -> list[int]:
    """Give every heat of a round max(1, ⌊x/heats⌋) pulls, x as large as the budget allows; spend the rest."""

    def pulls(share: int) -> list[int]:
        return [max(1, share // width) for width in heats]

    low, high = 0, budget  # the cost grows with the share: bisect for the largest one that is affordable
    while low < high:
        middle = (low + high + 1) // 2
        if cost(heats, pulls(middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return spend_rest(heats, pulls(low), budget)


def blind_pulls(heats: Sequence[int], budget: int) -> list[int]:
    """Give every round an equal share, even if some heat gets nothing; spend the rest."""
    return spend_rest(heats, [budget // (len(heats) * width) for width in heats], budget)


def spend_rest(heats: Sequence[int], pulls: list[int], budget: int) -> list[int]:
    """Add one pull per heat to the affordable round with the fewest (the later on a tie) until none is affordable."""
    left = budget - cost(heats, pulls)
    pulls = list(pulls)
    poorest = [(have, -index) for index, have in enumerate(pulls)]
    heapq.heapify(poorest)
    while poorest:
        have, index = poorest[0]
        if heats[-index] > left:
            heapq.heappop(poorest)  # what is left only shrinks: never affordable again
        else:
            left -= heats[-index]
            pulls[-index] = have + 1
            heapq.heapreplace(poorest, (have + 1, index))
    return pulls


def cost(heats: Iterable[int], pulls: Iterable[int]) -> int:
    """Total pulls of rounds with so many heats and so many pulls per heat."""
    return sum(width * each for width, each in zip(heats, pulls, strict=True))


# The schedule as printed. Integers only: ⌈log_k n⌉ at n = k^m must be m, and no float can promise that.


def printed_rounds(strategy: str, n_arms: int, heat_size: int) -> int:
    """R, the bound on the number of rounds of Section 4.1."""
    n, k = n_arms, heat_size
    if strategy == "csws":
        return _ceil_log(n, k, 1) + 1
    if strategy == "csr":
        return _ceil_log(n, k, k - 1) + k - 1
    return _ceil_log(n, 2, 1) + _ceil_log(k, 2, 1)


def printed_heats(strategy: str, n_arms: int, heat_size: int) -> Iterator[int]:
    """P_1, P_2, …, the bounds on the number of heats per round of Section 4.1, without end."""
    n, k = n_arms, heat_size
    stay, of = {
        "csws": (1, k),  # ⌈n / k^r⌉
        "csr": (k - 1, k),  # ⌈n (1 − 1/k)^(r−1) / k⌉
        "csh": (1, 2),  # ⌈n / (2^(r−1) k)⌉
    }[strategy]
    top, bottom = n, k
    while True:
        yield -(-top // bottom)
        top, bottom = top * stay, bottom * of


def printed_pulls(strategy: str, n_arms: int, heat_size: int, rounds: int, budget: int) -> list[int]:
    """b_r = ⌊B / (P_r R)⌋ for the rounds that happen (the prose of Section 4.1 has ⌈·⌉, which overspends)."""
    bound = printed_rounds(strategy, n_arms, heat_size)
    heats = printed_heats(strategy, n_arms, heat_size)
    return [budget // (each * bound) for each in islice(heats, rounds)]


def printed_least(strategy: str, n_arms: int, heat_size: int, heats: Sequence[int]) -> int | None:
    """Return the smallest budget at which the printed schedule sees every heat and is affordable, if there is one."""
    first = next(printed_heats(strategy, n_arms, heat_size))
    least = budget = printed_rounds(strategy, n_arms, heat_size) * first  # b_1 ≥ 1, and P_1 is the largest P_r
    while budget <= 1000 * least:  # the cost grows with the budget: what it asks for is a lower bound
        asked = cost(heats, printed_pulls(strategy, n_arms, heat_size, len(heats), budget))
        if asked <= budget:
            return budget
        budget = asked
    return None


def _ceil_log(n: int, base: int, against: int) -> int:
    """Return ⌈log_{base/against} n⌉: the smallest m with n·against^m ≤ base^m."""
    m, left, right = 0, n, 1
    while left > right:
        m, left, right = m + 1, left * against, right * base
    return m
