"""The instances behind the lower bounds and the necessity theorems: deterministic, with known limits and rates.

Each says what the score of every arm is after t pulls of a heat, s_{i|Q}(t). Its observations are such that their
running mean after t pulls is s(t), so any tournament with the mean as its statistic can be played on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heats.base.arrays import Array
from heats.base.checks import refuse, whole
from heats.engine.machine import Machine
from heats.errors import InvalidArgument
from heats.planning.plan import check_problem
from heats.theory.arguments import Heat, check_arm, check_function, check_heat, check_heats
from heats.theory.budgets import least_pulls
from heats.theory.limits import Limits, Values, check_limits
from heats.theory.rates import Rate, Rates, UserRate, check_rates, check_time, rate_of

MOST_SCORES = 10**7  # of an instance that are looked at: some seconds


class Instance(ABC):
    """Scores s_{i|Q}(t) for t = 1, 2, … that tend to known limits."""

    def __init__(self, n_arms: int, heat_size: int) -> None:
        self.n_arms, self.heat_size, _ = check_problem(n_arms, heat_size, 1)

    @abstractmethod
    def limits(self, heat: Heat) -> Values:
        """Return S_{i|Q} for the arms of a heat, given in increasing order."""

    @abstractmethod
    def scores(self, heat: Heat, t: int) -> Values:
        """Return s_{i|Q}(t)."""

    @abstractmethod
    def rates(self, arm: int, heat: Heat) -> Rate:
        """Return γ_{i|Q}, the smallest non-increasing bound of |s(t) − S|."""

    def table(self) -> Limits:
        """Return the limits as a table."""
        return Limits(self.n_arms, self.heat_size, self)

    def observation(self, heat: Heat, t: int) -> Values:
        """Return o(t) = t·s(t) − (t−1)·s(t−1), so that the mean of the first t observations is s(t)."""
        now = self.scores(check_heat("heat", heat, self.n_arms), check_time(t))
        before = self.scores(heat, t - 1) if t > 1 else (0.0,) * len(heat)
        return tuple(t * this - (t - 1) * last for this, last in zip(now, before, strict=True))

    def sample(self, heats: NDArray[np.int64], pulls: int) -> Array:
        """Return the first observations ``(..., pulls, size)`` of the heats ``(..., size)``."""
        if not isinstance(heats, np.ndarray) or heats.dtype.kind not in "iu" or not heats.ndim:
            raise refuse("heats", heats, "must be an array of arms, with a heat in every row")
        whole("pulls", pulls, 0)
        flat = heats.reshape(-1, heats.shape[-1])
        seen = np.empty((len(flat), pulls, heats.shape[-1]))
        for row, arms in zip(seen, flat, strict=True):
            order = np.argsort(arms)
            heat = tuple(arms[order].tolist())
            row[:, order] = [self.observation(heat, t) for t in range(1, pulls + 1)]
        return seen.reshape(*heats.shape[:-1], pulls, heats.shape[-1])

    def play(self, machine: Machine) -> Machine:
        """Play a machine to its end; the t-th pull of a set gets its t-th observation."""
        if not isinstance(machine, Machine):
            raise refuse("machine", machine, "must be a machine that asks and is told, such as heats.Tournament")
        pulled: Counter[Heat] = Counter()
        while query := machine.ask():
            heat = tuple(sorted(query.arms))
            pulled[heat] += 1
            told = dict(zip(heat, self.observation(heat, pulled[heat]), strict=True))
            machine.tell(query, [told[arm] for arm in query.arms])
        return machine


class Delayed(Instance):
    """Theorem 1: for t < B' all arms of a heat look alike, halfway between best and worst; then the limits show."""

    def __init__(self, limits: Limits, delay: int) -> None:
        super().__init__(check_limits(limits).n_arms, limits.heat_size)
        self.delay = whole("delay", delay, 1)
        self._limits = limits

    def limits(self, heat: Heat) -> Values:
        """Return the limits given."""
        return self._limits.values(heat)

    def scores(self, heat: Heat, t: int) -> Values:
        """Return (S_(1) + S_(|Q|))/2 for t < B', and S after."""
        values = self._limits.values(heat)
        return values if check_time(t) >= self.delay else ((max(values) + min(values)) / 2,) * len(heat)

    def rates(self, arm: int, heat: Heat) -> Rate:
        """Return |halfway − S| for t < B', and 0 after."""
        limit, values = self._limits.of(arm, heat), self._limits.values(heat)
        away = abs((max(values) + min(values)) / 2 - limit)
        return UserRate(lambda t: away if t < self.delay else 0.0)


def condorcet_instances(limits: Limits, rates: Rates, best: int = 0) -> list[Delayed]:
    """Return s, s², …, sⁿ of Theorem 1 (i): all alike for B' − 1 pulls of any heat, then each has its own best arm.

    The first has ``best`` on top of every heat it is in, the l-th arm l. They are in the order of the arms.
    """
    check_arm("best", best, check_limits(limits).n_arms)
    delay = least_pulls(limits, rates)
    first = _put_on_top(limits, best)
    return [Delayed(first if arm == best else _put_on_top(first, arm), delay) for arm in range(limits.n_arms)]


