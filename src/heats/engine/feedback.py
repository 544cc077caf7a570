"""What one pull says, and how it becomes one observation per arm of the heat (the paper's o_Q).

Feedback is a sequence of numbers (rewards, larger is better, in the order of ``query.arms``), or
one of the classes below, which name arms. Each turns into a row of observations, one per arm:

===========  ==================================================================================
told         observation of each arm
===========  ==================================================================================
rewards      as told
Winner       1 for the winner, 1/m each for m tied, 0 for the rest; nobody: all 0
Ranking      share of the others placed below; unranked arms share the places left
BestWorst    1, 0, and ½ between
Race         who finished first as in Winner; then each arm's seconds, NaN for those stopped
NoVerdict    none: the pull is spent and says nothing of anybody; it may stand beside any kind
===========  ==================================================================================
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from heats.base.arrays import Array
from heats.base.checks import is_bool
from heats.base.text import count_things
from heats.errors import BadFeedback, show_value

Arms: TypeAlias = tuple[int, ...]
Row: TypeAlias = tuple[float, ...]

LARGEST = 1e100  # a reward beyond this is a sentinel or a bug, and its powers would overflow
LEAST = -LARGEST
LEAST_SPREAD = 1e-300  # of the rewards of a pull: closer to 0 floats lose their digits
FAR_APART = 1e-280  # from there on two floats differ by more than that
FEW_NAMED = 8  # arms are looked up one by one in their heat; more of them in a table of it


class Named(ABC):
    """Feedback that names arms (or, in ``find_best``, candidates); equal if it was made of equal things."""

    __slots__: tuple[str, ...] = ()

    @abstractmethod
    def row(self, arms: Arms) -> Row:
        """Return the observations of ``arms``, in their order, or raise ``BadFeedback``."""

    @abstractmethod
    def rename(self, name: Callable[[Any], Any]) -> Named:
        """Return the same feedback with ``name(x)`` wherever it names x."""

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, slot) for slot in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    __hash__ = None  # type: ignore[assignment]  # it may hold candidates that cannot be hashed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(show_value, self._parts()))})"


class Winner(Named):
    """One arm won; ``Winner(a, b)``: these tied; ``Winner(None)``: nobody did (the paper's D = {0, 1})."""

    __slots__ = ("arms",)
    arms: tuple[Any, ...]

    def __init__(self, *arms: Any) -> None:
        if not arms:
            raise BadFeedback(
                "Winner() names nobody; write Winner(arm), Winner(a, b) for a tie or Winner(None) for nobody."
            )
        self.arms = () if len(arms) == 1 and arms[0] is None else arms

    def row(self, arms: Arms) -> Row:
        """1 for the winner, 1/m each for m tied, 0 for the rest."""
        return _shares(_places(self.arms, arms), len(arms))

    def rename(self, name: Callable[[Any], Any]) -> Winner:
        """Return the same outcome in other names."""
        return Winner(*map(name, self.arms)) if self.arms else self

    def __repr__(self) -> str:
        return f"Winner({', '.join(map(show_value, self.arms)) or None})"


class Ranking(Named):
    """Arms from best to worst; may stop early, the arms not named share the places left."""

    __slots__ = ("order",)
    order: list[Any]

    def __init__(self, order: Iterable[Any]) -> None:
        has_no_order = isinstance(order, (str, bytes, set, frozenset, Mapping))
        if has_no_order or not isinstance(order, Iterable):
            raise BadFeedback(f"Ranking({show_value(order)}) needs a list of arms, best first.")
        self.order = list(order)

    def row(self, arms: Arms) -> Row:
        """Share of the other arms that are placed below (the Borda count, scaled to 0..1)."""
        places = _places(self.order, arms)
        last = len(arms) - 1
        left = (last - len(places)) / 2 / last  # mean of the shares of the places nobody was given
        row = [left] * len(arms)
        for place, index in enumerate(places):
            row[index] = (last - place) / last
        return tuple(row)

    def rename(self, name: Callable[[Any], Any]) -> Ranking:
        """Return the same ranking in other names."""
        return Ranking(map(name, self.order))


class BestWorst(Named):
    """The best and the worst arm of the heat; the others lie between."""

    __slots__ = ("best", "worst")
    best: Any
    worst: Any

    def __init__(self, best: Any, worst: Any) -> None:
        self.best = best
        self.worst = worst

    def row(self, arms: Arms) -> Row:
        """1 for the best, 0 for the worst, ½ between."""
        best, worst = _places((self.best, self.worst), arms)
        row = [0.5] * len(arms)
        row[best], row[worst] = 1.0, 0.0
        return tuple(row)

    def rename(self, name: Callable[[Any], Any]) -> BestWorst:
        """Return the same outcome in other names."""
        return BestWorst(name(self.best), name(self.worst))


class Race(Named):
    """Who finished, and after how many seconds; the arms not named were stopped (censored).

    Takes a mapping {arm: seconds} or pairs (arm, seconds). Nobody finished: ``Race({})``.
    """

    __slots__ = ("finished",)
    finished: list[tuple[Any, Any]]

    def __init__(self, finished: Mapping[Any, float] | Iterable[tuple[Any, float]] = ()) -> None:
        pairs = finished.items() if isinstance(finished, Mapping) else finished
        try:
            self.finished = [(arm, seconds) for arm, seconds in pairs]
        except (TypeError, ValueError):
            raise BadFeedback(f"Race({show_value(finished)}) needs {{arm: seconds}} or pairs (arm, seconds).") from None

    def row(self, arms: Arms) -> Row:
        """Winner shares of the fastest, followed by every arm's seconds (NaN: stopped)."""
        places = _places([arm for arm, _ in self.finished], arms)
        times = [math.nan] * len(arms)
        for index, (arm, seconds) in zip(places, self.finished, strict=True):
            times[index] = _seconds(arm, seconds)
        fastest = min((times[index] for index in places), default=math.nan)
        return _shares([index for index in places if times[index] == fastest], len(arms)) + tuple(times)

    def rename(self, name: Callable[[Any], Any]) -> Race:
        """Return the same race in other names."""
        return Race([(name(arm), seconds) for arm, seconds in self.finished])


class NoVerdict(Named):
    """The pull came to no verdict (a judge's answer made no sense, a voter could not say): spent, nothing observed.

    ``why`` is for people. It is not a tie, and not ``Winner(None)``, which says that nobody won.
    """

    __slots__ = ("why",)
    why: str

    def __init__(self, why: str = "") -> None:
        if not isinstance(why, str):
            raise BadFeedback(f"NoVerdict({show_value(why)}) takes the reason as text.")
        self.why = why

    def row(self, arms: Arms) -> Row:
        """Return nothing: there is no observation."""
        return ()

    def rename(self, name: Callable[[Any], Any]) -> NoVerdict:
        """Return the same: it names nobody."""
        return self


Feedback: TypeAlias = Sequence[float] | np.ndarray[Any, Any] | Named


class Kind(Enum):
    """The kinds of feedback; a run has only one."""

    REWARDS = "rewards"
    WINNER = "winner"
    RANKING = "ranking"
    BEST_WORST = "best-worst"
    RACE = "race"


KINDS: dict[type, Kind] = {
    Winner: Kind.WINNER,
    Ranking: Kind.RANKING,
    BestWorst: Kind.BEST_WORST,
    Race: Kind.RACE,
}


def share_by_times(times: Array) -> Array:
    """Return the winner shares of races ``(pulls, size)`` whose arms took so long; NaN: stopped."""
    filled = np.where(np.isnan(times), np.inf, times)
    fastest = filled.min(axis=-1, keepdims=True)
    won = (filled == fastest) & (fastest < np.inf)
    shares: Array = won / np.maximum(won.sum(axis=-1, keepdims=True), 1)
    return shares


def rewards(values: Any, arms: Arms) -> Row:
    """Return told rewards as a row of floats, or raise ``BadFeedback``."""
    if (type(values) is list or type(values) is tuple) and len(values) == len(arms):
        for value in values:
            if type(value) is not float or not LEAST <= value <= LARGEST:
                break
        else:  # the common case, checked without a call per value
            return _check_spread(tuple(values)) if -FAR_APART < values[0] < FAR_APART else tuple(values)
    return _check_spread(_rewards_with_care(values, arms))


def _check_spread(row: Row) -> Row:
    """Return rewards, or refuse those that differ by next to nothing; the reward of an arm alone, from 0."""
    spread = max(row) - min(row) if len(row) > 1 else abs(row[0])
    if 0 < spread < LEAST_SPREAD:
        differ = f"the rewards {show_value(row)} differ" if len(row) > 1 else f"the reward {row[0]} differs from 0"
        raise BadFeedback(
            f"{differ} by less than {LEAST_SPREAD:g}, where floats lose their digits; multiply all rewards of the run "
            "by the same large number."
        )
    return row


def _rewards_with_care(values: Any, arms: Arms) -> Row:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if len(arms) == 1 and isinstance(values, Real):
        values = (values,)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence):
        raise BadFeedback(
            f"{show_value(values)} is not feedback: give a sequence of {len(arms)} numbers in the order shown "
            "(larger is better), Winner(who), Ranking, BestWorst, Race or NoVerdict."
        )
    if len(values) != len(arms):
        raise BadFeedback(
            f"{count_things(len(values), 'reward')} for a heat of {len(arms):,}; tell one number for each."
        )
    if all(map(is_bool, values)):
        return tuple(map(float, values))  # passed or failed
    return tuple(_reward(arm, value) for arm, value in zip(arms, values, strict=True))


