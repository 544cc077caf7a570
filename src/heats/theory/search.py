"""The rounds of a plan + the pulls every heat needs → the smallest budget whose exact schedule gives them.

The schedule shares x: ⌊x/heats⌋ pulls per heat, x as large as the budget allows. What is then left over goes to the
rounds with the fewest pulls, so a heat that misses some may still get them. The smallest budget belongs to the first
x at which all that is missing costs less than the step to x + 1, or else to x = needed·(widest round), where nothing
is missing. A step is a multiple of the widths that grow there: only multiples of wide rounds can pay for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from heats.base.arrays import Indices
from heats.errors import InvalidArgument

MOST_SEARCHED_SHARES = 2 * 10**6  # a third of a second
MOST_SEARCHED_PULLS = 2**62  # of a budget: all sums fit 64 bits
AT_ONCE = 10**6  # shares × widths in one array


def find_smallest_budget(heats: Sequence[int], needed: int) -> int:
    """Return the smallest budget that gives ``needed`` pulls to every heat of rounds with these numbers of heats."""
    if needed * max(heats) * len(heats) > MOST_SEARCHED_PULLS:
        raise InvalidArgument(f"{needed} pulls per heat cost more than 2^62 pulls; ask for a larger gap.")
    return sum(heats) if needed == 1 else _Search(heats, needed).find_budget()


class _Search:
    """Rounds by their widths, narrowest first; ``costs`` of a pull of all heats in all rounds of a width."""

    def __init__(self, heats: Sequence[int], needed: int) -> None:
        counts = sorted(Counter(heats).items())
        self.needed = needed
        self.total = sum(heats)
        self.widths: Indices = np.array([width for width, _ in counts], dtype=np.int64)
        self.costs: Indices = np.array([width * many for width, many in counts], dtype=np.int64)
        self.widest = counts[-1][0]
        self.enough = needed * self.widest  # the share at which nobody misses a pull

    def find_budget(self) -> int:
        """Return the budget of the first share that does."""
        share = self.find_share()
        pulls = np.maximum(self.needed, share // self.widths)
        return int(pulls @ self.costs)

    def find_share(self) -> int:
        """Return the first x such that the step to x + 1 costs more than what is missing at x."""
        steps = self.list_steps()
        size = max(1, AT_ONCE // len(self.widths))
        for start in range(0, len(steps), size):
            some = steps[start : start + size]
            found = np.flatnonzero(self.price_missing(some - 1) < self.price_steps(some))
            if found.size:
                return int(some[found[0]]) - 1
        return self.enough

    def list_steps(self) -> Indices:
        """Return the shares up to ``enough``, in order, whose steps may cost more than what is missing before them."""
        narrow = int(np.searchsorted(np.cumsum(self.costs), int(self.costs[-1]) // 2, side="right"))
        spare = int(self.costs[:narrow].sum())  # rounds that cannot pay on their own; more of them are less to list
        first = self.find_first_step()
        many = int(((self.enough - first) // self.widths[narrow:] + 1).sum())
        if many > MOST_SEARCHED_SHARES:
            raise InvalidArgument(
                f"rounds of {len(self.widths)} different widths, up to {self.widest} heats, are too many to search for "
                "the smallest budget; take fewer arms, a smaller heat_size, or a strategy with fewer rounds."
            )
        shares, paid = _add_multiples(zip(self.widths[narrow:], self.costs[narrow:], strict=True), first, self.enough)
        kept: Indices = shares[paid + spare > self.bound_missing(shares - 1)]
        return kept

    def find_first_step(self) -> int:
        """Return a share below which more is missing than any step costs, by bisection."""
        low, high = 2, self.enough
        while low < high:
            middle = (low + high) // 2
            if int(self.bound_missing(np.array([middle - 1]))[0]) < self.total:
                high = middle
            else:
                low = middle + 1
        return low

    def bound_missing(self, shares: Indices) -> Indices:
        """Return no more than what is missing: a round misses at least needed·heats − x, the widest a whole pull."""
        capped = np.maximum(shares, self.widest)
        place = np.searchsorted(self.widths * self.needed, capped, side="right")
        counts = self.costs // self.widths
        after = np.append(np.cumsum((self.costs * self.needed)[::-1])[::-1], 0)
        rounds = np.append(np.cumsum(counts[::-1])[::-1], 0)
        smooth = after[place] - rounds[place] * capped
        widest = np.maximum(0, self.needed - np.maximum(1, shares // self.widest)) * self.costs[-1]
        bound: Indices = np.maximum(smooth, widest)
        return bound

    def price_missing(self, shares: Indices) -> Indices:
        """Return what the pulls cost that heats miss at these shares."""
        pulls = np.maximum(1, shares[:, None] // self.widths)
        missing: Indices = np.maximum(0, self.needed - pulls) @ self.costs
        return missing

    def price_steps(self, shares: Indices) -> Indices:
        """Return what the pulls cost that heats get at these shares and not before; the first pull is free."""
        pulls, rest = np.divmod(shares[:, None], self.widths)
        steps: Indices = ((rest == 0) & (pulls >= 2)) @ self.costs
        return steps


def _add_multiples(prices: Iterable[tuple[int, int]], low: int, high: int) -> tuple[Indices, Indices]:
    """Return all multiples from ``low`` to ``high`` of some numbers, in order, with the prices of their divisors."""
    listed = [(np.arange(-(-low // each) * each, high + 1, each), price) for each, price in prices]
    every = np.concatenate([multiples for multiples, _ in listed])
    price_of_each = np.repeat([price for _, price in listed], [len(multiples) for multiples, _ in listed])
    shares, where = np.unique(every, return_inverse=True)
    paid = np.zeros(len(shares), dtype=np.int64)
    np.add.at(paid, where, price_of_each)
    return shares, paid