def borda_instances(
    limits: Limits, rates: Rates, rival: int, unseen: Collection[Heat] | None = None, best: int = 0
) -> tuple[Delayed, Delayed]:
    """Return the pair s, s' of Theorem 1 (ii) and (iii), equal outside the heats ``unseen`` (default: all of k arms).

    In s ``best`` has the highest Borda and Copeland score. In s' ``rival`` is on top and ``best`` last of every unseen
    heat. As printed s' is not in the class; this is the repaired construction: in every unseen heat first the rival
    changes places with the top arm, then ``best`` with whoever holds the last place.
    """
    check_arm("best", best, check_limits(limits).n_arms)
    if check_arm("rival", rival, limits.n_arms) == best:
        raise InvalidArgument("{rival} must be another arm than the best one.", rival=rival)
    limits.check_countable()
    every = limits.heats_of(limits.heat_size)
    hidden = frozenset(every if unseen is None else check_heats("unseen", unseen, limits.n_arms))
    delay = least_pulls(limits, rates)
    first = _put_on_top(limits, best)

    def swap_unseen(heat: Heat) -> Values:
        values = list(first.values(heat))
        if heat in hidden:
            if rival in heat:
                _exchange(values, heat.index(rival), values.index(max(values)))
            if best in heat and values[heat.index(best)] != min(values):
                _exchange(values, heat.index(best), values.index(min(values)))
        return tuple(values)

    return Delayed(first, delay), Delayed(Limits(limits.n_arms, limits.heat_size, swap_unseen), delay)


def heats_to_hide(limits: Limits, seen: Iterable[Heat], best: int = 0) -> tuple[frozenset[Heat], int]:
    """Return the heats of k arms not in ``seen``, and a rival that is in more of them than ``best`` is in seen ones.

    Such a rival exists if fewer than (1 − 1/n)·k/(k+n−2)·C(n, k) heats were seen (a lemma of Appendix B).
    """
    check_limits(limits).check_countable()
    check_arm("best", best, limits.n_arms)
    watched = frozenset(heat for heat in check_heats("seen", seen, limits.n_arms) if len(heat) == limits.heat_size)
    hidden = frozenset(limits.heats_of(limits.heat_size)) - watched
    bar = sum(best in heat for heat in watched)
    counts = Counter(arm for heat in hidden for arm in heat if arm != best)
    rival, most = counts.most_common(1)[0] if counts else (best, 0)
    if most <= bar:
        raise InvalidArgument(
            f"{len(watched)} of the heats were seen: too many for an instance that fools whoever saw them.",
            seen=seen,
        )
    return hidden, rival


class Squeezed(Instance):
    """Necessity (Theorem 3): the best arm of every heat starts β(t) too low, all others β(t) too high."""

    def __init__(self, limits: Limits, beta: Callable[[int], float]) -> None:
        super().__init__(check_limits(limits).n_arms, limits.heat_size)
        self._limits = limits
        self._beta = UserRate(check_function("beta", beta, "a function of the number of pulls"))

    def limits(self, heat: Heat) -> Values:
        """Return the limits given."""
        return self._limits.values(heat)

    def scores(self, heat: Heat, t: int) -> Values:
        """Return S − β(t) for the best arm of the heat and S + β(t) for the others."""
        beta, values = self._beta.rate(t), self._limits.values(heat)
        return tuple(v - beta if self._is_best(arm, heat) else v + beta for arm, v in zip(heat, values, strict=True))

    def _is_best(self, arm: int, heat: Heat) -> bool:
        return arm == self._limits.best(heat)

    def rates(self, arm: int, heat: Heat) -> Rate:
        """Return β for every arm of every heat."""
        return self._beta


class SqueezedBorda(Squeezed):
    """Necessity for RoundRobin (Appendix C): the Borda winner is β(t) too low in every heat, all others too high."""

    def __init__(self, limits: Limits, beta: Callable[[int], float], borda_winner: int) -> None:
        super().__init__(limits, beta)
        self._winner = check_arm("borda_winner", borda_winner, limits.n_arms)

    def _is_best(self, arm: int, heat: Heat) -> bool:
        return arm == self._winner


def why_outside(instance: Instance, limits: Limits, rates: Rates, horizon: int) -> str | None:
    """Say why an instance is not in the class 𝔖(S, γ); None if it is, as far as t = 1..horizon tells.

    In it (ii) every score stays within γ_{i|Q}(t) of its limit and (iii) the limits of every heat are a permutation of
    those in ``limits``. For the instances of Theorem 1, constant from B' on, horizon = B' is complete.
    """
    if not isinstance(instance, Instance):
        raise refuse("instance", instance, "must be an instance, such as Delayed or Squeezed")
    check_limits(limits).check_countable()
    check_rates(rates)
    most = MOST_SCORES // sum(map(len, limits.heats()))
    whole("horizon", horizon, 0, most, f"up to {MOST_SCORES} scores are looked at")
    for heat in limits.heats():
        mine = instance.limits(heat)
        if sorted(mine) != sorted(limits.values(heat)):
            return f"in heat {heat} the limits {mine} are not a permutation of {limits.values(heat)}"
        for t in range(1, horizon + 1):
            for arm, score, limit in zip(heat, instance.scores(heat, t), mine, strict=True):
                bound = rate_of(rates, arm, heat).rate(t)
                if abs(score - limit) > bound + 1e-12 * (abs(limit) + bound):  # rounding is forgiven
                    off = f"{abs(score - limit):g} off its limit after {t} pulls, more than {bound:g}"
                    return f"in heat {heat} arm {arm} is {off}"
    return None


def _put_on_top(limits: Limits, top: int) -> Limits:
    """Return the limits with ``top`` and the best arm of every heat it is in exchanged."""

    def swap_top(heat: Heat) -> Values:
        values = list(limits.values(heat))
        if top in heat:
            _exchange(values, heat.index(top), values.index(max(values)))
        return tuple(values)

    return Limits(limits.n_arms, limits.heat_size, swap_top)


def _exchange(values: list[Any], one: int, other: int) -> None:
    values[one], values[other] = values[other], values[one]
