"""When the pulls that are left of a heat can no longer change who stays in it."""

from __future__ import annotations

from collections.abc import Sequence

from heats.base.arrays import Array
from heats.engine.feedback import Kind
from heats.engine.scoring import adapt_to_kind, averages_shares
from heats.engine.statistics import Statistic, mean, win_rate
from heats.errors import InvalidArgument
from heats.planning.plan import Plan

DECIMALS = 9  # sums of simple fractions that are equal differ in later ones at most


class Endings:
    """Hears every heat of a stage pull by pull, in the order of the ids, and says which pull decides it.

    Scores are means of shares between 0 and 1 of one and the same pulls, so an arm gains at most 1 on another in a
    pull, and does where it wins. Rewards that are averaged know no such bound: with them no heat ends early.
    """

    def __init__(self, statistic: Statistic, heats: int, size: int, pulls: int, keep: int) -> None:
        self._statistic = statistic
        self._keep = keep
        self._size, self._pulls = size, pulls
        self._sums = [[0.0] * size for _ in range(heats)]
        self._left = [pulls] * heats

    def hear(self, heat: int, kind: Kind | None, observations: Array | None) -> bool:
        """Take in the next pull of a heat, arms as dealt, None without a verdict; return whether it is decided."""
        self._left[heat] -= 1
        sums = self._sums[heat]
        if observations is not None:
            assert kind is not None
            statistic = adapt_to_kind(self._statistic, kind)
            if not averages_shares(statistic, kind):
                return False
            assert statistic.per_pull is not None
            shares = statistic.per_pull(observations).tolist()
            sums[:] = [total + share for total, share in zip(sums, shares, strict=True)]
        return is_decided(sums, self._keep, self._left[heat])

    def forget(self, heat: int) -> None:
        """Begin anew with a heat."""
        self._sums[heat], self._left[heat] = [0.0] * self._size, self._pulls


def is_decided(sums: Sequence[float], keep: int, left: int) -> bool:
    """Whether the ``keep`` arms that are ahead stay, whatever ``left`` more pulls say; equal sums fall as dealt."""
    sums = [round(each, DECIMALS) for each in sums]
    order = sorted(range(len(sums)), key=lambda place: -sums[place])
    stay, leave = order[:keep], order[keep:]
    lowest, highest = sums[stay[-1]], sums[leave[0]]
    spare = round(lowest - highest - left, DECIMALS)
    if spare:
        return spare > 0
    last = max(place for place in stay if sums[place] == lowest)
    return last < min(place for place in leave if sums[place] == highest)


def check_early(plan: Plan, statistic: Statistic) -> None:
    """Refuse to leave out pulls that decide something later, or of which it is known that they always do."""
    if plan.record != "off":
        raise InvalidArgument(
            f"{{early}} leaves out pulls that cannot change who stays in a heat, but the plan's record is "
            f"{plan.record!r}, which looks back on all pulls in later rounds; plan with record='off', or leave "
            "out early.",
            early=True,
        )
    if statistic is not mean and statistic is not win_rate:
        raise InvalidArgument(
            f"{{early}} needs scores that are shares of wins or places: of {statistic!r} any pull that is left may "
            "change who stays. Score by heats.mean or heats.win_rate, or leave out early.",
            early=True,
        )
    if plan.feedback == "reward" and statistic is mean:
        raise InvalidArgument(
            "{early} saves nothing with rewards that are averaged: the last one may be as large as it likes, and "
            "change who stays. Score by heats.win_rate, plan for winners or rankings, or leave out early.",
            early=True,
        )