def _reward(arm: int, value: Any) -> float:
    number = _number(value)
    if -LARGEST <= number <= LARGEST:
        return number
    what = "is not a number" if math.isnan(number) else f"is not within ±{LARGEST:g}"
    raise BadFeedback(
        f"the reward {show_value(value)} of {{arm}} {what}; if only the order is known, tell a Winner or a Ranking.",
        arm=arm,
    )


def _seconds(arm: int, value: Any) -> float:
    number = _number(value)
    if not 0 <= number <= LARGEST:
        raise BadFeedback(
            f"the time {show_value(value)} of {{arm}} must be a number of seconds ≥ 0; leave out who was stopped.",
            arm=arm,
        )
    return number


def _number(value: Any) -> float:
    """Return ``value`` as a float, NaN for what is not a number: truth values and text among them."""
    if is_bool(value) or isinstance(value, (str, bytes, complex)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _shares(winners: Sequence[int], size: int) -> Row:
    row = [0.0] * size
    for index in winners:
        row[index] = 1.0 / len(winners)
    return tuple(row)


def _places(named: Sequence[Any], arms: Arms) -> list[int]:
    """Return where in ``arms`` the named ones stand; each must be there, once."""
    find = arms.index if len(named) <= FEW_NAMED else {arm: place for place, arm in enumerate(arms)}.__getitem__
    places: dict[int, None] = {}
    for arm in named:
        try:
            index = find(-1 if is_bool(arm) else operator.index(arm))
        except (TypeError, ValueError, KeyError):
            raise BadFeedback(f"{show_value(arm)} is not in this heat; its arms are {show_value(arms)}.") from None
        if index in places:
            raise BadFeedback("{arm} is named twice; name everybody at most once.", arm=arm)
        places[index] = None
    return list(places)
