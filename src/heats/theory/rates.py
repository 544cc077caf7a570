"""How fast scores settle: γ(t) bounds |s(t) − S| after t pulls, and its quasi-inverse says how many pulls suffice."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeAlias

from heats.base.checks import between, probability, refuse, true_or_false, whole
from heats.errors import InvalidArgument, show_value
from heats.theory.arguments import Heat, ask, check_function, check_heat, list_items, to_number

MOST_PULLS = 2**62  # a rate that is still too large here is refused instead of searched on
MOST_RATED_PULLS = 10**300  # rates are worked out in floating point, which ends soon after


class Rate(ABC):
    """A non-increasing γ: ``rate(t)`` for t = 1, 2, …; ``pulls_until(alpha)`` is the first t with γ(t) ≤ alpha."""

    @abstractmethod
    def rate(self, t: int) -> float:
        """Return γ(t)."""

    def __call__(self, t: int) -> float:
        """Return γ(t)."""
        return self.rate(t)

    def pulls_until(self, alpha: float) -> int:
        """Return γ⁻¹(α) = min{t : γ(t) ≤ α}."""
        return self._first(lambda value: value <= alpha, alpha)

    def pulls_below(self, alpha: float) -> int:
        """Return min{t : γ(t) < α}: where a tie at γ(t) = α could go either way."""
        return self._first(lambda value: value < alpha, alpha)

    def _first(self, enough: Callable[[float], bool], alpha: float) -> int:
        why = "scores come close, they need not arrive"
        between("alpha", alpha, 0, math.inf, open_low=True, open_high=True, why=why)
        high = 1
        while not enough(self.rate(high)):
            high *= 2
            if high > MOST_PULLS:
                raise InvalidArgument(f"the rate is still above {alpha:g} after 2^62 pulls; ask for a larger gap.")
        low = high // 2  # not enough there, or 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(self.rate(middle)) else (middle, high)
        return high


class UserRate(Rate):
    """Any function of t, checked on use: finite, not negative, and not increasing between any two t asked for."""

    def __init__(self, function: Callable[[int], float]) -> None:
        self._function = check_function("rate", function, "a function of the number of pulls")
        self._known: dict[int, float] = {}
        self._asked: list[int] = []  # its keys, in order

    def rate(self, t: int) -> float:
        """Return the function's value at t."""
        t = check_time(t)
        if t not in self._known:
            self._known[t] = self._ask_value(t)
            place = bisect_left(self._asked, t)
            self._asked.insert(place, t)
            for earlier, later in pairwise(self._asked[max(0, place - 1) : place + 2]):
                if self._known[earlier] < self._known[later]:
                    raise InvalidArgument(
                        f"the rate increases from {self._known[earlier]:g} at t={earlier} to {self._known[later]:g} "
                        f"at t={later}; a rate of convergence must not.",
                        rate=self._function,
                    )
        return self._known[t]

    def _ask_value(self, t: int) -> float:
        answer = ask("rate", self._function, t)
        value = to_number(answer)
        if not 0 <= value < math.inf:
            raise InvalidArgument(
                f"{{rate}} gives {show_value(answer)} after {t} pulls; it must give a finite number, not below 0.",
                rate=self._function,
            )
        return value


class SubGaussian(Rate):
    """The anytime bound for means of σ-sub-Gaussian rewards: the law of the iterated logarithm (Appendix E).

    With probability 1 − γ, |s(t) − S| ≤ c(t) for all t at once. As printed, c_γ(t) = (2/t) c̃_γ(t); the factor 2 is
    slack, and ``tight=True`` leaves it out. For a linear functional r(X), σ is that of r(X). ``among`` shares γ.
    """

    def __init__(self, sigma: float, gamma: float, *, among: int = 1, tight: bool = False) -> None:
        self.sigma = between("sigma", sigma, 1e-100, 1e100)
        # c(t)² = scale/t · ln(ln(3t/2)/ω),  scale = 3·(factor·(1 + √½)·σ)²,  ω = (γ/10)^(2/3) ln(3/2)
        self._scale = 3 * ((1.0 if true_or_false("tight", tight) else 2.0) * (1 + math.sqrt(0.5)) * self.sigma) ** 2
        self._log_omega = 2 / 3 * (_log_share(gamma, among) - math.log(10)) + math.log(math.log(1.5))

    def rate(self, t: int) -> float:
        """Return c_γ(t)."""
        t = check_time(t)
        return math.sqrt(self._scale / t * (math.log(math.log(1.5 * t)) - self._log_omega))

    def closed_form(self, alpha: float) -> int:
        """Return the printed upper bound of ``pulls_until``: ⌈(1/c) ln(2 ln(3/(2cω))/ω)⌉ + 1, c = α²/(12(1+√½)²σ²).

        For large α/σ it takes the logarithm of a number that is not positive; the exact inverse is returned there.
        """
        exact = self.pulls_until(alpha)
        if exact == 1:
            return 2  # α is so large that the formula may overflow; it rounds up and adds one
        c = alpha**2 / self._scale
        inner = math.log(1.5 / c) - self._log_omega
        outer = math.log(2 * inner) - self._log_omega if inner > 0 else 0.0
        return exact if outer <= 0 else math.ceil(outer / c) + 1


