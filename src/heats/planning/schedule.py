"""Candidates and a rule → the rounds that happen; rounds and a budget → pulls per heat.

Section 4.1 of the paper divides the budget by *bounds* on the number of rounds R and of heats P_r.
The exact schedule divides it over the rounds that really happen; the printed one is kept to the letter.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from heats.errors import InvalidArgument
from heats.planning.rules import Rule

MOST_ROUNDS = 100_000  # of a plan: a second of planning
LARGEST_SAFE_HEAT = 4000  # arms; in heats of up to this size no rule takes MOST_ROUNDS, with any number of arms
BITS = 256  # of fractions in the printed schedule: a million steps are off by less than 2^-230


class Shape(NamedTuple):
    """A round before it is priced."""

    heats: int
    size: int
    keep: int
    byes: int


def lay_rounds(n_arms: int, heat_size: int, keep: Rule) -> Iterator[Shape]:
    """Yield the rounds of Algorithm 1; both its loops are one, because a short last heat is just smaller."""
    active = n_arms
    while active > 1:
        size = min(heat_size, active)
        heats, byes = divmod(active, size)  # the remainder rests, it is not eliminated (line 5)
        stay = keep(size)
        yield Shape(heats, size, stay, byes)
        active = heats * stay + byes


def list_rounds(n_arms: int, heat_size: int, keep: Rule) -> list[Shape]:
    """Return the rounds, or refuse to list more than a plan may have."""
    shapes = list(islice(lay_rounds(n_arms, heat_size, keep), MOST_ROUNDS + 1))
    if len(shapes) > MOST_ROUNDS:
        raise InvalidArgument(
            f"{{heat_size}} takes more than {MOST_ROUNDS} rounds when heats drop so few; take heats of "
            f"{LARGEST_SAFE_HEAT} or fewer, or a strategy that drops more, such as csh.",
            heat_size=heat_size,
        )
    return shapes


def list_affordable_rounds(
    n_arms: int, heat_size: int, keep: Rule, budget: int, most: int = MOST_ROUNDS
) -> list[Shape]:
    """Return the rounds if the budget buys a pull of every heat and they are up to ``most``, else none."""
    shapes: list[Shape] = []
    heats = 0
    for shape in lay_rounds(n_arms, heat_size, keep):
        shapes.append(shape)
        heats += shape.heats
        if heats > budget or len(shapes) > most:
            return []
    return shapes


def share_budget(heats: Sequence[int], budget: int) -> list[int]:
    """Give every heat of a round max(1, ⌊x/heats⌋) pulls, x as large as the budget allows; spend the rest."""
    return spend_rest(heats, _divide_share(heats, budget), budget)


def _divide_share(heats: Sequence[int], budget: int) -> list[int]:
    """Return max(1, ⌊x/heats⌋) for every round, x as large as the budget allows."""

    def divide(share: int) -> list[int]:
        return [max(1, share // width) for width in heats]

    # The cost grows with x: bisect for the largest x that is affordable. A round costs x − heats < cost ≤ x + heats.
    total, rounds = sum(heats), len(heats)
    low, high = max(0, (budget - total) // max(1, rounds)), (budget + total) // max(1, rounds)
    while low < high:
        middle = (low + high + 1) // 2
        if count_pulls(heats, divide(middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return divide(low)


def share_budget_blindly(heats: Sequence[int], budget: int) -> list[int]:
    """Give every round an equal share, even if some heat gets nothing; spend the rest."""
    return spend_rest(heats, _divide_blindly(heats, budget), budget)


def _divide_blindly(heats: Sequence[int], budget: int) -> list[int]:
    return [budget // (len(heats) * width) for width in heats]


def bound_pulls(heats: Sequence[int], low: int, high: int) -> list[int]:
    """Return for every round the most pulls per heat that any budget from ``low`` to ``high`` may give it.

    Shares grow with the budget. What is left over of a budget is less than a pull of all heats, since x + 1 could not
    be paid, and less than what the share of the lowest budget leaves of the highest; a round gets at most all of it.
    """
    total = sum(heats)
    if high < total:
        divides = [_divide_blindly]
    else:
        divides = [_divide_share] if low >= total else [_divide_blindly, _divide_share]
    left = total - 1
    if len(divides) == 1:
        left = min(left, high - count_pulls(heats, divides[0](heats, low)))
    shares = [divide(heats, high) for divide in divides]
    return [max(each) + left // width for width, *each in zip(heats, *shares, strict=True)]


def spend_rest(heats: Sequence[int], pulls: Sequence[int], budget: int) -> list[int]:
    """Add one pull per heat to the affordable round with the fewest (the later on a tie) until none is affordable."""
    left, pulls = budget - count_pulls(heats, pulls), list(pulls)
    poorest = [(have, -index) for index, have in enumerate(pulls)]
    heapq.heapify(poorest)
    width_left = sum(heats)  # of the rounds that may still get something
    while poorest:
        if left > 2 * width_left:  # the same in one step: all get at least one more
            poorest, left = _raise_poorest(heats, poorest, left)
        have, index = poorest[0]
        if heats[-index] > left:
            heapq.heappop(poorest)  # what is left only shrinks: never affordable again
            width_left -= heats[-index]
        else:
            left -= heats[-index]
            have += 1
            heapq.heapreplace(poorest, (have, index))
        pulls[-index] = have
    return pulls


def _raise_poorest(
    heats: Sequence[int], poorest: list[tuple[int, int]], left: int
) -> tuple[list[tuple[int, int]], int]:
    """Bring the rounds with the fewest pulls up to the highest common number that is affordable."""
    level, width = min(poorest)[0], 0
    for have, index in sorted(poorest):
        if width * (have - level) > left:
            break
        left -= width * (have - level)
        level, width = have, width + heats[-index]
    more, left = divmod(left, width)
    raised = [(max(have, level + more), index) for have, index in poorest]
    heapq.heapify(raised)
    return raised, left


def count_pulls(heats: Iterable[int], pulls: Iterable[int]) -> int:
    """Total pulls of rounds, by their numbers of heats and of pulls per heat."""
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
    return (each.ceil() for each in _shrink(n, k, stay, of))


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
        asked = count_pulls(heats, printed_pulls(strategy, n_arms, heat_size, len(heats), budget))
        if asked <= budget:
            return budget
        budget = asked
    return None


def _ceil_log(n: int, base: int, against: int) -> int:
    """Return ⌈log_{base/against} n⌉: the smallest m with n·(against/base)^m ≤ 1."""
    return next(m for m, each in enumerate(_shrink(n, 1, against, base)) if each.ceil() <= 1)


class _Fraction(NamedTuple):
    """x = top·(stay/of)^times / bottom, between two bounds in units of 2^-BITS."""

    low: int
    high: int
    parts: tuple[int, int, int, int, int]  # top, bottom, stay, of, times

    def ceil(self) -> int:
        """Return ⌈x⌉; x itself, whose parts may have a million digits, is worked out only next to an integer."""
        least, most = -(-self.low >> BITS), -(-self.high >> BITS)
        if least == most:
            return most
        top, bottom, stay, of, times = self.parts
        return -(-top * int(stay**times) // (bottom * int(of**times)))


def _shrink(top: int, bottom: int, stay: int, of: int) -> Iterator[_Fraction]:
    """Yield top/bottom, top/bottom·(stay/of), top/bottom·(stay/of)² and so on."""
    low, high = (top << BITS) // bottom, -(-(top << BITS) // bottom)
    times = 0
    while True:
        yield _Fraction(low, high, (top, bottom, stay, of, times))
        low, high, times = max(1, low * stay // of), -(-high * stay // of), times + 1
