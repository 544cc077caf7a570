"""Tables of limits S_{i|Q}: what the score of arm i tends to in heat Q, and which arms are best by it (Section 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, combinations
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.checks import refuse, whole
from heats.engine.sets import random_sets
from heats.errors import InvalidArgument, show_value
from heats.planning.plan import check_problem
from heats.theory.arguments import Heat, ask, check_arm, check_heat, list_arms, to_number

Values: TypeAlias = tuple[float, ...]  # one per arm of a heat, in that order

LARGEST = 1e100  # limits beyond this are sentinels or bugs
MOST_HEATS = 300_000  # heats looked at before a question is refused as too large
MOST_SAMPLED_ARMS = 3 * 10**6  # in all heats of a sample: a second
MOST_DRAWS = 3 * 10**8  # comparisons of arms while random heats are drawn: a second


@runtime_checkable
class KnowsLimits(Protocol):
    """An environment that knows what its scores tend to."""

    def limits(self, heat: Heat) -> Sequence[float]:
        """Return the limit of every arm of the heat, in its order."""


Source: TypeAlias = Mapping[Any, Any] | Callable[[Heat], Sequence[float]] | KnowsLimits


class Limits:
    """The limits of all heats of 2..heat_size out of n_arms arms.

    ``source`` is a dict {heat: values}, a function of the heat, or an environment that knows its limits. A heat
    is a tuple of arms in increasing order; its values come in that order, or as a dict {arm: value}.
    """

    def __init__(self, n_arms: int, heat_size: int, source: Source) -> None:
        self.n_arms, self.heat_size, _ = check_problem(n_arms, heat_size, 1)
        self._source = source
        self._look_up = _look_up(source)
        self._known: dict[Heat, Values] = {}

    def values(self, heat: Heat) -> Values:
        """Return S_{i|Q} for the arms of a heat, given in increasing order."""
        try:
            return self._known[heat]
        except (KeyError, TypeError):  # not yet known; not a heat at all
            checked = check_heat("heat", heat, self.n_arms)
        self._known[checked] = values = self._ask_values(checked)
        return values

    def _ask_values(self, heat: Heat) -> Values:
        found = ask("source", self._look_up, heat)
        if isinstance(found, Mapping):
            missing = [arm for arm in heat if arm not in found]
            if missing:
                raise InvalidArgument(f"the limits of heat {heat} miss arm {missing[0]}; give a value for every arm.")
            found = [found[arm] for arm in heat]
        if isinstance(found, np.ndarray):
            found = found.tolist()
        listed = found if isinstance(found, Sequence) and not isinstance(found, (str, bytes)) else ()
        values = tuple(map(to_number, listed))
        if len(values) != len(heat) or not all(abs(value) <= LARGEST for value in values):
            raise InvalidArgument(
                f"the limits of heat {heat} are {show_value(found)}; give {len(heat)} finite numbers.",
                source=self._source,
            )
        return values

    def of(self, arm: int, heat: Heat) -> float:
        """Return S_{i|Q}."""
        values, arm = self.values(heat), check_arm("arm", arm, self.n_arms)
        if arm not in heat:
            raise InvalidArgument(f"arm {arm} is not in heat {heat}; ask about one that is.", arm=arm)
        return values[heat.index(arm)]

    def rank(self, heat: Heat) -> Values:
        """Return S_{(1)|Q}, S_{(2)|Q}, …: the limits of a heat, largest first."""
        return tuple(sorted(self.values(heat), reverse=True))

    def best(self, heat: Heat) -> int | None:
        """Return the arm with the strictly largest limit of a heat; None if several share it."""
        values = self.values(heat)
        top = max(values)
        return heat[values.index(top)] if values.count(top) == 1 else None

    def gap(self, best: int, arm: int, heat: Heat) -> float:
        """Return Δ_{i|Q}: how far ``arm`` is behind ``best`` in a heat."""
        return self.of(best, heat) - self.of(arm, heat)

    def decisive_gap(self, best: int, heat: Heat, place: int) -> float:
        """Return Δ_{(l)|Q}: how far the arm in the l-th place, counted from 1, is behind ``best``."""
        ranked = self.rank(heat)
        return self.of(best, heat) - ranked[whole("place", place, 1, len(heat), "a place in the heat") - 1]

    def heats(self, containing: int | None = None) -> Iterator[Heat]:
        """Yield all heats of 2..heat_size arms, or those with one arm in them."""
        pairs = self.heats_of(2, containing)  # refuses wrong arms now, not when they are gone through
        larger = (self.heats_of(size, containing) for size in range(3, self.heat_size + 1))
        return chain(pairs, chain.from_iterable(larger))

    def heats_of(self, size: int, containing: int | None = None) -> Iterator[Heat]:
        """Yield all heats of one size, or those with one arm in them."""
        whole("size", size, 1, self.n_arms, "a heat has at most all arms")
        if self.n_arms > MOST_HEATS:
            raise self._refuse_number()
        if containing is None:
            return combinations(range(self.n_arms), size)
        check_arm("containing", containing, self.n_arms)
        others = [arm for arm in range(self.n_arms) if arm != containing]
        return (tuple(sorted((containing, *rest))) for rest in combinations(others, size - 1))

    def check_countable(self) -> None:
        """Refuse what would take a look at too many heats."""
        counts = accumulate(math.comb(self.n_arms, size) for size in range(2, self.heat_size + 1))
        if any(count > MOST_HEATS for count in counts):
            raise self._refuse_number()

    def _refuse_number(self) -> InvalidArgument:
        return InvalidArgument(
            f"{{n_arms}} and {{heat_size}} make more than {MOST_HEATS} heats: too many to look at all. Take fewer "
            "arms; who is best can also be estimated: survey(limits, sample=1000).",
            n_arms=self.n_arms,
            heat_size=self.heat_size,
        )


def check_limits(limits: object) -> Limits:
    """Return a table of limits, or refuse what is none."""
    if not isinstance(limits, Limits):
        raise refuse("limits", limits, "must be a table of limits; make one with Limits(n_arms, heat_size, source)")
    return limits


def _look_up(source: Source) -> Callable[[Heat], Any]:
    if isinstance(source, KnowsLimits):
        return source.limits
    if callable(source):
        return source
    if not isinstance(source, Mapping):
        raise refuse("source", source, "must be a dict {heat: values}, a function of a heat, or know limits(heat)")
    table: dict[Heat, Mapping[int, float]] = {}
    for heat, values in source.items():
        by_arm = _map_values(heat, values)
        arms = tuple(sorted(list_arms(heat) or ()))
        if arms in table:
            raise InvalidArgument(f"the table of limits has heat {heat} twice; give every set of arms once.")
        table[arms] = by_arm

    def find(heat: Heat) -> Any:
        if heat not in table:
            raise InvalidArgument(
                f"the table of limits misses heat {heat}; give the limits of every heat of 2..heat_size arms."
            )
        return table[heat]

    return find


def _map_values(heat: Any, values: Any) -> Mapping[int, float]:
    """Return the values of a heat by arm."""
    arms = list_arms(heat)
    if arms and isinstance(values, Mapping):
        return values
    listed = list(values) if isinstance(values, Sequence) else None
    if not arms or listed is None or not isinstance(heat, Sequence) or len(listed) != len(arms):
        raise InvalidArgument(
            f"the limits of heat {show_value(heat)} are {show_value(values)}; give one value per arm of a tuple of "
            "arms; for a set of arms, a dict {arm: value}."
        )
    return dict(zip(arms, listed, strict=True))


class Survey(msgspec.Struct, frozen=True):
    """Who is best by a table of limits. ``exact`` is False if only ``heats`` random heats were looked at."""

    condorcet: int | None  # i*, on top of every heat it is in
    unbeaten: frozenset[int]  # arms that no heat looked at speaks against; several are possible in a sample only
    offending: dict[int, Heat]  # for every other arm, a heat that does
    borda: frozenset[int]  # largest mean limit over heats of size k
    copeland: frozenset[int]  # on top of the most heats of size k
    borda_scores: tuple[float | None, ...]  # None: in no heat looked at
    copeland_scores: tuple[float | None, ...]
    exact: bool
    heats: int


def survey(limits: Limits, sample: int | None = None, seed: int = 0) -> Survey:
    """Find the generalized Condorcet, Borda and Copeland winners, and why others are not.

    Looks at all heats, and refuses if there are more than ``MOST_HEATS``; with ``sample`` it looks at that many random
    heats of each size instead, and the answer says so: a Condorcet winner is then one that no heat seen contradicts.
    """
    check_limits(limits)
    if sample is None:
        limits.check_countable()
    heats = list(limits.heats()) if sample is None else _sample_heats(limits, sample, seed)
    offending: dict[int, Heat] = {}
    seen: list[list[float]] = [[] for _ in range(limits.n_arms)]
    tops = [0] * limits.n_arms
    for heat in heats:
        values, best = limits.values(heat), limits.best(heat)
        for arm in heat:
            if arm != best:
                offending.setdefault(arm, heat)
        if len(heat) == limits.heat_size:
            for arm, value in zip(heat, values, strict=True):
                seen[arm].append(value)
                tops[arm] += value == max(values)
    unbeaten = frozenset(range(limits.n_arms)) - offending.keys()
    borda = tuple(math.fsum(each) / len(each) if each else None for each in seen)
    copeland = tuple(top / len(each) if each else None for top, each in zip(tops, seen, strict=True))
    return Survey(
        condorcet=min(unbeaten) if len(unbeaten) == 1 else None,
        unbeaten=unbeaten,
        offending=offending,
        borda=_find_largest(borda),
        copeland=_find_largest(copeland),
        borda_scores=borda,
        copeland_scores=copeland,
        exact=sample is None,
        heats=len(heats),
    )


def condorcet_winner(limits: Limits) -> int | None:
    """Return i*, the arm strictly on top of every heat of 2..k arms it is in; None if there is none (A2 fails)."""
    return survey(limits).condorcet


def borda_winners(limits: Limits) -> frozenset[int]:
    """Return the arms with the largest mean limit over all heats of k arms they are in."""
    return survey(limits).borda


def copeland_winners(limits: Limits) -> frozenset[int]:
    """Return the arms that are on top of the most heats of k arms."""
    return survey(limits).copeland


def offending_heat(limits: Limits, arm: int) -> Heat | None:
    """Return a heat that speaks against ``arm`` being the Condorcet winner; None if (A2) holds with it."""
    check_arm("arm", arm, check_limits(limits).n_arms)
    return survey(limits).offending.get(arm)


def _sample_heats(limits: Limits, sample: int, seed: int) -> list[Heat]:
    most, sizes = whole("sample", sample, 1), limits.heat_size
    arms, draws = most * sizes**2 // 2, most * sizes**3 // 6
    if limits.n_arms > MOST_HEATS or arms > MOST_SAMPLED_ARMS or draws > MOST_DRAWS:
        raise InvalidArgument(
            f"{{sample}} heats of each of {sizes - 1} sizes, out of {limits.n_arms} arms, are too many to draw; take a "
            "smaller sample, or limits of fewer arms.",
            sample=most,
        )
    found: list[Heat] = []
    for size in range(2, limits.heat_size + 1):
        sets = random_sets(np.array([randomness.fold_seed(seed)]), limits.n_arms, size, most)[0]
        found += map(tuple, sets.tolist())
    return found


def _find_largest(scores: Sequence[float | None]) -> frozenset[int]:
    """Return who has the largest score, up to rounding of the last bits."""
    known = {arm: score for arm, score in enumerate(scores) if score is not None}
    top = max(known.values())
    return frozenset(arm for arm, score in known.items() if math.isclose(score, top, rel_tol=1e-12))