class Categorical(Rate):
    """The anytime bound for winner shares: the inequality of Dvoretzky, Kiefer and Wolfowitz (Appendix E).

    With probability 1 − γ the shares of all arms of a heat are within c(t) of their limits for all t at once. As
    printed, c_γ(t) = √(4 ln(2π²t²/(3γ))/t), which has two slack factors of 2; ``tight=True`` is √(2 ln(π²t²/(3γ))/t).
    ``among`` shares γ.
    """

    def __init__(self, gamma: float, *, among: int = 1, tight: bool = False) -> None:
        self._front, inside = (2.0, math.pi**2 / 3) if true_or_false("tight", tight) else (4.0, 2 * math.pi**2 / 3)
        self._log_inside = math.log(inside) - _log_share(gamma, among)

    def rate(self, t: int) -> float:
        """Return c_γ(t), as a function that does not increase (the tight one would from t = 1 to 2 for γ near 1)."""
        return max(self._c(1), self._c(2)) if check_time(t) == 1 else self._c(t)

    def _c(self, t: int) -> float:
        return math.sqrt(self._front * (self._log_inside + 2 * math.log(t)) / t)

    def closed_form(self, alpha: float) -> int:
        """Return the printed upper bound of ``pulls_until``, from a bound on Lambert's W; else the exact inverse."""
        exact = self.pulls_until(alpha)
        if exact == 1:
            return 2  # as above
        c1 = alpha**2 / (2 * self._front)
        log_ratio = self._log_inside / 2 - math.log(c1)  # ln(c2/c1), with ln(c2 t) ≤ c1 t to be solved
        total = 1 + log_ratio + math.log(log_ratio) if log_ratio > 0 else 0.0
        return exact if total <= 0 else math.ceil(total / c1) + 1


def check_time(t: object) -> int:
    """Return a number of pulls, or refuse what is none."""
    if type(t) is int and 1 <= t <= MOST_RATED_PULLS:
        return t
    return whole("t", t, 1, MOST_RATED_PULLS, "pulls")


def _log_share(gamma: float, among: int) -> float:
    """Return ln(γ/among), also where the quotient is beyond floating point."""
    return math.log(probability("gamma", gamma)) - math.log(whole("among", among, 1))


class Slowest(Rate):
    """γ̄, the maximum of several rates. Its inverse is the maximum of theirs (the paper writes a minimum)."""

    def __init__(self, rates: Iterable[Rate]) -> None:
        self._rates = _list_rates("slowest", rates)

    def rate(self, t: int) -> float:
        """Return the largest of the rates at t."""
        return max(rate.rate(t) for rate in self._rates)

    def pulls_until(self, alpha: float) -> int:
        """Return the largest of the inverses."""
        most = 1
        for rate in self._rates:
            if most == 1 or rate.rate(most) > alpha:  # else it settled before
                most = rate.pulls_until(alpha)
        return most


class Average(Rate):
    """γ̂_i, the mean of the rates of the heats an arm is in (Appendix C)."""

    def __init__(self, rates: Iterable[Rate]) -> None:
        self._rates = _list_rates("average", rates)

    def rate(self, t: int) -> float:
        """Return the mean of the rates at t."""
        return math.fsum(rate.rate(t) for rate in self._rates) / len(self._rates)


Rates: TypeAlias = Rate | Callable[[int, Heat], Rate]  # one for all, or one per arm and heat: γ_{i|Q}


def _list_rates(which: str, rates: object) -> list[Rate]:
    """Return rates to be combined, or refuse what is none."""
    listed = list_items("rates", rates, "rates")
    if not listed:
        raise InvalidArgument(f"the {which} of no rates is not defined; give at least one.")
    wrong = [each for each in listed if not isinstance(each, Rate)]
    if wrong:
        raise InvalidArgument(
            f"{show_value(wrong[0])} among the rates is not a Rate; UserRate makes one of a function."
        )
    return listed


def check_rates(rates: object) -> Rates:
    """Return one rate for all, or a function of arm and heat that gives one; or refuse what is neither."""
    if isinstance(rates, Rate) or callable(rates):
        return rates
    raise refuse("rates", rates, "must be a Rate, or a function of arm and heat that gives one")


def rate_of(rates: Rates, arm: int, heat: Heat) -> Rate:
    """Return γ_{i|Q}."""
    if isinstance(rates, Rate):
        return rates
    found = ask("rates", rates, arm, heat)
    if not isinstance(found, Rate):
        raise InvalidArgument(
            f"{{rates}} gives {show_value(found)} for arm {arm} in heat {heat}; it must give a Rate.", rates=rates
        )
    return found


def slowest_of(rates: Rates, heat: Heat) -> Rate:
    """Return γ̄_Q, the worst rate of a heat."""
    check_rates(rates)
    arms = check_heat("heat", heat)
    return rates if isinstance(rates, Rate) else Slowest([rate_of(rates, arm, heat) for arm in arms])


def as_rate(rate: Rate | Callable[[int], float]) -> Rate:
    """Return a rate; a plain function of t becomes one that is checked on use."""
    return rate if isinstance(rate, Rate) else UserRate(rate)
